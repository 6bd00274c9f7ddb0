// Evidence weights of words: how well rows are predicted, each by classes that have not seen it, and the gradient of that.
#include <cmath>
#include <cstring>

#include "bind.hpp"
#include "compiler.hpp"

namespace suffice {
namespace {

// For each of some lines of a table Σ_c line_c·pull_c; the width is a multiple of four, or two.
SUFFICE_FOR_EACH_PROCESSOR
void dots(const double* table, Index width, const Index* cells, Index count, const double* pull, double* out) {
    for (Index k = 0; k < count; ++k) {
        const double* line = table + cells[k] * width;
        for (Index c = 0; c < width; c += 8) prefetch(table + cells[k + Strip::ahead] * width + c);
        if (width == 2) {
            out[k] = line[0] * pull[0] + line[1] * pull[1];
            continue;
        }
        Four sum{};
        for (Index c = 0; c < width; c += 4) {
            Four a, b;
            std::memcpy(&a, line + c, sizeof a);
            std::memcpy(&b, pull + c, sizeof b);
            sum += a * b;
        }
        out[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace

// Rows are sparse, and so are the words: a word that a class never had has no number there. With
//     score_c = prior_c + term_c + power · Σ_w weight_w·x_w·(slope_c + value_wc)
// a row asks some classes without itself, or without its group. For these it brings values of its own, one for each of its
// entries, and a prior of its own.
class Evidence {
   public:
    Evidence(Vector<Index> start, Vector<std::int32_t> word, Vector<double> count, Vector<double> power,
             Vector<Index> code, Vector<Index> line, Vector<std::int32_t> klass,
             Vector<double> value, Vector<double> slope, Vector<Index> asked, Vector<std::int32_t> asked_class,
             Vector<Index> asked_at, Vector<double> asked_value, Vector<double> asked_prior)
        : start_(start), word_(word), count_(count), power_(power), code_(code), line_(line),
          class_(klass), value_(value), slope_(slope), asked_(asked), asked_class_(asked_class), asked_at_(asked_at),
          asked_value_(asked_value), asked_prior_(asked_prior), rows_(code.shape(0)), words_(line.shape(0) - 1),
          classes_(slope.shape(0)) {
        check(line.shape(0) > 0 && rising(start, rows_, word.shape(0)) && rising(line, words_, klass.shape(0)) &&
              rising(asked, rows_, asked_class.shape(0)) && count.shape(0) == word.shape(0) &&
              static_cast<Index>(power.shape(0)) == rows_ &&
              value.shape(0) == klass.shape(0) && asked_at.shape(0) == asked_class.shape(0) &&
              asked_prior.shape(0) == asked_class.shape(0));
        check(inside(word, words_) && inside(code, classes_) && inside(klass, classes_) && inside(asked_class, classes_));
        for (Index i = 0; i < rows_; ++i) {
            for (Index e = asked.data()[i]; e < asked.data()[i + 1]; ++e) {
                const Index at = asked_at.data()[e], length = start.data()[i + 1] - start.data()[i];
                check(at >= 0 && at + length <= static_cast<Index>(asked_value.shape(0)));
            }
        }
        share();
        gather();
    }

    // −Σ weight·ln p(own class) over the rows that have a weight; its gradient in the words' weights and the classes' terms is added to what is there, and
    // optionally the diagonal of the Hessian in the words' weights (bend); −ln p of each row is written, if wanted.
    double loss(Vector<double> weights, Vector<double> prior, Vector<double> of_rows, nb::ndarray<double, nb::ndim<1>, nb::c_contig> pull,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> terms,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> bend,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> each, int threads) const {
        check(static_cast<Index>(weights.shape(0)) == words_ && static_cast<Index>(prior.shape(0)) == classes_ &&
              static_cast<Index>(of_rows.shape(0)) == rows_ &&
              static_cast<Index>(pull.shape(0)) == words_ && static_cast<Index>(terms.shape(0)) == classes_ &&
              (bend.shape(0) == 0 || static_cast<Index>(bend.shape(0)) == words_) &&
              (each.shape(0) == 0 || static_cast<Index>(each.shape(0)) == rows_));
        const bool bends = bend.shape(0) > 0;
        const Index parts = static_cast<Index>(first_.size()) - 1;
        std::vector<Sums> sums(parts);
        nb::gil_scoped_release release;
        const Asked asked{weights.data(), prior.data(), of_rows.data(), each.shape(0) ? each.data() : nullptr, bends};
        parallel_for(parts, threads, [&](Index part) { add(part, asked, sums[part]); });
        constexpr Index block = Index{1} << 14;
        parallel_for((words_ + block - 1) / block, threads, [&](Index b) {
            const Index end = std::min(words_, (b + 1) * block);
            for (const Sums& sum : sums) {
                for (Index w = b * block; w < end; ++w) pull.data()[w] += sum.pull[w];
                if (bends) for (Index w = b * block; w < end; ++w) bend.data()[w] += sum.bend[w];
            }
        });
        double total = 0;
        for (const Sums& sum : sums) {
            total += sum.loss;
            for (Index c = 0; c < classes_; ++c) terms.data()[c] += sum.terms[c];
        }
        return total;
    }

   private:
    struct Asked {
        const double *weights, *prior, *of_rows;
        double* each;
        bool bends;
    };
    struct Sums {
        double loss = 0;
        std::vector<double> pull, terms, bend;
    };

    static void check(bool good) {
        if (!good) throw std::invalid_argument("rows, words and classes of evidence do not fit together");
    }

    static bool rising(const Vector<Index>& start, Index lines, std::size_t entries) {
        if (static_cast<Index>(start.shape(0)) != lines + 1 || start.data()[0] != 0) return false;
        for (Index i = 0; i < lines; ++i) {
            if (start.data()[i] > start.data()[i + 1]) return false;
        }
        return start.data()[lines] == static_cast<Index>(entries);
    }

    template <class Number>
    static bool inside(const Vector<Number>& numbers, Index end) {
        return std::all_of(numbers.data(), numbers.data() + numbers.shape(0), [&](Number x) { return x >= 0 && x < end; });
    }

    // Parts with about as many entries each. Their number depends on the data alone, and so does every sum.
    void share() {
        constexpr Index most = 16, room = Index{1} << 24, enough = Index{1} << 15;
        const Index entries = word_.shape(0);
        const Index parts = std::clamp<Index>(std::min(room / std::max<Index>(words_, 1), entries / enough), 1, most);
        for (Index part = 0; part <= parts; ++part) {
            const Index* end = start_.data() + rows_ + 1;
            const Index at = std::lower_bound(start_.data(), end, entries / parts * part) - start_.data();
            first_.push_back(part == parts ? rows_ : std::min(at, rows_));
        }
        first_[0] = 0;
    }

    // Words that many classes have get a line with a number for each class: fewer steps than a number at a time.
    void gather() {
        width_ = padded(classes_);
        for (Index w = 0; w < words_; ++w) {
            const Index met = line_.data()[w + 1] - line_.data()[w];
            if (3 * met < classes_) {
                const Index at = static_cast<Index>(few_.size());
                for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) {
                    few_.push_back({value_.data()[v], class_.data()[v]});
                }
                lines_.push_back({at, static_cast<std::int32_t>(met)});
            } else {
                lines_.push_back({static_cast<Index>(many_.size()) / width_, -1});
                many_.resize(many_.size() + width_, 0.0);
                double* line = many_.data() + many_.size() - width_;
                for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) line[class_.data()[v]] = value_.data()[v];
            }
        }
    }

    struct Line {
        Index at;           // of its first number, or the line's number
        std::int32_t count; // of numbers; −1 for a whole line
    };
    struct Value {
        double value;
        std::int32_t klass;
    };

    // What one row's words are worth while the row is looked at.
    struct Room {
        explicit Room(Index width) : line(width), pull(width) {}
        std::vector<double> line, pull;
        std::vector<Index> cells, places, few;  // whole lines, where in the row they are, and where the others
        std::vector<double> worth, told;
    };

    void add(Index part, const Asked& asked, Sums& sums) const {
        sums.pull.assign(words_, 0.0);
        sums.terms.assign(classes_, 0.0);
        if (asked.bends) sums.bend.assign(words_, 0.0);
        Room room(width_);
        for (Index i = first_[part]; i < first_[part + 1]; ++i) {
            const double weight = asked.of_rows[i];
            if (weight <= 0) continue;
            score(i, asked.weights, asked.prior, room);
            const double loss = shares(i, room.line.data());  // now the line holds probabilities
            sums.loss += weight * loss;
            if (asked.each) asked.each[i] = loss;
            for (Index c = 0; c < classes_; ++c) room.pull[c] = room.line[c] * weight;
            room.pull[code_.data()[i]] -= weight;
            for (Index c = 0; c < classes_; ++c) sums.terms[c] += room.pull[c];
            slopes(i, room, sums.pull.data());
            if (asked.bends) curve(i, weight, room.line.data(), sums.bend.data());
        }
    }

    void score(Index i, const double* weights, const double* prior, Room& room) const {
        std::fill(room.line.begin(), room.line.end(), 0.0);
        room.cells.clear();
        room.places.clear();
        room.few.clear();
        room.worth.clear();
        double* line = room.line.data();
        double mass = 0;
        const Index begin = start_.data()[i], end = start_.data()[i + 1];
        for (Index k = begin; k < end; ++k) {
            if (k + 16 < end) prefetch(&lines_[word_.data()[k + 16]]);
            const Line& at = lines_[word_.data()[k]];
            const double x = weights[word_.data()[k]] * count_.data()[k];
            mass += x;
            if (at.count < 0) {
                room.cells.push_back(at.at);
                room.places.push_back(k);
                room.worth.push_back(x);
            } else {
                room.few.push_back(k);
                prefetch(few_.data() + at.at);
            }
        }
        const Index whole = room.cells.size();
        room.cells.resize(whole + Strip::ahead, 0);
        Weights{many_.data(), width_}.add(room.cells.data(), 0, room.worth.data(), whole, line);
        for (const Index k : room.few) {
            const Line& at = lines_[word_.data()[k]];
            const double x = weights[word_.data()[k]] * count_.data()[k];
            for (const Value* v = few_.data() + at.at; v < few_.data() + at.at + at.count; ++v) line[v->klass] += x * v->value;
        }
        const double power = power_.data()[i];
        for (Index c = 0; c < classes_; ++c) line[c] = prior[c] + power * (line[c] + mass * slope_.data()[c]);
        for (Index e = asked_.data()[i]; e < asked_.data()[i + 1]; ++e) {
            const double* own = asked_value_.data() + asked_at_.data()[e];
            double sum = 0;
            for (Index k = begin; k < end; ++k) sum += weights[word_.data()[k]] * count_.data()[k] * own[k - begin];
            const Index c = asked_class_.data()[e];
            line[c] = prior[c] + asked_prior_.data()[e] + power * (sum + mass * slope_.data()[c]);
        }
    }

    // Scores → probabilities; −ln p of the own class.
    double shares(Index i, double* line) const {
        const double most = *std::max_element(line, line + classes_), own = line[code_.data()[i]] - most;
        double total = 0;
        for (Index c = 0; c < classes_; ++c) total += line[c] = std::exp(line[c] - most);
        for (Index c = 0; c < classes_; ++c) line[c] /= total;
        return std::log(total) - own;
    }

    void slopes(Index i, Room& room, double* out) const {
        const Index begin = start_.data()[i], end = start_.data()[i + 1];
        double* pull = room.pull.data();
        double alike = 0;
        for (Index c = 0; c < classes_; ++c) alike += pull[c] * slope_.data()[c];
        const double power = power_.data()[i];
        for (Index e = asked_.data()[i]; e < asked_.data()[i + 1]; ++e) {
            const double* own = asked_value_.data() + asked_at_.data()[e];
            double& its = pull[asked_class_.data()[e]];
            for (Index k = begin; k < end; ++k) out[word_.data()[k]] += power * its * count_.data()[k] * own[k - begin];
            its = 0;
        }
        const Index whole = room.places.size();
        room.told.resize(whole);
        dots(many_.data(), width_, room.cells.data(), whole, pull, room.told.data());
        for (Index k = 0; k < whole; ++k) {
            out[word_.data()[room.places[k]]] += power * count_.data()[room.places[k]] * (alike + room.told[k]);
        }
        for (const Index k : room.few) {
            const Line& at = lines_[word_.data()[k]];
            double sum = alike;
            for (const Value* v = few_.data() + at.at; v < few_.data() + at.at + at.count; ++v) sum += pull[v->klass] * v->value;
            out[word_.data()[k]] += power * count_.data()[k] * sum;
        }
    }

    // weight · (power·x)² · the variance, under the probabilities, of what a word says
    void curve(Index i, double weight, double* share, double* out) const {
        const Index begin = start_.data()[i], end = start_.data()[i + 1], first = asked_.data()[i], last = asked_.data()[i + 1];
        std::vector<double> kept;
        double mean = 0, square = 0;
        for (Index c = 0; c < classes_; ++c) {
            mean += share[c] * slope_.data()[c];
            square += share[c] * slope_.data()[c] * slope_.data()[c];
        }
        for (Index e = first; e < last; ++e) {
            kept.push_back(share[asked_class_.data()[e]]);
            share[asked_class_.data()[e]] = 0;
        }
        for (Index k = begin; k < end; ++k) {
            const std::int32_t w = word_.data()[k];
            double sum = mean, squares = square;
            for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) {
                const std::int32_t c = class_.data()[v];
                sum += share[c] * value_.data()[v];
                squares += share[c] * value_.data()[v] * (value_.data()[v] + 2 * slope_.data()[c]);
            }
            for (Index e = first; e < last; ++e) {
                const double own = asked_value_.data()[asked_at_.data()[e] + k - begin];
                sum += kept[e - first] * own;
                squares += kept[e - first] * own * (own + 2 * slope_.data()[asked_class_.data()[e]]);
            }
            const double step = power_.data()[i] * count_.data()[k];
            out[w] += weight * step * step * std::max(0.0, squares - sum * sum);
        }
    }

    Vector<Index> start_;
    Vector<std::int32_t> word_;
    Vector<double> count_, power_;
    Vector<Index> code_;
    Vector<Index> line_;
    Vector<std::int32_t> class_;
    Vector<double> value_, slope_;
    Vector<Index> asked_;
    Vector<std::int32_t> asked_class_;
    Vector<Index> asked_at_;
    Vector<double> asked_value_, asked_prior_;
    Index rows_, words_, classes_, width_ = 0;
    std::vector<Index> first_;
    std::vector<Line> lines_;
    std::vector<Value> few_;
    std::vector<double> many_;
};

void bind_evidence(nb::module_& m) {
    nb::class_<Evidence>(m, "Evidence", "Rows to be predicted by classes that have not seen them.")
        .def(nb::init<Vector<Index>, Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<Index>, Vector<Index>,
                      Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<Index>,
                      Vector<std::int32_t>, Vector<Index>, Vector<double>, Vector<double>>(),
             nb::arg("start").noconvert(), nb::arg("word").noconvert(), nb::arg("count").noconvert(),
             nb::arg("power").noconvert(), nb::arg("code").noconvert(),
             nb::arg("line").noconvert(), nb::arg("klass").noconvert(), nb::arg("value").noconvert(),
             nb::arg("slope").noconvert(), nb::arg("asked").noconvert(), nb::arg("asked_class").noconvert(),
             nb::arg("asked_at").noconvert(), nb::arg("asked_value").noconvert(), nb::arg("asked_prior").noconvert())
        .def("loss", &Evidence::loss, nb::arg("weights").noconvert(), nb::arg("prior").noconvert(),
             nb::arg("of_rows").noconvert(), nb::arg("pull").noconvert(), nb::arg("terms").noconvert(), nb::arg("bend").noconvert(),
             nb::arg("each").noconvert(), nb::arg("threads"));
}

}  // namespace suffice
