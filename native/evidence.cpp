// Evidence weights of words: how well rows are predicted, each by classes that have not seen it, and the gradient of the
// loss.
//
// Rows are scored one by one, from lines of a table with a number for each class. The gradient is summed word by word from
// the rows' derivatives by class: that table is small, and a word's line is read once. So no sum depends on the threads.
#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler.hpp"
#include "evidence_rows.hpp"
#include "exponents.hpp"

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

// Rows under one set of pseudo-counts, a number for each word or one for all. With
//     score_c = prior_c + term_c + power · Σ_w weight_w·x_w·(unmet_c + value_wc)
//     value_wc = ln((met_wc + alpha_w) / least alpha),   unmet_c = ln(least alpha) − ln(total_c + Σ alpha)
// so that a word that class c never had has no number there, unless words differ in their pseudo-counts. Values are stored
// in single precision, and so few are added in it that six digits remain.
class Evidence {
   public:
    Evidence(const EvidenceRows& rows, Vector<double> alpha, double sum_of_alpha, int threads)
        : data_(rows), alike_(alpha.shape(0) == 1), unmet_(rows.classes), held_value_(rows.held_left.size()) {
        EvidenceRows::check(alike_ || static_cast<Index>(alpha.shape(0)) == rows.words);
        const double* each = alpha.data();
        const Index alphas = alpha.shape(0);
        EvidenceRows::check(std::all_of(each, each + alphas, [](double one) { return one > 0; }));
        nb::gil_scoped_release release;
        const double least = alphas ? *std::min_element(each, each + alphas) : 1.0;
        for (Index c = 0; c < rows.classes; ++c) unmet_[c] = std::log(least) - std::log(rows.total.data()[c] + sum_of_alpha);
        auto of_word = [&](Index w) { return alike_ ? least : each[w]; };
        lay_out();
        if (static_cast<Index>(rows.met.shape(0) + held_value_.size()) < Index{1} << 14) threads = 1;
        write_lines(of_word, least, threads);
        hold_out(of_word, least, sum_of_alpha, threads);
    }

    // Returns −Σ weight·ln p(own class) over the rows that have a weight. Unless they are empty, adds the gradient in the
    // words' weights and the classes' terms to `gradient` and `terms`, and the diagonal of the Hessian in the words'
    // weights to `hessian_diagonal`; writes −ln p of each row to `each`.
    double loss(Vector<double> weights, Vector<double> prior, Vector<double> of_rows, Vector<double> power,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> gradient,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> terms,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> hessian_diagonal,
                nb::ndarray<double, nb::ndim<1>, nb::c_contig> each, int threads) {
        auto fits = [](const auto& out, Index size) { return out.shape(0) == 0 || static_cast<Index>(out.shape(0)) == size; };
        auto has = [](const auto& given, Index size) { return static_cast<Index>(given.shape(0)) == size; };
        EvidenceRows::check(has(weights, data_.words) && has(prior, data_.classes) && has(of_rows, data_.rows) &&
                            has(power, data_.rows) && fits(gradient, data_.words) && fits(terms, data_.classes) &&
                            fits(hessian_diagonal, data_.words) && fits(each, data_.rows));
        nb::gil_scoped_release release;
        const std::vector<float> single(weights.data(), weights.data() + data_.words);
        const Query query{single.data(), prior.data(), of_rows.data(), power.data(), each.shape(0) ? each.data() : nullptr,
                          hessian_diagonal.shape(0) > 0};
        threads = threads_for(threads);
        if (gradient.shape(0)) weigh_held();
        double total = 0;
        Asked asked;
        for (Index first = 0; first < data_.rows; first += data_.block()) {
            const Index last = std::min(data_.rows, first + data_.block());
            total += ask(first, last, query, asked, terms.shape(0) ? terms.data() : nullptr, threads);
            if (gradient.shape(0)) add_gradient(first / data_.block(), asked, gradient.data(), threads);
            if (query.hessian) add_hessian_diagonal(data_.by_word()[first / data_.block()], asked, hessian_diagonal.data(), threads);
        }
        return total;
    }

    // Writes Σ_w weight_w·x_w·ln p(w | c) of some rows, without temper and prior.
    void scores(Vector<double> weights, Vector<Index> which, Scores out, int threads) const {
        const Index some = which.shape(0);
        EvidenceRows::check(static_cast<Index>(weights.shape(0)) == data_.words && static_cast<Index>(out.shape(0)) == some &&
                            static_cast<Index>(out.shape(1)) == data_.classes);
        for (Index k = 0; k < some; ++k) EvidenceRows::check(which.data()[k] >= 0 && which.data()[k] < data_.rows);
        nb::gil_scoped_release release;
        const std::vector<float> single(weights.data(), weights.data() + data_.words);
        constexpr Index part = 256;
        parallel_for((some + part - 1) / part, threads_for(threads), [&](Index p) {
            Room room(data_.width);
            for (Index k = p * part; k < std::min(some, (p + 1) * part); ++k) {
                score(which.data()[k], single.data(), room);
                std::copy_n(room.line.data(), data_.classes, out.data() + k * data_.classes);
            }
        });
    }

   private:
    struct Query {
        const float* weights;
        const double *prior, *of_rows, *power;
        double* each;
        bool hessian;
    };

    // Derivatives of a block of rows by class scores: power · weight · (p − one for the own class).
    struct Asked {
        std::vector<float> of_classes;  // rows × classes; zero for a class that scores the row without it
        std::vector<float> of_pairs;    // for such classes
        std::vector<float> shared;      // per row: Σ over classes, times `unmet`
        std::vector<float> shares;      // rows × classes: probabilities, for second derivatives
        std::vector<double> step;       // per row: weight · power², for second derivatives
    };

    int threads_for(int threads) const {
        return static_cast<Index>(data_.count.size()) * data_.width < Index{1} << 17 ? 1 : threads;
    }

    // Words that many classes have get a line with a number for each class, which takes fewer steps than single numbers. If
    // classes are few, all words do, and a word's number is that of its line; likewise if pseudo-counts differ.
    void lay_out() {
        const Index words = data_.words, width = data_.width;
        if (data_.classes <= lanes || !alike_) {
            many_.assign(words * width, 0.0f);
            return;
        }
        Index few = 0, many = 0;
        lines_.reserve(words);
        for (Index w = 0; w < words; ++w) {
            const Index met = data_.line.data()[w + 1] - data_.line.data()[w];
            if (3 * met < data_.classes) {
                lines_.push_back({few, static_cast<std::int32_t>(met)});
                few += met;
            } else {
                lines_.push_back({many++, -1});
            }
        }
        few_.resize(few);
        many_.assign(many * width, 0.0f);
    }

    template <class Alpha>
    void write_lines(Alpha alpha, double least, int threads) {
        constexpr Index part = 1024;
        parallel_for((data_.words + part - 1) / part, threads, [&](Index p) {
            for (Index w = p * part; w < std::min(data_.words, (p + 1) * part); ++w) {
                const Index begin = data_.line.data()[w], count = data_.line.data()[w + 1] - begin;
                const Line at = lines_.empty() ? Line{w, -1} : lines_[w];
                float* line = at.count < 0 ? many_.data() + at.at * data_.width : nullptr;
                if (!alike_) std::fill_n(line, data_.classes, static_cast<float>(log_above_one(alpha(w) / least)));
                for (Index v = 0; v < count; ++v) {
                    const std::int32_t c = data_.klass.data()[begin + v];
                    const auto value = static_cast<float>(log_above_one((data_.met.data()[begin + v] + alpha(w)) / least));
                    if (line) {
                        line[c] = value;
                    } else {
                        few_[at.at + v] = {value, c};
                    }
                }
            }
        });
    }

    // Values of words for classes that score a row without it, above `unmet`.
    template <class Alpha>
    void hold_out(Alpha alpha, double least, double sum_of_alpha, int threads) {
        constexpr Index part = 512;
        parallel_for((data_.rows + part - 1) / part, threads, [&](Index p) {
            for (Index i = p * part; i < std::min(data_.rows, (p + 1) * part); ++i) {
                const Index begin = data_.start.data()[i], count = data_.start.data()[i + 1] - begin;
                for (Index e = data_.held_start.data()[i]; e < data_.held_start.data()[i + 1]; ++e) {
                    const double all = data_.total.data()[data_.held_class.data()[e]] + sum_of_alpha;
                    const double shift = std::log(all) - std::log(data_.held_total.data()[e] + sum_of_alpha);
                    const Index at = data_.held_at.data()[e];
                    for (Index k = 0; k < count; ++k) {
                        const double a = alpha(data_.word[begin + k]);
                        const double value = log_above_one((data_.held_left[at + k] + a) / least);
                        held_value_[at + k] = static_cast<float>(value + shift);
                    }
                }
            }
        });
    }

    // Counts of held words times their values, sorted by word; computed once.
    void weigh_held() {
        std::call_once(weighed_, [&] {
            for (const EvidenceRows::ByWord& block : data_.by_word()) {
                std::vector<float>& mine = worth_.emplace_back(block.held.size());
                for (std::size_t k = 0; k < mine.size(); ++k) mine[k] = block.held[k].count * held_value_[block.held_entry[k]];
            }
        });
    }

    struct Line {
        Index at;           // index of its first number, or of its line
        std::int32_t count; // number of values; −1 for a whole line
    };
    struct Value {
        float value;
        std::int32_t klass;
    };

    // Buffers to compute one row in.
    struct Room {
        explicit Room(Index width) : sums(width), line(width) {}
        std::vector<float> sums, x, worth;
        std::vector<double> line;
        std::vector<std::int32_t> cells;  // lines of the words that have whole lines
    };

    // Scores rows and fills their derivatives by class. Returns their loss; adds the gradient in the classes' terms.
    double ask(Index first, Index last, const Query& query, Asked& asked, double* terms, int threads) const {
        const Index rows = last - first, first_pair = data_.held_start.data()[first];
        asked.of_classes.assign(rows * data_.width, 0.0f);
        asked.shared.assign(rows, 0.0f);
        asked.of_pairs.assign(data_.held_start.data()[last] - first_pair, 0.0f);
        if (query.hessian) {
            asked.shares.assign(rows * data_.width, 0.0f);
            asked.step.assign(rows, 0.0);
        }
        constexpr Index part = 256;
        struct Sum {
            double loss = 0;
            std::vector<double> terms;
        };
        std::vector<Sum> sums((rows + part - 1) / part);
        parallel_for(static_cast<Index>(sums.size()), threads, [&](Index p) {
            Room room(data_.width);
            sums[p].terms.assign(data_.classes, 0.0);
            for (Index i = first + p * part; i < std::min(last, first + (p + 1) * part); ++i) {
                const double weight = query.of_rows[i];
                if (weight <= 0) continue;
                joint(i, query, room);
                double* line = room.line.data();
                const double loss = softmax(data_.classes, data_.code.data()[i], line);  // now the line holds probabilities
                sums[p].loss += weight * loss;
                if (query.each) query.each[i] = loss;
                const double power = query.power[i];
                if (query.hessian) {
                    asked.step[i - first] = weight * power * power;
                    for (Index c = 0; c < data_.classes; ++c) {
                        asked.shares[(i - first) * data_.width + c] = static_cast<float>(line[c]);
                    }
                }
                line[data_.code.data()[i]] -= 1.0;
                double shared = 0;
                float* mine = asked.of_classes.data() + (i - first) * data_.width;
                for (Index c = 0; c < data_.classes; ++c) {
                    sums[p].terms[c] += weight * line[c];
                    shared += line[c] * unmet_.data()[c];
                    mine[c] = static_cast<float>(power * weight * line[c]);
                }
                asked.shared[i - first] = static_cast<float>(power * weight * shared);
                for (Index e = data_.held_start.data()[i]; e < data_.held_start.data()[i + 1]; ++e) {
                    float& held = mine[data_.held_class.data()[e]];
                    asked.of_pairs[e - first_pair] = held;
                    held = 0.0f;
                }
            }
        });
        double total = 0;
        for (const Sum& sum : sums) {
            total += sum.loss;
            for (Index c = 0; terms && c < data_.classes; ++c) terms[c] += sum.terms[c];
        }
        return total;
    }

    // Fills the line of a buffer: Σ_w weight_w·x_w·ln p(w | c).
    void score(Index i, const float* weights, Room& room) const {
        const Index begin = data_.start.data()[i], end = data_.start.data()[i + 1];
        if (static_cast<Index>(room.x.size()) < end - begin) room.x.resize(end - begin);
        float* x = room.x.data();
        double mass = 0;
        for (Index k = begin; k < end; ++k) {
            x[k - begin] = weights[data_.word[k]] * data_.count[k];
            mass += static_cast<double>(x[k - begin]);
        }
        float* sums = room.sums.data();
        if (lines_.empty()) {
            add_lines({many_.data(), data_.width, data_.word.data() + begin, x, end - begin}, sums);
        } else {
            add_mixed(begin, end, room);
        }
        double* line = room.line.data();
        for (Index c = 0; c < data_.classes; ++c) line[c] = static_cast<double>(sums[c]) + mass * unmet_[c];
        for (Index e = data_.held_start.data()[i]; e < data_.held_start.data()[i + 1]; ++e) {
            const float* own = held_value_.data() + data_.held_at.data()[e];
            float sum[4] = {};  // independent sums
            for (Index k = begin; k < end; ++k) sum[(k - begin) & 3] += x[k - begin] * own[k - begin];
            const Index c = data_.held_class.data()[e];
            line[c] = static_cast<double>((sum[0] + sum[1]) + (sum[2] + sum[3])) + mass * unmet_[c];
        }
    }

    // Fills the line of a buffer with scores and prior.
    void joint(Index i, const Query& query, Room& room) const {
        score(i, query.weights, room);
        double* line = room.line.data();
        for (Index c = 0; c < data_.classes; ++c) line[c] = query.prior[c] + query.power[i] * line[c];
        for (Index e = data_.held_start.data()[i]; e < data_.held_start.data()[i + 1]; ++e) {
            line[data_.held_class.data()[e]] += data_.held_prior.data()[e];
        }
    }

    // Adds the lines of words that have one, and the numbers of other words one by one.
    void add_mixed(Index begin, Index end, Room& room) const {
        room.cells.clear();
        room.worth.clear();
        for (Index k = begin; k < end; ++k) {
            const Line& at = lines_[data_.word[k]];
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
        add_lines({many_.data(), data_.width, room.cells.data(), room.worth.data(), whole}, sums);
        for (Index k = begin; k < end; ++k) {
            const Line& at = lines_[data_.word[k]];
            const float x = room.x[k - begin];
            for (Index v = at.at; v < at.at + at.count; ++v) sums[few_[v].klass] += x * few_[v].value;
        }
    }

    // task(number, word, room) for each word of a block, in batches.
    template <class Room, class Task>
    static void each_word(const EvidenceRows::ByWord& block, int threads, Task task) {
        constexpr Index part = 1024;
        const Index words = block.words.size();
        parallel_for((words + part - 1) / part, threads, [&](Index p) {
            Room room;
            for (Index j = p * part; j < std::min(words, (p + 1) * part); ++j) task(j, block.words[j], room);
        });
    }

    void add_gradient(Index number, const Asked& asked, double* out, int threads) const {
        const EvidenceRows::ByWord& block = data_.by_word()[number];
        const float* worth = worth_[number].data();
        struct Nothing {};
        each_word<Nothing>(block, threads, [&](Index j, Index w, Nothing&) {
            const Place *begin = block.places.data() + block.begin[j], *end = block.places.data() + block.begin[j + 1];
            const Line line = lines_.empty() ? Line{w, -1} : lines_[w];
            double total = 0;
            for (const Place* at = begin; at < end; ++at) {
                total += static_cast<double>(at->count) * static_cast<double>(asked.shared[at->row]);
            }
            if (line.count < 0) {
                total += dot_lines(many_.data() + line.at * data_.width, asked.of_classes.data(), data_.width, begin, end);
            } else {
                for (const Place* at = begin; at < end; ++at) {
                    const float* mine = asked.of_classes.data() + at->row * data_.width;
                    float sum = 0;
                    for (const Value* v = few_.data() + line.at; v < few_.data() + line.at + line.count; ++v) {
                        sum += mine[v->klass] * v->value;
                    }
                    total += static_cast<double>(at->count) * static_cast<double>(sum);
                }
            }
            for (Index k = block.held_begin[j]; k < block.held_begin[j + 1]; ++k) {
                total += static_cast<double>(worth[k]) * static_cast<double>(asked.of_pairs[block.held[k].row]);
            }
            out[w] += total;
        });
    }

    // Writes the values of a word.
    void read_line(Index w, float* values) const {
        const Line at = lines_.empty() ? Line{w, -1} : lines_[w];
        if (at.count < 0) {
            std::copy_n(many_.data() + at.at * data_.width, data_.classes, values);
        } else {
            for (Index v = at.at; v < at.at + at.count; ++v) values[few_[v].klass] = few_[v].value;
        }
    }

    // Adds, for each word of the rows, weight · (power·x)² · the variance of its values under the probabilities of classes.
    void add_hessian_diagonal(const EvidenceRows::ByWord& block, const Asked& asked, double* out, int threads) const {
        struct Words {
            std::vector<float> values;
            std::vector<Centre> centres;
        };
        each_word<Words>(block, threads, [&](Index j, Index w, Words& room) {
            room.values.assign(data_.width, 0.0f);
            read_line(w, room.values.data());
            for (Index c = 0; c < data_.classes; ++c) room.values[c] += static_cast<float>(unmet_[c] - unmet_[0]);
            const Place *begin = block.places.data() + block.begin[j], *end = block.places.data() + block.begin[j + 1];
            find_centres(block, j, asked, room.values.data(), room.centres);
            out[w] += variances(room.values.data(), asked.shares.data(), data_.width, asked.step.data(), begin, end,
                                room.centres.data());
        });
    }

    // Variances are taken about the value of the own class, near which most probability lies. Classes that score the row
    // without it have other values than the line.
    void find_centres(const EvidenceRows::ByWord& block, Index j, const Asked& asked, const float* values,
                      std::vector<Centre>& out) const {
        out.clear();
        const Index* held = block.held_entry.data() + block.held_begin[j];
        for (Index k = block.begin[j]; k < block.begin[j + 1]; ++k) {
            const Index row = block.places[k].row, i = block.first_row + row, own = data_.code.data()[i];
            const Index first = data_.held_start.data()[i], last = data_.held_start.data()[i + 1];
            Centre mine{values[own], 0.0f, 0.0f};
            for (Index e = first; e < last; ++e) {
                if (data_.held_class.data()[e] == own) mine.at = held_above(held[e - first], own);
            }
            for (Index e = first; e < last; ++e, ++held) {
                const Index c = data_.held_class.data()[e];
                const float share = asked.shares[row * data_.width + c];
                const float before = values[c] - mine.at, now = held_above(*held, c) - mine.at;
                mine.mean += share * (now - before);
                mine.square += share * (now * now - before * before);
            }
            out.push_back(mine);
        }
    }

    // The value of a held word for a class, on the scale of values above the first class's `unmet`.
    float held_above(Index entry, Index c) const { return held_value_[entry] + static_cast<float>(unmet_[c] - unmet_[0]); }

    const EvidenceRows& data_;
    bool alike_;  // whether all words have the same pseudo-count
    std::vector<double> unmet_;
    std::vector<float> held_value_;
    std::vector<Line> lines_;  // empty if all words have whole lines
    std::vector<Value> few_;
    std::vector<float> many_;
    std::once_flag weighed_;
    std::vector<std::vector<float>> worth_;  // values of held words, block by block
};

void bind_evidence(nb::module_& m) {
    nb::class_<EvidenceRows>(m, "EvidenceRows", "Rows to be predicted by classes that have not seen them, as counted.")
        .def(nb::init<Vector<Index>, Vector<std::int32_t>, Vector<double>, Vector<Index>, Vector<Index>,
                      Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<Index>, Vector<std::int32_t>,
                      Vector<Index>, Vector<double>, Vector<double>, Vector<double>, int>(),
             nb::arg("start").noconvert(), nb::arg("word").noconvert(), nb::arg("count").noconvert(),
             nb::arg("code").noconvert(), nb::arg("line").noconvert(), nb::arg("klass").noconvert(),
             nb::arg("met").noconvert(), nb::arg("total").noconvert(), nb::arg("held").noconvert(),
             nb::arg("held_class").noconvert(), nb::arg("held_at").noconvert(), nb::arg("held_amount").noconvert(),
             nb::arg("held_total").noconvert(), nb::arg("held_prior").noconvert(), nb::arg("threads"))
        .def_prop_ro("learned", &EvidenceRows::learned);
    nb::class_<Evidence>(m, "Evidence", "Rows to be predicted by classes that have not seen them, by one pseudo-count.")
        .def(nb::init<const EvidenceRows&, Vector<double>, double, int>(), nb::arg("rows"),
             nb::arg("alpha").noconvert(), nb::arg("sum_of_alpha"), nb::arg("threads"),
             nb::keep_alive<1, 2>())
        .def("scores", &Evidence::scores, nb::arg("weights").noconvert(), nb::arg("which").noconvert(),
             nb::arg("out").noconvert(), nb::arg("threads"))
        .def("loss", &Evidence::loss, nb::arg("weights").noconvert(), nb::arg("prior").noconvert(),
             nb::arg("of_rows").noconvert(), nb::arg("power").noconvert(), nb::arg("gradient").noconvert(), nb::arg("terms").noconvert(),
             nb::arg("hessian_diagonal").noconvert(), nb::arg("each").noconvert(), nb::arg("threads"));
}

}  // namespace suffice
