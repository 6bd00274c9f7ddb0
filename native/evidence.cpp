// Evidence weights of words: how well rows are predicted, each by classes that have not seen it, and the gradient of that.
//
// Rows are scored row by row, from lines of a table with a number for each class. The gradient is added up word by word, from
// what each row asks of the classes: that table is small, and a word's line is read once. So no sum depends on the threads.
#include <algorithm>
#include <cmath>
#include <mutex>

#include "bind.hpp"
#include "compiler.hpp"
#include "exponents.hpp"
#include "lanes.hpp"

namespace suffice {
namespace {

// Scores → probabilities; −ln p of the own class.
SUFFICE_FOR_EACH_PROCESSOR
double softmax(Index classes, Index own, double* line) {
    const double most = *std::max_element(line, line + classes), mine = line[own] - most;
    for (Index c = 0; c < classes; ++c) line[c] = std::max(line[c] - most, least_power);
    for (Index c = 0; c < classes; ++c) line[c] = exp_below_zero(line[c]);
    double total = 0;
    for (Index c = 0; c < classes; ++c) total += line[c];
    for (Index c = 0; c < classes; ++c) line[c] /= total;
    return std::log(total) - mine;
}

}  // namespace

// Rows are sparse, and so are the words: a word that a class never had has no number there. With
//     score_c = prior_c + term_c + power · Σ_w weight_w·x_w·(unmet_c + value_wc)
// where unmet_c is the value of a word that class c never had. Some classes score a row without it, or without its group:
// for these pairs (held_*) there is a value for each of the row's entries, and a difference of the prior. Values are held in
// single precision, and so many added up in it as leave six digits.
class Evidence {
   public:
    Evidence(Vector<Index> start, Vector<std::int32_t> word, Vector<double> count, Vector<double> power,
             Vector<Index> code, Vector<Index> line, Vector<std::int32_t> klass,
             Vector<double> value, Vector<double> unmet, Vector<Index> held_start, Vector<std::int32_t> held_class,
             Vector<Index> held_at, Vector<double> held_value, Vector<double> held_prior)
        : start_(start), power_(power), code_(code), line_(line), class_(klass), value_(value), unmet_(unmet),
          held_start_(held_start), held_class_(held_class), held_at_(held_at), held_prior_(held_prior),
          rows_(code.shape(0)), words_(line.shape(0) - 1), classes_(unmet.shape(0)), width_(float_width(classes_)),
          word_(word.data(), word.data() + word.shape(0)), count_(count.data(), count.data() + count.shape(0)),
          held_value_(held_value.data(), held_value.data() + held_value.shape(0)) {
        check(line.shape(0) > 0 && rising(start, rows_, word.shape(0)) && rising(line, words_, klass.shape(0)) &&
              rising(held_start, rows_, held_class.shape(0)) && count.shape(0) == word.shape(0) &&
              static_cast<Index>(power.shape(0)) == rows_ &&
              value.shape(0) == klass.shape(0) && held_at.shape(0) == held_class.shape(0) &&
              held_prior.shape(0) == held_class.shape(0) && rows_ < Index{1} << 31);
        check(inside(word, words_) && inside(code, classes_) && inside(klass, classes_) && inside(held_class, classes_));
        for (Index i = 0; i < rows_; ++i) {
            for (Index e = held_start.data()[i]; e < held_start.data()[i + 1]; ++e) {
                const Index at = held_at.data()[e], length = start.data()[i + 1] - start.data()[i];
                check(at >= 0 && at + length <= static_cast<Index>(held_value_.size()));
            }
        }
        word_.resize(word_.size() + ahead, 0);
        gather();
    }

    // Returns −Σ weight·ln p(own class) over the rows that have a weight. Unless they are empty, adds its gradient in the
    // words' weights and the classes' terms to `gradient` and `terms`, and the diagonal of its Hessian in the words' weights
    // to `hessian_diagonal`; writes −ln p of each row to `each`.
    double loss(Vector<double> weights, Vector<double> prior, Vector<double> of_rows,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> gradient,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> terms,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> hessian_diagonal,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> each, int threads) {
        auto fits = [](const auto& out, Index size) { return out.shape(0) == 0 || static_cast<Index>(out.shape(0)) == size; };
        check(static_cast<Index>(weights.shape(0)) == words_ && static_cast<Index>(prior.shape(0)) == classes_ &&
              static_cast<Index>(of_rows.shape(0)) == rows_ && fits(gradient, words_) && fits(terms, classes_) &&
              fits(hessian_diagonal, words_) && fits(each, rows_));
        nb::gil_scoped_release release;
        const std::vector<float> single(weights.data(), weights.data() + words_);
        const Query query{single.data(), prior.data(), of_rows.data(), each.shape(0) ? each.data() : nullptr,
                          hessian_diagonal.shape(0) > 0};
        if (static_cast<Index>(count_.size()) * width_ < Index{1} << 17) threads = 1;
        const bool by_word = gradient.shape(0) > 0 || query.hessian;
        if (by_word) std::call_once(placed_, [&] { place(); });
        double total = 0;
        Asked asked;
        for (Index first = 0; first < rows_; first += block()) {
            const Index last = std::min(rows_, first + block());
            total += ask(first, last, query, asked, terms.shape(0) ? terms.data() : nullptr, threads);
            if (gradient.shape(0)) add_gradient(blocks_[first / block()], asked, gradient.data(), threads);
            if (query.hessian) add_hessian_diagonal(blocks_[first / block()], asked, hessian_diagonal.data(), threads);
        }
        return total;
    }

   private:
    struct Query {
        const float* weights;
        const double *prior, *of_rows;
        double* each;
        bool hessian;
    };

    // What the rows of a block ask of the classes, power · weight · (p − one for the own class).
    struct Asked {
        std::vector<float> of_classes;  // rows × classes; zero for a class that scores the row without it
        std::vector<float> of_pairs;    // of such classes
        std::vector<float> shared;      // of rows: Σ over classes, times `unmet`
        std::vector<float> shares;      // rows × classes: probabilities, for second derivatives
        std::vector<double> step;       // of rows: weight · power², likewise
    };

    // The words of some rows, where they stand, and what they are worth to classes that score these rows without them.
    struct ByWord {
        std::vector<std::int32_t> words;
        std::vector<Index> begin, held_begin;  // of each word, and one more
        std::vector<Place> places, held;       // held: the pair, and what the word counts for times its value
        Index first_row = 0, first_pair = 0;
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

    // Rows at once: what they ask of the classes should stay near the processor.
    Index block() const { return std::max<Index>(64, (Index{1} << 20) / width_); }

    // Words that many classes have get a line with a number for each class: fewer steps than a number at a time. Where
    // classes are few, all words do, and a word's number is that of its line.
    void gather() {
        if (classes_ <= lanes) {
            many_.assign(words_ * width_, 0.0f);
            for (Index w = 0; w < words_; ++w) write_line(w, many_.data() + w * width_);
            return;
        }
        for (Index w = 0; w < words_; ++w) {
            const Index met = line_.data()[w + 1] - line_.data()[w];
            if (3 * met < classes_) {
                lines_.push_back({static_cast<Index>(few_.size()), static_cast<std::int32_t>(met)});
                for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) {
                    few_.push_back({static_cast<float>(value_.data()[v]), class_.data()[v]});
                }
            } else {
                lines_.push_back({static_cast<Index>(many_.size()) / width_, -1});
                many_.resize(many_.size() + width_, 0.0f);
                write_line(w, many_.data() + many_.size() - width_);
            }
        }
    }

    void write_line(Index w, float* line) const {
        for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) {
            line[class_.data()[v]] = static_cast<float>(value_.data()[v]);
        }
    }

    // Brings the entries of each block of rows into the order of their words.
    void place() {
        std::vector<Index> count(words_ + 1), held(words_ + 1);
        for (Index first = 0; first < rows_; first += block()) {
            const Index last = std::min(rows_, first + block());
            ByWord& mine = blocks_.emplace_back();
            mine.first_row = first;
            mine.first_pair = held_start_.data()[first];
            std::fill(count.begin(), count.end(), 0);
            std::fill(held.begin(), held.end(), 0);
            each_entry(first, last, [&](Index, Index k) { ++count[word_[k]]; },
                       [&](Index, Index k, float) { ++held[word_[k]]; });
            Index at = 0, held_at = 0;
            for (Index w = 0; w < words_; ++w) {
                if (!count[w]) continue;
                mine.words.push_back(static_cast<std::int32_t>(w));
                mine.begin.push_back(at);
                mine.held_begin.push_back(held_at);
                const Index here = count[w], held_here = held[w];
                count[w] = at;
                held[w] = held_at;
                at += here;
                held_at += held_here;
            }
            mine.begin.push_back(at);
            mine.held_begin.push_back(held_at);
            mine.places.resize(at + ahead);
            mine.held.resize(held_at);
            each_entry(
                first, last,
                [&](Index i, Index k) {
                    mine.places[count[word_[k]]++] = {static_cast<std::int32_t>(i - first), count_[k]};
                },
                [&](Index e, Index k, float value) {
                    const auto pair = static_cast<std::int32_t>(e - mine.first_pair);
                    mine.held[held[word_[k]]++] = {pair, count_[k] * value};
                });
        }
    }

    // entry(row, k) for each entry of some rows, and pair(e, k, value) for each pair of one.
    template <class Entry, class Pair>
    void each_entry(Index first, Index last, Entry entry, Pair pair) const {
        for (Index i = first; i < last; ++i) {
            const Index begin = start_.data()[i], end = start_.data()[i + 1];
            for (Index k = begin; k < end; ++k) entry(i, k);
            for (Index e = held_start_.data()[i]; e < held_start_.data()[i + 1]; ++e) {
                const float* own = held_value_.data() + held_at_.data()[e];
                for (Index k = begin; k < end; ++k) pair(e, k, own[k - begin]);
            }
        }
    }

    struct Line {
        Index at;           // of its first number, or the line's number
        std::int32_t count; // of numbers; −1 for a whole line
    };
    struct Value {
        float value;
        std::int32_t klass;
    };

    // Room to compute one row in.
    struct Room {
        explicit Room(Index width) : sums(width), line(width) {}
        std::vector<float> sums, x, worth;
        std::vector<double> line;
        std::vector<std::int32_t> cells;  // of words that have whole lines
    };

    // Scores rows, and fills what they ask of the classes. Returns their loss; adds the gradient in the classes' terms.
    double ask(Index first, Index last, const Query& query, Asked& asked, double* terms, int threads) const {
        const Index rows = last - first, first_pair = held_start_.data()[first];
        asked.of_classes.assign(rows * width_, 0.0f);
        asked.shared.assign(rows, 0.0f);
        asked.of_pairs.assign(held_start_.data()[last] - first_pair, 0.0f);
        if (query.hessian) {
            asked.shares.assign(rows * width_, 0.0f);
            asked.step.assign(rows, 0.0);
        }
        constexpr Index part = 256;
        struct Sum {
            double loss = 0;
            std::vector<double> terms;
        };
        std::vector<Sum> sums((rows + part - 1) / part);
        parallel_for(static_cast<Index>(sums.size()), threads, [&](Index p) {
            Room room(width_);
            sums[p].terms.assign(classes_, 0.0);
            for (Index i = first + p * part; i < std::min(last, first + (p + 1) * part); ++i) {
                const double weight = query.of_rows[i];
                if (weight <= 0) continue;
                score(i, query, room);
                double* line = room.line.data();
                const double loss = softmax(classes_, code_.data()[i], line);  // now the line holds probabilities
                sums[p].loss += weight * loss;
                if (query.each) query.each[i] = loss;
                const double power = power_.data()[i];
                if (query.hessian) {
                    asked.step[i - first] = weight * power * power;
                    for (Index c = 0; c < classes_; ++c) {
                        asked.shares[(i - first) * width_ + c] = static_cast<float>(line[c]);
                    }
                }
                line[code_.data()[i]] -= 1.0;
                double shared = 0;
                float* mine = asked.of_classes.data() + (i - first) * width_;
                for (Index c = 0; c < classes_; ++c) {
                    sums[p].terms[c] += weight * line[c];
                    shared += line[c] * unmet_.data()[c];
                    mine[c] = static_cast<float>(power * weight * line[c]);
                }
                asked.shared[i - first] = static_cast<float>(power * weight * shared);
                for (Index e = held_start_.data()[i]; e < held_start_.data()[i + 1]; ++e) {
                    float& held = mine[held_class_.data()[e]];
                    asked.of_pairs[e - first_pair] = held;
                    held = 0.0f;
                }
            }
        });
        double total = 0;
        for (const Sum& sum : sums) {
            total += sum.loss;
            for (Index c = 0; terms && c < classes_; ++c) terms[c] += sum.terms[c];
        }
        return total;
    }

    void score(Index i, const Query& query, Room& room) const {
        const Index begin = start_.data()[i], end = start_.data()[i + 1];
        if (static_cast<Index>(room.x.size()) < end - begin) room.x.resize(end - begin);
        float* x = room.x.data();
        double mass = 0;
        for (Index k = begin; k < end; ++k) mass += static_cast<double>(x[k - begin] = query.weights[word_[k]] * count_[k]);
        float* sums = room.sums.data();
        if (lines_.empty()) {
            add_lines({many_.data(), width_, word_.data() + begin, x, end - begin}, sums);
        } else {
            add_mixed(begin, end, room);
        }
        const double power = power_.data()[i];
        double* line = room.line.data();
        for (Index c = 0; c < classes_; ++c) {
            line[c] = query.prior[c] + power * (static_cast<double>(sums[c]) + mass * unmet_.data()[c]);
        }
        for (Index e = held_start_.data()[i]; e < held_start_.data()[i + 1]; ++e) {
            const float* own = held_value_.data() + held_at_.data()[e];
            float sum[4] = {};  // side by side
            for (Index k = begin; k < end; ++k) sum[(k - begin) & 3] += x[k - begin] * own[k - begin];
            const Index c = held_class_.data()[e];
            const double total = static_cast<double>((sum[0] + sum[1]) + (sum[2] + sum[3]));
            line[c] = query.prior[c] + held_prior_.data()[e] + power * (total + mass * unmet_.data()[c]);
        }
    }

    // Adds the lines of words that have one, and the numbers of the others one by one.
    void add_mixed(Index begin, Index end, Room& room) const {
        room.cells.clear();
        room.worth.clear();
        for (Index k = begin; k < end; ++k) {
            const Line& at = lines_[word_[k]];
            if (at.count < 0) {
                room.cells.push_back(static_cast<std::int32_t>(at.at));
                room.worth.push_back(room.x[k - begin]);
            } else {
                prefetch(few_.data() + at.at);
            }
        }
        const Index whole = room.worth.size();
        room.cells.resize(whole + ahead, 0);
        float* sums = room.sums.data();
        add_lines({many_.data(), width_, room.cells.data(), room.worth.data(), whole}, sums);
        for (Index k = begin; k < end; ++k) {
            const Line& at = lines_[word_[k]];
            const float x = room.x[k - begin];
            for (Index v = at.at; v < at.at + at.count; ++v) sums[few_[v].klass] += x * few_[v].value;
        }
    }

    // task(number, word) for each word of a block, so many at once.
    template <class Task>
    static void each_word(const ByWord& block, int threads, Task task) {
        constexpr Index part = 1024;
        const Index words = block.words.size();
        parallel_for((words + part - 1) / part, threads, [&](Index p) {
            for (Index j = p * part; j < std::min(words, (p + 1) * part); ++j) task(j, block.words[j]);
        });
    }

    void add_gradient(const ByWord& block, const Asked& asked, double* out, int threads) const {
        each_word(block, threads, [&](Index j, Index w) {
            const Place *begin = block.places.data() + block.begin[j], *end = block.places.data() + block.begin[j + 1];
            const Line line = lines_.empty() ? Line{w, -1} : lines_[w];
            double total = 0;
            for (const Place* at = begin; at < end; ++at) {
                total += static_cast<double>(at->count) * static_cast<double>(asked.shared[at->row]);
            }
            if (line.count < 0) {
                total += dot_lines(many_.data() + line.at * width_, asked.of_classes.data(), width_, begin, end);
            } else {
                for (const Place* at = begin; at < end; ++at) {
                    const float* mine = asked.of_classes.data() + at->row * width_;
                    float sum = 0;
                    for (const Value* v = few_.data() + line.at; v < few_.data() + line.at + line.count; ++v) {
                        sum += mine[v->klass] * v->value;
                    }
                    total += static_cast<double>(at->count) * static_cast<double>(sum);
                }
            }
            for (Index k = block.held_begin[j]; k < block.held_begin[j + 1]; ++k) {
                total += static_cast<double>(block.held[k].count) * static_cast<double>(asked.of_pairs[block.held[k].row]);
            }
            out[w] += total;
        });
    }

    // Adds, for each word of the rows, weight · (power·x)² · the variance of its values under the probabilities of classes.
    void add_hessian_diagonal(const ByWord& block, const Asked& asked, double* out, int threads) const {
        each_word(block, threads, [&](Index j, Index w) {
            std::vector<double> values(classes_, 0.0);
            for (Index v = line_.data()[w]; v < line_.data()[w + 1]; ++v) values[class_.data()[v]] = value_.data()[v];
            double total = 0;
            const Place* held = block.held.data() + block.held_begin[j];
            for (Index k = block.begin[j]; k < block.begin[j + 1]; ++k) {
                const Place& at = block.places[k];
                const float* share = asked.shares.data() + at.row * width_;
                const double lowest = unmet_.data()[0], count = static_cast<double>(at.count);
                double sum = 0, squares = 0;
                auto add = [&](Index c, double value, double sign) {
                    const double p = static_cast<double>(share[c]), x = unmet_.data()[c] - lowest + value;
                    sum += sign * p * x;
                    squares += sign * p * x * x;
                };
                for (Index c = 0; c < classes_; ++c) add(c, values[c], 1.0);
                for (Index e = held_start_.data()[block.first_row + at.row]; e < held_start_.data()[block.first_row + at.row + 1];
                     ++e, ++held) {
                    const Index c = held_class_.data()[e];
                    add(c, values[c], -1.0);
                    add(c, static_cast<double>(held->count) / count, 1.0);
                }
                total += asked.step[at.row] * count * count * std::max(0.0, squares - sum * sum);
            }
            out[w] += total;
        });
    }

    Vector<Index> start_;
    Vector<double> power_;
    Vector<Index> code_;
    Vector<Index> line_;
    Vector<std::int32_t> class_;
    Vector<double> value_, unmet_;
    Vector<Index> held_start_;
    Vector<std::int32_t> held_class_;
    Vector<Index> held_at_;
    Vector<double> held_prior_;
    Index rows_, words_, classes_, width_;
    std::vector<std::int32_t> word_;  // and some more, so that one may look ahead
    std::vector<float> count_, held_value_;
    std::vector<Line> lines_;  // none where all words have whole lines
    std::vector<Value> few_;
    std::vector<float> many_;
    std::once_flag placed_;
    std::vector<ByWord> blocks_;
};

void bind_evidence(nb::module_& m) {
    nb::class_<Evidence>(m, "Evidence", "Rows to be predicted by classes that have not seen them.")
        .def(nb::init<Vector<Index>, Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<Index>, Vector<Index>,
                      Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<Index>,
                      Vector<std::int32_t>, Vector<Index>, Vector<double>, Vector<double>>(),
             nb::arg("start").noconvert(), nb::arg("word").noconvert(), nb::arg("count").noconvert(),
             nb::arg("power").noconvert(), nb::arg("code").noconvert(),
             nb::arg("line").noconvert(), nb::arg("klass").noconvert(), nb::arg("value").noconvert(),
             nb::arg("unmet").noconvert(), nb::arg("held").noconvert(), nb::arg("held_class").noconvert(),
             nb::arg("held_at").noconvert(), nb::arg("held_value").noconvert(), nb::arg("held_prior").noconvert())
        .def("loss", &Evidence::loss, nb::arg("weights").noconvert(), nb::arg("prior").noconvert(),
             nb::arg("of_rows").noconvert(), nb::arg("gradient").noconvert(), nb::arg("terms").noconvert(),
             nb::arg("hessian_diagonal").noconvert(), nb::arg("each").noconvert(), nb::arg("threads"));
}

}  // namespace suffice
