// Turns texts into scores, or the best class, without a matrix.
#include <cmath>

#include "bags.hpp"

namespace suffice {

// The power that a document's likelihood is raised to.
struct Temper {
    double power, length;

    double of(double n) const { return length == 0 ? power : n > 0 ? power * std::pow(n, -length) : 0.0; }
};

// The value of a word that occurs x times: x, one, or 1 + ln x.
enum class Times { as_often, once, damped };

// Weights of words, sparse in the classes: a document's scores are
//     power·n^−length · (offset_c + scale_c · (Σ_w x_w·base_w + m·unmet_c + Σ_w x_w·value_wc))
// with n = Σ_w x_w and m = Σ_w x_w·mass_w over the words known
class TextWeights {
   public:
    TextWeights(Vector<Index> start, Vector<std::int32_t> klass, Vector<double> value, Vector<double> base,
                Vector<double> mass, Vector<double> unmet, Vector<double> scale, Vector<double> offset,
                Times times, const Lexicon& lexicon)
        : times(times), offsets_(offset.data(), offset.data() + offset.shape(0)),
          unmet_(unmet.data(), unmet.data() + unmet.shape(0)), scales_(scale.data(), scale.data() + scale.shape(0)) {
        const std::size_t words = lexicon.numbering.size();
        if (start.shape(0) != words + 1 || base.shape(0) != words || mass.shape(0) != words ||
            offset.shape(0) != unmet.shape(0) || klass.shape(0) != value.shape(0) ||
            unmet.shape(0) != scale.shape(0)) {
            throw std::invalid_argument("weights differ in shape from the words");
        }
        for (std::size_t w = 0; w <= words; ++w) {
            const Index at = start.data()[w];
            if (at < (w ? lines_[w - 1].start : 0) || at > static_cast<Index>(klass.shape(0))) {
                throw std::invalid_argument("starts must rise to the number of weights");
            }
            lines_.push_back({at, w < words ? base.data()[w] : 0.0, w < words ? mass.data()[w] : 0.0});
        }
        for (std::size_t k = 0; k < klass.shape(0); ++k) {
            if (klass.data()[k] < 0 || klass.data()[k] >= static_cast<std::int32_t>(unmet.shape(0))) {
                throw std::out_of_range("a class is out of range");
            }
            weights_.push_back({value.data()[k], klass.data()[k]});
        }
    }

    Times times;

    // Writes the scores of a document.
    void score(const Bag& bag, const double* prior, Temper temper, double* line) const {
        std::fill(line, line + unmet_.size(), 0.0);
        double base = 0, mass = 0, n = 0;
        const std::vector<std::uint32_t>& words = bag.words;
        for (std::size_t k = 0; k < words.size(); ++k) {
            if (k + 16 < words.size()) prefetch(&lines_[words[k + 16]]);
            if (k + 8 < words.size()) prefetch(weights_.data() + lines_[words[k + 8]].start);
            const Line& at = lines_[words[k]];
            const Weight* end = weights_.data() + lines_[words[k] + 1].start;
            const double x = times == Times::damped ? damped(bag.count(words[k])) : 1.0;
            n += x;
            base += x * at.base;
            mass += x * at.mass;
            for (const Weight* w = weights_.data() + at.start; w < end; ++w) line[w->klass] += x * w->value;
        }
        const double power = temper.of(n);
        for (std::size_t c = 0; c < unmet_.size(); ++c) {
            line[c] = prior[c] + power * (offsets_[c] + scales_[c] * (base + mass * unmet_[c] + line[c]));
        }
    }

    std::size_t classes() const { return unmet_.size(); }

   private:
    static double damped(std::uint32_t x) { return x == 1 ? 1.0 : 1.0 + std::log(static_cast<double>(x)); }

    struct Line {
        Index start;
        double base, mass;
    };

    std::vector<double> offsets_, unmet_, scales_;
    struct Weight {
        double value;
        std::int32_t klass;
    };

    std::vector<Line, LargePages<Line>> lines_;
    std::vector<Weight, LargePages<Weight>> weights_;
};

// Writes the joint log-probability of texts and classes, or the best class.
void score_texts(Answers out, Vector<double> prior, double power, double length, const Texts& texts, Vector<Index> starts,
                 const Analysis& analysis, const Lexicon& lexicon, const TextWeights& weights, int threads) {
    const Documents documents(texts, starts);
    const Finish done = read_answers(out, documents.count, prior.shape(0));
    if (prior.shape(0) != weights.classes()) {
        throw std::invalid_argument("scores, classes and documents differ in number");
    }
    nb::gil_scoped_release release;
    const auto analyze = analysis.analyzer();
    const Index parts = (documents.count + documents_at_once - 1) / documents_at_once;
    std::atomic<Index> taken{0};
    parallel_for(std::min<Index>(threads, parts), threads, [&](Index) {
        Bag bag;
        std::vector<double> line(done.classes);
        for (Index k; (k = taken.fetch_add(1)) < parts;) {
            const Index end = std::min(documents.count, (k + 1) * documents_at_once);
            for (Index i = k * documents_at_once; i < end; ++i) {
                bag.fill(documents, i, analyze, LookUp{lexicon.numbering}, weights.times != Times::as_often);
                weights.score(bag, prior.data(), {power, length}, line.data());
                done(i, line.data());
            }
        }
    });
}

void bind_text_scores(nb::module_& m) {
    nb::enum_<Times>(m, "Times", "What a word that occurs x times counts for: x, one, or 1 + ln x.")
        .value("as_often", Times::as_often)
        .value("once", Times::once)
        .value("damped", Times::damped);
    nb::class_<TextWeights>(m, "TextWeights", "Weights of words, sparse in the classes.")
        .def(nb::init<Vector<Index>, Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<double>, Vector<double>,
                      Vector<double>, Vector<double>, Times, const Lexicon&>(),
             nb::arg("start").noconvert(), nb::arg("klass").noconvert(), nb::arg("value").noconvert(),
             nb::arg("base").noconvert(), nb::arg("mass").noconvert(), nb::arg("slope").noconvert(),
             nb::arg("scale").noconvert(), nb::arg("offset").noconvert(), nb::arg("times"), nb::arg("lexicon"));
    m.def("text_scores", &score_texts, nb::arg("out").noconvert(), nb::arg("prior").noconvert(), nb::arg("power"),
          nb::arg("length"), nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"), nb::arg("lexicon"),
          nb::arg("weights"), nb::arg("threads"));
}

}  // namespace suffice
