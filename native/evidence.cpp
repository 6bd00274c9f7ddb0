// Evidence weights of words: how well rows are predicted, each by classes that have not seen it, and the gradient of that.
#include <cmath>
#include <cstring>

#include "bind.hpp"
#include "compiler.hpp"

namespace suffice {
namespace {

// For each of some lines of a table Σ_c line_c·gradient_c; the width is a multiple of four, or two.
SUFFICE_FOR_EACH_PROCESSOR
void dots(const double* table, Index width, const Index* cells, Index count, const double* gradient, double* out) {
    for (Index k = 0; k < count; ++k) {
        const double* line = table + cells[k] * width;
        for (Index c = 0; c < width; c += 8) prefetch(table + cells[k + Strip::ahead] * width + c);
        if (width == 2) {
            out[k] = line[0] * gradient[0] + line[1] * gradient[1];
            continue;
        }
        Four sum{};
        for (Index c = 0; c < width; c += 4) {
            Four a, b;
            std::memcpy(&a, line + c, sizeof a);
            std::memcpy(&b, gradient + c, sizeof b);
            sum += a * b;
        }
        out[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

}  // namespace

// Rows are sparse, and so are the words: a word that a class never had has no number there. With
//     score_c = prior_c + term_c + power · Σ_w weight_w·x_w·(unmet_c + value_wc)
// where unmet_c is the value of a word that class c never had. Some classes score a row without it, or without its group:
// for these pairs (held_*) there is a value for each of the row's entries, and a difference of the prior.
class Evidence {
   public:
    Evidence(Vector<Index> start, Vector<std::int32_t> word, Vector<double> count, Vector<double> power,
             Vector<Index> code, Vector<Index> line, Vector<std::int32_t> klass,
             Vector<double> value, Vector<double> unmet, Vector<Index> held_start, Vector<std::int32_t> held_class,
             Vector<Index> held_at, Vector<double> held_value, Vector<double> held_prior)
        : start_(start), word_(word), count_(count), power_(power), code_(code), line_(line),
          class_(klass), value_(value), unmet_(unmet), held_start_(held_start), held_class_(held_class), held_at_(held_at),
          held_value_(held_value), held_prior_(held_prior), rows_(code.shape(0)), words_(line.shape(0) - 1),
          classes_(unmet.shape(0)) {
        check(line.shape(0) > 0 && rising(start, rows_, word.shape(0)) && rising(line, words_, klass.shape(0)) &&
              rising(held_start, rows_, held_class.shape(0)) && count.shape(0) == word.shape(0) &&
              static_cast<Index>(power.shape(0)) == rows_ &&
              value.shape(0) == klass.shape(0) && held_at.shape(0) == held_class.shape(0) &&
              held_prior.shape(0) == held_class.shape(0));
        check(inside(word, words_) && inside(code, classes_) && inside(klass, classes_) && inside(held_class, classes_));
        for (Index i = 0; i < rows_; ++i) {
            for (Index e = held_start.data()[i]; e < held_start.data()[i + 1]; ++e) {
                const Index at = held_at.data()[e], length = start.data()[i + 1] - start.data()[i];
                check(at >= 0 && at + length <= static_cast<Index>(held_value.shape(0)));
            }
        }
        share();
        gather();
    }

    // Returns −Σ weight·ln p(own class) over the rows that have a weight. Adds its gradient in the words' weights and the
    // classes' terms to `gradient` and `terms`, and the diagonal of its Hessian in the words' weights to
    // `hessian_diagonal` unless that is empty; writes −ln p of each row to `each` unless that is empty.
    double loss(Vector<double> weights, Vector<double> prior, Vector<double> of_rows,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> gradient,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> terms,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> hessian_diagonal,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> each, int threads) const {
        check(static_cast<Index>(weights.shape(0)) == words_ && static_cast<Index>(prior.shape(0)) == classes_ &&
              static_cast<Index>(of_rows.shape(0)) == rows_ &&
              static_cast<Index>(gradient.shape(0)) == words_ && static_cast<Index>(terms.shape(0)) == classes_ &&
              (hessian_diagonal.shape(0) == 0 || static_cast<Index>(hessian_diagonal.shape(0)) == words_) &&
              (each.shape(0) == 0 || static_cast<Index>(each.shape(0)) == rows_));
        const bool hessian = hessian_diagonal.shape(0) > 0;
        const Index parts = static_cast<Index>(first_.size()) - 1;
        std::vector<Sums> sums(parts);
        nb::gil_scoped_release release;
        const Query query{weights.data(), prior.data(), of_rows.data(), each.shape(0) ? each.data() : nullptr, hessian};
        parallel_for(parts, threads, [&](Index part) { add(part, query, sums[part]); });
        constexpr Index block = Index{1} << 14;
        parallel_for((words_ + block - 1) / block, threads, [&](Index b) {
            const Index end = std::min(words_, (b + 1) * block);
            for (const Sums& sum : sums) {
                for (Index w = b * block; w < end; ++w) gradient.data()[w] += sum.gradient[w];
                for (Index w = b * block; hessian && w < end; ++w) hessian_diagonal.data()[w] += sum.hessian_diagonal[w];
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
    struct Query {
        const double *weights, *prior, *of_rows;
        double* each;
        bool hessian;
    };
    struct Sums {
        double loss = 0;
        std::vector<double> gradient, terms, hessian_diagonal;
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

    // Room to compute one row in.
    struct Room {
        explicit Room(Index width) : line(width), gradient(width) {}
        std::vector<double> line, gradient;
        std::vector<Index> cells, places, few;  // whole lines, where in the row they are, and where the others
        std::vector<double> worth, products;
    };

    void add(Index part, const Query& query, Sums& sums) const {
        sums.gradient.assign(words_, 0.0);
        sums.terms.assign(classes_, 0.0);
        if (query.hessian) sums.hessian_diagonal.assign(words_, 0.0);
        Room room(width_);
        for (Index i = first_[part]; i < first_[part + 1]; ++i) {
            const double weight = query.of_rows[i];
            if (weight <= 0) continue;
            score(i, query.weights, query.prior, room);
            const double loss = shares(i, room.line.data());  // now the line holds probabilities
            sums.loss += weight * loss;
            if (query.each) query.each[i] = loss;
            for (Index c = 0; c < classes_; ++c) room.gradient[c] = room.line[c] * weight;
            room.gradient[code_.data()[i]] -= weight;
            for (Index c = 0; c < classes_; ++c) sums.terms[c] += room.gradient[c];
            add_gradient(i, room, sums.gradient.data());
            if (query.hessian) add_hessian_diagonal(i, weight, room.line.data(), sums.hessian_diagonal.data());
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
        for (Index c = 0; c < classes_; ++c) line[c] = prior[c] + power * (line[c] + mass * unmet_.data()[c]);
        for (Index e = held_start_.data()[i]; e < held_start_.data()[i + 1]; ++e) {
            const double* own = held_value_.data() + held_at_.data()[e];
            double sum = 0;
            for (Index k = begin; k < end; ++k) sum += weights[word_.data()[k]] * count_.data()[k] * own[k - begin];
            const Index c = held_class_.data()[e];
            line[c] = prior[c] + held_prior_.data()[e] + power * (sum + mass * unmet_.data()[c]);
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

    // Adds the gradient in the weights of the row's words; sets room.gradient to 0 for held-out classes.
    void add_gradient(Index i, Room& room, double* out) const {
        const Index begin = start_.data()[i], end = start_.data()[i + 1];
        double* gradient = room.gradient.data();
        double shared = 0;
        for (Index c = 0; c < classes_; ++c) shared += gradient[c] * unmet_.data()[c];
        const double power = power_.data()[i];
        for (Index e = held_start_.data()[i]; e < held_start_.data()[i + 1]; ++e) {
            const double* own = held_value_.data() + held_at_.data()[e];
            double& of_class = gradient[held_class_.data()[e]];
            for (Index k = begin; k < end; ++k) out[word_.data()[k]] += power * of_class * count_.data()[k] * own[k - begin];
            of_class = 0;
        }
        const Index whole = room.places.size();
        room.products.resize(whole);
        dots(many_.data(), width_, room.cells.data(), whole, gradient, room.products.data());
        for (Index k = 0; k < whole; ++k) {
            out[word_.data()[room.places[k]]] += power * count_.data()[room.places[k]] * (shared + room.products[k]);
        }
        for (const Index k : room.few) {
            const Line& at = lines_[word_.data()[k]];
            double sum = shared;
            for (const Value* v = few_.data() + at.at; v < few_.data() + at.at + at.count; ++v) sum += gradient[v->klass] * v->value;
            out[word_.data()[k]] += power * count_.data()[k] * sum;
        }
    }

    // Adds, for each word of the row, weight · (power·x)² · the variance of its values under the probabilities of classes.
    void add_hessian_diagonal(Index i, double weight, double* share, double* out) const {
        const Index begin = start_.data()[i], end = start_.data()[i + 1];
        const Index first = held_start_.data()[i], last = held_start_.data()[i + 1];
        std::vector<double> kept;
        double mean = 0, square = 0;
        for (Index c = 0; c < classes_; ++c) {
            mean += share[c] * unmet_.data()[c];
            square += share[c] * unmet_.data()[c] * unmet_.data()[c];
        }
        for (Index e = first; e < last; ++e) {
            kept.push_back(share[held_class_.data()[e]]);
            share[held_class_.data()[e]] = 0;
        }
        for (Index k = begin; k < end; ++k) {
            const std::int32_t w = word_.data()[k];
            double sum = mean, squares = square;
            for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) {
                const std::int32_t c = class_.data()[v];
                sum += share[c] * value_.data()[v];
                squares += share[c] * value_.data()[v] * (value_.data()[v] + 2 * unmet_.data()[c]);
            }
            for (Index e = first; e < last; ++e) {
                const double own = held_value_.data()[held_at_.data()[e] + k - begin];
                sum += kept[e - first] * own;
                squares += kept[e - first] * own * (own + 2 * unmet_.data()[held_class_.data()[e]]);
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
    Vector<double> value_, unmet_;
    Vector<Index> held_start_;
    Vector<std::int32_t> held_class_;
    Vector<Index> held_at_;
    Vector<double> held_value_, held_prior_;
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
