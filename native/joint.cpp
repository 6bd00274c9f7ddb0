// Joint values of two or three columns: their counts by class, and how much more often they occur than each column alone
// suggests, row by row, each row scored by classes that have not seen it.
//
// Columns hold a code for each row, −1 if a value is missing; a row that lacks a column of a set has no term for it. The
// rows of a set are counted by the joint values that occur. Sets are independent of each other, so the number of threads
// does not change a bit.
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "compiler.hpp"
#include "joint_sets.hpp"
#include "logarithms.hpp"

namespace suffice {
namespace {

constexpr double rounding = 1e-12;

// Returns the remainder of a count, without rounding errors.
inline double rest(double count) { return count > rounding ? count : 0.0; }

// Rows to count. Rows of a group are left out together: `order` lists them group by group, and `start` says where each
// group begins; without these, each row is left out alone.
struct Learned {
    const Code* codes;  // columns × rows
    const Index* label;
    const double* given;
    Index rows, classes;
    std::span<const Index> order, start;

    bool alone() const { return start.empty(); }
};

// Counts in one class of a joint value, and of all its parts.
struct Parts {
    double count, total;
    std::array<double, 3> single, pair;

    Parts without(double weight) const {
        Parts out{rest(count - weight), rest(total - weight), single, pair};
        for (double& one : out.single) one = rest(one - weight);
        for (double& one : out.pair) one = rest(one - weight);
        return out;
    }
};

// E of a joint value: its count expected from the counts of its parts.
template <Index width>
SUFFICE_INLINE double expected_count(const std::array<double, 3>& single, const std::array<double, 3>& pair, double total) {
    if constexpr (width == 2) {
        return single[0] * single[1] / (total > 0 ? total : 1.0);
    } else {
        const double below = single[0] * single[1] * single[2];
        const double expected = pair[0] * pair[1] * pair[2] * total / (below > 0 ? below : 1.0);
        return std::min({expected, pair[0], pair[1], pair[2]});
    }
}

// E of a pair in many classes; totals must not be zero.
SUFFICE_FOR_EACH_PROCESSOR
void expected_pairs(const double* first, const double* second, const double* total, Index classes, double* __restrict out) {
    for (Index c = 0; c < classes; ++c) out[c] = first[c] * second[c] / total[c];
}

// ln (n + κ)/(E + κ)
template <Index width>
double log_lift(const Parts& parts, double kappa) {
    const double expected = expected_count<width>(parts.single, parts.pair, parts.total);
    return parts.count == expected ? 0.0 : std::log((parts.count + kappa) / (expected + kappa));
}

// ln (n + κ)/(E + κ) of many counts; zero where they are as expected.
SUFFICE_FOR_EACH_PROCESSOR
void log_lifts(const double* count, const double* expected, Index n, double kappa, double* out) {
    constexpr double least = 1e-200;  // below, a ratio may not be a normal number
    for (Index i = 0; i < n; ++i) out[i] = (count[i] + kappa) / (expected[i] + kappa);
    if (kappa > least) {
        for (Index i = 0; i < n; ++i) out[i] = log_positive(out[i]);
    } else {
        for (Index i = 0; i < n; ++i) out[i] = std::log(out[i]);
    }
    for (Index i = 0; i < n; ++i) out[i] = count[i] == expected[i] ? 0.0 : out[i];
}

// Counts by class of the joint values of one set that occur in some rows, and of their parts. `of` is the joint value of
// each row; −1 if the row lacks a column.
class Counted {
   public:
    // `table` has the counts of all rows, joint values × classes, if these rows are only some of them.
    void read(const Set& set, const Learned& learned, const double* table, const Code* others, Index other_rows) {
        set_ = set;
        classes_ = learned.classes;
        known_.assign(set.cells(), -1);
        values_.clear();
        find(learned.codes, learned.rows, of);
        find(others, other_rows, of_other);
        if (table) find_counted(table);
        clear_counts();
        if (table) {
            for (Index value = 0; value < values(); ++value) add_all(value, table + cell(value) * classes_);
        } else {
            for (Index i = 0; i < learned.rows; ++i) {
                if (of[i] >= 0) add(of[i], learned.label[i], learned.given[i]);
            }
        }
    }

    Index values() const { return static_cast<Index>(values_.size()); }

    Parts parts(Index value, Index c) const {
        const auto at = places(value);
        Parts out{count_[value * classes_ + c], total_[c], {}, {}};
        for (Index k = 0; k < set_.width; ++k) out.single[k] = single_[k][at[k] * classes_ + c];
        for (Index k = 0; set_.width == 3 && k < 3; ++k) out.pair[k] = pair_[k][at[3 + k] * classes_ + c];
        return out;
    }

    // Writes the count of a joint value in a class without a row of the given weight, and its expected count then.
    template <Index width>
    void without(Index value, Index c, double weight, double& count, double& expected) const {
        const auto [a, b, d] = values_[value];
        auto left = [&](const std::vector<double>& table, Index place) { return rest(table[place * classes_ + c] - weight); };
        const double total = left(total_, 0), first = left(single_[0], a), second = left(single_[1], b);
        count = left(count_, value);
        if constexpr (width == 2) {
            expected = first * second / (total > 0 ? total : 1.0);
        } else {
            const double one = left(pair_[0], a * set_.size[1] + b), two = left(pair_[1], a * set_.size[2] + d);
            const double three = left(pair_[2], b * set_.size[2] + d), below = first * second * left(single_[2], d);
            expected = std::min({one * two * three * total / (below > 0 ? below : 1.0), one, two, three});
        }
    }

    const std::vector<double>& counts() const { return count_; }

    // Writes the expected count of each joint value, values × classes.
    template <Index width>
    void expect(std::vector<double>& out) const {
        out.resize(values() * classes_);
        std::vector<double> total = total_;
        for (double& one : total) one = one > 0 ? one : 1.0;
        for (Index value = 0; value < values(); ++value) {
            double* line = out.data() + value * classes_;
            if constexpr (width == 2) {
                const auto at = places(value);
                expected_pairs(single_[0].data() + at[0] * classes_, single_[1].data() + at[1] * classes_, total.data(),
                               classes_, line);
            } else {
                for (Index c = 0; c < classes_; ++c) {
                    const Parts of = parts(value, c);
                    line[c] = expected_count<width>(of.single, of.pair, of.total);
                }
            }
        }
    }

    // Subtracts rows of a class from the counts of a joint value and of all its parts.
    void take(Index value, Index c, double weight) {
        add(value, c, -weight);
    }

    // Restores the counts of a joint value in a class, and of all its parts, from other counts.
    void restore(Index value, Index c, const Counted& whole) {
        const auto at = places(value);
        count_[value * classes_ + c] = whole.count_[value * classes_ + c];
        total_[c] = whole.total_[c];
        for (Index k = 0; k < set_.width; ++k) {
            single_[k][at[k] * classes_ + c] = whole.single_[k][at[k] * classes_ + c];
        }
        for (Index k = 0; set_.width == 3 && k < 3; ++k) {
            pair_[k][at[3 + k] * classes_ + c] = whole.pair_[k][at[3 + k] * classes_ + c];
        }
    }

    std::vector<Code> of, of_other;

   private:
    // Numbers the joint values in order of first occurrence.
    void find(const Code* codes, Index rows, std::vector<Code>& out) {
        out.resize(rows);
        std::array<const Code*, 3> column{};
        for (Index k = 0; k < set_.width; ++k) column[k] = codes + set_.column[k] * rows;
        for (Index i = 0; i < rows; ++i) {
            const Code a = column[0][i], b = column[1][i], d = set_.width == 3 ? column[2][i] : 0;
            if ((a | b | d) < 0) {
                out[i] = -1;
                continue;
            }
            Code& number = known_[(a * set_.size[1] + b) * set_.size[2] + d];
            if (number < 0) {
                number = static_cast<Code>(values_.size());
                values_.push_back({a, b, d});
            }
            out[i] = number;
        }
    }

    // Numbers the joint values that any class has, even if no row here has them: they are part of all sums.
    void find_counted(const double* table) {
        for (Index place = 0; place < set_.cells(); ++place) {
            const double* counts = table + place * classes_;
            if (known_[place] >= 0 || std::all_of(counts, counts + classes_, [](double n) { return n == 0; })) continue;
            known_[place] = static_cast<Code>(values_.size());
            const Index rest = place / set_.size[2];
            values_.push_back({static_cast<Code>(rest / set_.size[1]), static_cast<Code>(rest % set_.size[1]),
                               static_cast<Code>(place % set_.size[2])});
        }
    }

    Index cell(Index value) const {
        const auto [a, b, d] = values_[value];
        return (a * set_.size[1] + b) * set_.size[2] + d;
    }

    // Returns the places of a joint value in the tables of single columns and of pairs.
    std::array<Index, 6> places(Index value) const {
        const auto [a, b, d] = values_[value];
        return {a, b, d, a * set_.size[1] + b, a * set_.size[2] + d, b * set_.size[2] + d};
    }

    void clear_counts() {
        const auto& size = set_.size;
        count_.assign(values_.size() * classes_, 0.0);
        total_.assign(classes_, 0.0);
        for (Index k = 0; k < set_.width; ++k) single_[k].assign(size[k] * classes_, 0.0);
        if (set_.width == 3) {
            pair_[0].assign(size[0] * size[1] * classes_, 0.0);
            pair_[1].assign(size[0] * size[2] * classes_, 0.0);
            pair_[2].assign(size[1] * size[2] * classes_, 0.0);
        }
    }

    // Adds rows of a class to the counts of a joint value and of all its parts.
    void add(Index value, Index c, double weight) {
        const auto [a, b, d] = values_[value];
        count_[value * classes_ + c] += weight;
        total_[c] += weight;
        single_[0][a * classes_ + c] += weight;
        single_[1][b * classes_ + c] += weight;
        if (set_.width == 2) return;
        single_[2][d * classes_ + c] += weight;
        pair_[0][(a * set_.size[1] + b) * classes_ + c] += weight;
        pair_[1][(a * set_.size[2] + d) * classes_ + c] += weight;
        pair_[2][(b * set_.size[2] + d) * classes_ + c] += weight;
    }

    void add_all(Index value, const double* counts) {
        for (Index c = 0; c < classes_; ++c) {
            if (counts[c] != 0) add(value, c, counts[c]);
        }
    }

    Set set_{};
    Index classes_ = 0;
    std::vector<Code> known_;                   // the number of each possible joint value; −1 if it does not occur
    std::vector<std::array<Code, 3>> values_;   // the codes of each joint value that occurs
    std::vector<double> count_, total_;         // values × classes
    std::array<std::vector<double>, 3> single_, pair_;
};

// Slope and curvature of the log likelihood in the weight of a set, at weight zero.
struct Bends {
    double slope = 0, bend = 0;

    double gain(double power, double ridge) const {
        const double up = power * slope;
        return up > 0 ? up * up / (2 * (power * power * bend + ridge)) : 0.0;
    }
};

// A batch of rows of one set, each with its lifts by class.
struct LiftedRows {
    const double* lift;
    const Index* place;
    const double* own;  // lift of each row in its own class, without the row
    const Index* label;
    const double* weight;
    const double* share;  // classes × all rows
    Index rows, classes;
};

constexpr Index some_rows = 64;

// Adds the contributions of at most `some_rows` rows, vectorized.
SUFFICE_FOR_EACH_PROCESSOR
void add_bends(const LiftedRows& of, Index n, Bends& out) {
    double mean[some_rows] = {}, square[some_rows] = {};
    double own[some_rows], line[some_rows];
    Index place[some_rows], label[some_rows];
    std::copy_n(of.own, n, own);
    std::copy_n(of.place, n, place);
    std::copy_n(of.label, n, label);
    for (Index c = 0; c < of.classes; ++c) {
        const double *share = of.share + c * of.rows, *lift = of.lift + c;
        for (Index k = 0; k < n; ++k) line[k] = lift[place[k]];
        for (Index k = 0; k < n; ++k) line[k] = label[k] == c ? own[k] : line[k];
        for (Index k = 0; k < n; ++k) {
            const double weighed = share[k] * line[k];
            mean[k] += weighed;
            square[k] += weighed * line[k];
        }
    }
    for (Index k = 0; k < n; ++k) {
        out.slope += of.weight[k] * (of.own[k] - mean[k]);
        out.bend += of.weight[k] * (square[k] - mean[k] * mean[k]);
    }
}

// Computes the lifts of rows by one set. Buffers are reused from set to set.
class Lifts {
   public:
    explicit Lifts(const Learned& learned) : learned_(learned) {}

    double kappa = 1.0;

    // Calls seen(row, lifts of classes) for rows that have all columns, each left out, and then other(row, lifts).
    template <Index width, class Seen, class Other>
    void each(const Set& set, const double* table, const Code* others, Index other_rows, Seen seen, Other other) {
        const Index classes = learned_.classes;
        score<width>(set, table, others, other_rows);
        line_.resize(classes);
        if (learned_.alone()) {
            alone<width>(seen);
        } else {
            together<width>(seen);
        }
        for (Index i = 0; i < other_rows; ++i) {
            if (whole_.of_other[i] >= 0) other(i, lift_.data() + whole_.of_other[i] * classes);
        }
    }

    // Returns the gain of a set of columns, each row left out alone, on top of the probabilities, classes × rows.
    template <Index width>
    Bends bends(const Set& set, const double* weight, const double* share) {
        score<width>(set, nullptr, nullptr, 0);
        leave_out<width>();
        const Index zeros = whole_.values();  // lifts of rows that lack a column
        lift_.resize((zeros + 1) * learned_.classes, 0.0);
        Bends out;
        for (Index i = 0; i < learned_.rows; i += some_rows) {
            const Index n = std::min(some_rows, learned_.rows - i);
            std::array<Index, some_rows> place;
            for (Index k = 0; k < n; ++k) place[k] = (whole_.of[i + k] < 0 ? zeros : whole_.of[i + k]) * learned_.classes;
            add_bends({lift_.data(), place.data(), own_.data() + i, learned_.label + i, weight + i, share + i,
                       learned_.rows, learned_.classes}, n, out);
        }
        return out;
    }

   private:
    template <Index width>
    void score(const Set& set, const double* table, const Code* others, Index other_rows) {
        whole_.read(set, learned_, table, others, other_rows);
        const Index cells = whole_.values() * learned_.classes;
        lift_.resize(cells);
        whole_.expect<width>(expected_);
        log_lifts(whole_.counts().data(), expected_.data(), cells, kappa, lift_.data());
    }

    // Writes the lift of each row in its own class without the row; zero if the row lacks a column.
    template <Index width>
    void leave_out() {
        for (std::vector<double>* one : {&own_, &count_, &expected_}) one->assign(learned_.rows, 0.0);
        for (Index i = 0; i < learned_.rows; ++i) {
            if (whole_.of[i] < 0) continue;
            whole_.without<width>(whole_.of[i], learned_.label[i], learned_.given[i], count_[i], expected_[i]);
        }
        log_lifts(count_.data(), expected_.data(), learned_.rows, kappa, own_.data());
    }

    template <Index width, class Seen>
    void alone(Seen seen) {
        const Index classes = learned_.classes;
        leave_out<width>();
        for (Index i = 0; i < learned_.rows; ++i) {
            const Index value = whole_.of[i];
            if (value < 0) continue;
            std::copy_n(lift_.data() + value * classes, classes, line_.data());
            line_[learned_.label[i]] = own_[i];
            seen(i, line_.data());
        }
    }

    // Subtracts a group from all counts, scores its rows by the classes it belongs to, and adds it again.
    template <Index width, class Seen>
    void together(Seen seen) {
        const Index classes = learned_.classes;
        left_ = whole_;
        std::vector<bool> met(classes, false);
        std::vector<Index> lost;
        for (std::size_t g = 0; g + 1 < learned_.start.size(); ++g) {
            const auto group = learned_.order.subspan(learned_.start[g], learned_.start[g + 1] - learned_.start[g]);
            for (const Index i : group) {
                if (whole_.of[i] < 0) continue;
                const Index c = learned_.label[i];
                left_.take(whole_.of[i], c, learned_.given[i]);
                if (!met[c]) lost.push_back(c);
                met[c] = true;
            }
            for (const Index i : group) {
                const Index value = whole_.of[i];
                if (value < 0) continue;
                std::copy_n(lift_.data() + value * classes, classes, line_.data());
                for (const Index c : lost) line_[c] = log_lift<width>(left_.parts(value, c).without(0.0), kappa);
                seen(i, line_.data());
            }
            for (const Index i : group) {
                if (whole_.of[i] >= 0) left_.restore(whole_.of[i], learned_.label[i], whole_);
            }
            for (const Index c : lost) met[c] = false;
            lost.clear();
        }
    }

    const Learned& learned_;
    Counted whole_, left_;
    std::vector<double> lift_, expected_, count_;  // values × classes, for counts and expected counts with and without a row
    std::vector<double> own_, line_;               // of each row in its own class, without it; of a row in all classes
};

Learned read_learned(const CodeTable& codes, const Vector<Index>& sizes, Index classes, const Vector<Index>& label,
                     const Vector<double>& given, const Vector<Index>& order, const Vector<Index>& start) {
    const Index rows = codes.shape(1);
    check_sets(codes.shape(0) == sizes.shape(0) && static_cast<Index>(label.shape(0)) == rows &&
          static_cast<Index>(given.shape(0)) == rows && inside(codes, sizes));
    auto below = [](const Vector<Index>& numbers, Index end) {
        return std::all_of(numbers.data(), numbers.data() + numbers.shape(0), [&](Index x) { return x >= 0 && x < end; });
    };
    check_sets(below(label, classes) && below(order, rows) && below(start, order.shape(0) + 1));
    check_sets(std::is_sorted(start.data(), start.data() + start.shape(0)));
    return {codes.data(), label.data(), given.data(), rows, classes, {order.data(), order.shape(0)},
            {start.data(), start.shape(0)}};
}

// Calls task(number of the set, lifts buffer) for each set.
template <class Task>
void for_each_set(const std::vector<Set>& sets, const Learned& learned, int threads, Task task) {
    constexpr Index some = 16;
    const Index count = static_cast<Index>(sets.size());
    if (count * learned.rows < (Index{1} << 12)) threads = 1;
    parallel_for((count + some - 1) / some, threads, [&](Index part) {
        Lifts lifts(learned);
        for (Index s = part * some; s < std::min(count, (part + 1) * some); ++s) task(s, lifts);
    });
}

template <class Seen, class Other>
void each_row(Lifts& lifts, const Set& set, const double* table, const Code* others, Index other_rows, Seen seen,
              Other other) {
    if (set.width == 2) {
        lifts.each<2>(set, table, others, other_rows, seen, other);
    } else {
        lifts.each<3>(set, table, others, other_rows, seen, other);
    }
}

// Writes the gain of each set if it were added to the probabilities `share`, classes × rows.
double gain(Lifts& lifts, const Set& set, const Learned& learned, const double* weight, const double* share,
            double power, double ridge) {
    if (learned.alone()) {
        const Bends found = set.width == 2 ? lifts.bends<2>(set, weight, share) : lifts.bends<3>(set, weight, share);
        return found.gain(power, ridge);
    }
    Bends out;
    auto seen = [&](Index i, const double* lift) {
        double mean = 0, square = 0;
        for (Index c = 0; c < learned.classes; ++c) {
            const double p = share[c * learned.rows + i];
            mean += p * lift[c];
            square += p * lift[c] * lift[c];
        }
        out.slope += weight[i] * (lift[learned.label[i]] - mean);
        out.bend += weight[i] * (square - mean * mean);
    };
    each_row(lifts, set, nullptr, nullptr, 0, seen, [](Index, const double*) {});
    return out.gain(power, ridge);
}

// Writes lifts of all classes but the first, minus that of the first, classes × rows.
void write_lifts(Lifts& lifts, const Set& set, const Learned& learned, const double* table, const Code* others,
                 Index other_rows, double power, float* out, float* out_other) {
    const Index classes = learned.classes, rows = learned.rows;
    std::fill_n(out, (classes - 1) * rows, 0.0F);
    std::fill_n(out_other, (classes - 1) * other_rows, 0.0F);
    each_row(
        lifts, set, table, others, other_rows,
        [&](Index i, const double* lift) {
            for (Index c = 1; c < classes; ++c) out[(c - 1) * rows + i] = static_cast<float>(power * (lift[c] - lift[0]));
        },
        [&](Index i, const double* lift) {
            for (Index c = 1; c < classes; ++c) out_other[(c - 1) * other_rows + i] = static_cast<float>(power * (lift[c] - lift[0]));
        });
}

}  // namespace

void bind_joint(nb::module_& m) {
    using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    using LiftTable = nb::ndarray<float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
    m.def(
        "joint_gains",
        [](const Out& out, const CodeTable& codes, const Vector<Index>& sizes, const Vector<Index>& label,
           const Vector<double>& given, const Vector<Index>& order, const Vector<Index>& start, const SetTable& sets,
           const Vector<double>& weight, const Shares& share, double kappa, double ridge, double power, int threads) {
            const Learned learned = read_learned(codes, sizes, share.shape(0), label, given, order, start);
            const std::vector<Set> all = read_sets(sets, sizes);
            check_sets(out.shape(0) == all.size() && static_cast<Index>(weight.shape(0)) == learned.rows &&
                  static_cast<Index>(share.shape(1)) == learned.rows);
            nb::gil_scoped_release release;
            for_each_set(all, learned, threads, [&](Index s, Lifts& lifts) {
                lifts.kappa = kappa;
                out.data()[s] = gain(lifts, all[s], learned, weight.data(), share.data(), power, ridge);
            });
        },
        nb::arg("out").noconvert(), nb::arg("codes").noconvert(), nb::arg("sizes").noconvert(),
        nb::arg("label").noconvert(), nb::arg("given").noconvert(), nb::arg("order").noconvert(),
        nb::arg("start").noconvert(), nb::arg("sets").noconvert(), nb::arg("weight").noconvert(),
        nb::arg("share").noconvert(), nb::arg("kappa"), nb::arg("ridge"), nb::arg("power"), nb::arg("threads"));
    m.def(
        "joint_lifts",
        [](const LiftTable& out, const LiftTable& out_other, const CodeTable& codes, const CodeTable& others,
           const Vector<Index>& sizes, const Vector<Index>& label, const Vector<double>& given,
           const Vector<Index>& order, const Vector<Index>& start, const SetTable& sets, const Vector<double>& tables,
           const Vector<double>& kappa, double power, int threads) {
            const Index classes = out.shape(1) + 1, other_rows = others.shape(1);
            const Learned learned = read_learned(codes, sizes, classes, label, given, order, start);
            const std::vector<Set> all = read_sets(sets, sizes);
            check_sets(out.shape(0) == all.size() && out_other.shape(0) == all.size() && kappa.shape(0) == all.size() &&
                  static_cast<Index>(out.shape(2)) == learned.rows &&
                  out_other.shape(1) == out.shape(1) &&
                  static_cast<Index>(out_other.shape(2)) == other_rows && others.shape(0) == codes.shape(0) &&
                  inside(others, sizes));
            const std::vector<Index> offset = offsets(all, classes);
            const Index given_tables = tables.shape(0);
            check_sets(given_tables == 0 || given_tables == offset.back());
            nb::gil_scoped_release release;
            for_each_set(all, learned, threads, [&](Index s, Lifts& lifts) {
                lifts.kappa = kappa.data()[s];
                const double* table = given_tables ? tables.data() + offset[s] : nullptr;
                write_lifts(lifts, all[s], learned, table, others.data(), other_rows, power,
                            out.data() + s * (classes - 1) * learned.rows,
                            out_other.data() + s * (classes - 1) * other_rows);
            });
        },
        nb::arg("out").noconvert(), nb::arg("out_other").noconvert(), nb::arg("codes").noconvert(),
        nb::arg("others").noconvert(), nb::arg("sizes").noconvert(), nb::arg("label").noconvert(),
        nb::arg("given").noconvert(), nb::arg("order").noconvert(), nb::arg("start").noconvert(),
        nb::arg("sets").noconvert(), nb::arg("tables").noconvert(), nb::arg("kappa").noconvert(),
        nb::arg("power"), nb::arg("threads"));
}

}  // namespace suffice
