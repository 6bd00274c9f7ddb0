// Bins of numbers: the distinct values of columns, their counts by class, and, of all sets of cuts between adjacent places,
// the one that maximizes the evidence. There are many columns, and one thread works on each.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bind.hpp"
#include "compiler.hpp"
#include "logarithms.hpp"

namespace suffice {
namespace {

constexpr double least = std::numeric_limits<double>::min();

// ln Γ(x) for x ≥ 8, by Stirling's series.
SUFFICE_INLINE double log_gamma_above(double x) {
    const double s = 1.0 / (x * x);
    double tail = 1.0 / 156.0;
    tail = tail * s - 691.0 / 360360.0;
    tail = tail * s + 1.0 / 1188.0;
    tail = tail * s - 1.0 / 1680.0;
    tail = tail * s + 1.0 / 1260.0;
    tail = tail * s - 1.0 / 360.0;
    tail = tail * s + 1.0 / 12.0;
    return ((x - 0.5) * log_above_one(x) - x) + (0.91893853320467274178 + tail / x);
}

// ln x(x+1)…(x+7).
SUFFICE_INLINE double log_eight(double x) {
    return log_positive((x * (x + 1) * (x + 2) * (x + 3)) * ((x + 4) * (x + 5) * (x + 6) * (x + 7)));
}

// Σ_c ln a(a+1)…(a+n_c−1); for small whole n_c, factors are multiplied and many share one logarithm.
double log_risings(double a, const double* n, Index classes, Index stride) {
    constexpr double few = 48, large = 1e200, small = 1e-200;
    double sum = 0, product = 1, whole = 0;
    bool known = false;
    for (Index c = 0; c < classes; ++c) {
        const double mine = n[c * stride];
        if (mine == 0) continue;
        if (mine > few || mine != std::floor(mine) || !(a < 1e3)) {
            if (a >= 16) {
                sum += log_rising(a, mine);
                continue;
            }
            if (!known) whole = log_gamma(a);
            known = true;
            sum += log_gamma(a + mine) - whole;
            continue;
        }
        for (double r = 0; r < mine; ++r) {
            product *= a + r;
            if (product > large || product < small) {
                sum += std::log(product);
                product = 1;
            }
        }
    }
    return sum + std::log(product);
}

// Table of ln a(a+1)…(a+n−1) for a = strength·m/total, for whole numbers m up to the total and n up to the largest class.
class Risings {
   public:
    Risings(Index total, Index most, double strength) : total_(total), width_(most + 1) {
        sums_.resize((total + 1) * width_);
        logs_.resize(total + 1);
        for (Index m = 1; m <= total; ++m) {
            const double share = static_cast<double>(m) / static_cast<double>(total), a = strength * share;
            double product = 1, sum = 0;
            logs_[m] = std::log(share);
            for (Index n = 1; n < width_; ++n) {
                product *= a + static_cast<double>(n - 1);
                const double here = std::log(product);
                sums_[m * width_ + n] = sum + here;
                if (product > 1e250) {
                    sum += here;
                    product = 1;
                }
            }
        }
    }
    Index total() const { return total_; }
    const double* line(Index m) const { return sums_.data() + m * width_; }
    double log_share(Index m) const { return logs_[m]; }

   private:
    Index total_, width_;
    std::vector<double> sums_, logs_;
};

// Places of one column: counts are classes × places; `size` is the share of the prior of each place.
struct Places {
    const double *counts, *size;
    Index classes, stride, count;

    double total() const {
        double sum = 0;
        for (Index k = 0; k < count; ++k) sum += size[k];
        return sum;
    }
};

// Counts, classes × places, and prior of the pieces that end at one place, indexed by where they begin.
struct Pieces {
    std::vector<double> inside, size, mine, gain, whole;
    Index room;

    explicit Pieces(const Places& all) : room(all.count) {
        inside.resize(all.classes * room);
        size.resize(room);
        mine.resize(room);
        gain.resize(room);
        whole.resize(room);
    }
    // Adds the place before `end` to every piece.
    void end_at(const Places& all, Index end) {
        for (Index c = 0; c < all.classes; ++c) {
            double* line = inside.data() + c * room;
            const double more = all.counts[c * all.stride + end - 1];
            for (Index i = 0; i < end; ++i) line[i] += more;
        }
        for (Index i = 0; i < end; ++i) size[i] += all.size[end - 1];
    }
};

// Evidence of the pieces that end at one place, by log-gamma functions; all of them are independent.
SUFFICE_FOR_EACH_PROCESSOR
void gains_by_gammas(const Places& all, Index end, double strength, double total, Pieces& at) {
    double *mine = at.mine.data(), *gain = at.gain.data(), *whole = at.whole.data();
    for (Index i = 0; i < end; ++i) mine[i] = std::max(at.size[i] / total, least);
    for (Index i = 0; i < end; ++i) gain[i] = 0;
    for (Index c = 0; c < all.classes; ++c) {
        const double* n = at.inside.data() + c * at.room;
        for (Index i = 0; i < end; ++i) gain[i] -= n[i];
    }
    for (Index i = 0; i < end; ++i) gain[i] *= log_positive(mine[i]);
    for (Index i = 0; i < end; ++i) mine[i] = std::max(strength * mine[i], least);
    for (Index i = 0; i < end; ++i) whole[i] = log_gamma_above(mine[i] + 8) - log_eight(mine[i]);
    for (Index c = 0; c < all.classes; ++c) {
        const double* n = at.inside.data() + c * at.room;
        for (Index i = 0; i < end; ++i) {
            const double x = mine[i] + n[i];
            gain[i] += (log_gamma_above(x + 8) - log_eight(x)) - whole[i];
        }
    }
}

void gains_one_by_one(const Places& all, Index end, double strength, double total, Pieces& at) {
    for (Index i = 0; i < end; ++i) {
        const double share = std::max(at.size[i] / total, least);
        double rows = 0;
        for (Index c = 0; c < all.classes; ++c) rows += at.inside[c * at.room + i];
        at.gain[i] = log_risings(strength * share, at.inside.data() + i, all.classes, at.room) - rows * std::log(share);
    }
}

void gains_by_table(const Places& all, Index end, const Risings& known, Pieces& at) {
    for (Index i = 0; i < end; ++i) {
        const auto m = static_cast<Index>(at.size[i]);
        const double* line = known.line(m);
        double sum = 0, rows = 0;
        for (Index c = 0; c < all.classes; ++c) {
            const double n = at.inside[c * at.room + i];
            sum += line[static_cast<Index>(n)];
            rows += n;
        }
        at.gain[i] = sum - rows * known.log_share(m);
    }
}

// Marks where the pieces with the highest evidence begin, and returns the evidence. Every cut has a price.
double cut(const Places& all, double strength, const Risings* known, std::uint8_t* begins) {
    const Index places = all.count;
    if (places == 0) return 0;
    const double price = std::log(static_cast<double>(places)), total = all.total();
    const bool by_table = known && static_cast<double>(known->total()) == total;
    const bool by_gammas = strength <= 8;
    Pieces at(all);
    std::vector<double> best(places + 1, 0.0);
    std::vector<Index> back(places + 1, 0);
    for (Index end = 1; end <= places; ++end) {
        at.end_at(all, end);
        if (by_table) {
            gains_by_table(all, end, *known, at);
        } else if (by_gammas) {
            gains_by_gammas(all, end, strength, total, at);
        } else {
            gains_one_by_one(all, end, strength, total, at);
        }
        double highest = -std::numeric_limits<double>::infinity();
        for (Index begin = 0; begin < end; ++begin) {
            const double sum = best[begin] + (at.gain[begin] - price);
            if (sum > highest) {
                highest = sum;
                back[end] = begin;
            }
        }
        best[end] = highest;
    }
    for (Index end = places; end > 0; end = back[end]) begins[back[end]] = 1;
    return best[places];
}

// Returns how many rows a table of rising factorials needs; 0 if it does not pay, or counts are not whole.
Index table_size(const Shares& counts, const Vector<double>& size, const Vector<Index>& start, double* most) {
    const Index classes = counts.shape(0), places = counts.shape(1), columns = start.shape(0) - 1;
    if (columns == 0) return 0;
    double total = 0, work = 0;
    for (Index k = 0; k < places; ++k) {
        double rows = 0;
        for (Index c = 0; c < classes; ++c) rows += counts.data()[c * places + k];
        const double mine = size.data()[k];
        if (mine != rows || mine != std::floor(mine)) return 0;
        if (k < start.data()[1]) total += mine;
    }
    *most = 0;
    for (Index c = 0; c < classes; ++c) {
        double here = 0;
        for (Index k = 0; k < start.data()[1]; ++k) here += counts.data()[c * places + k];
        *most = std::max(*most, here);
    }
    for (Index j = 0; j < columns; ++j) {
        const auto wide = static_cast<double>(start.data()[j + 1] - start.data()[j]);
        work += wide * wide * static_cast<double>(classes);
    }
    const double cells = (total + 1) * (*most + 1);
    return cells <= std::min(work, 0x1p+21) ? static_cast<Index>(total) : 0;
}

using Flags = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The piece of places i to j has the evidence Σ_c ln DirichletMultinomial, up to a constant that all sets of cuts share,
// minus the price of a cut; `size` is the share of the prior of each place. Columns lie side by side, beginning at `start`.
void best_cuts(Shares counts, Vector<double> size, Vector<Index> start, double strength, Flags begins, Numbers evidence,
               int threads) {
    const Index classes = counts.shape(0), places = counts.shape(1), columns = start.shape(0) - 1;
    if (static_cast<Index>(size.shape(0)) != places || static_cast<Index>(begins.shape(0)) != places || columns < 0 ||
        static_cast<Index>(evidence.shape(0)) != columns || !(strength > 0) || start.data()[0] != 0 ||
        start.data()[columns] != places || !std::is_sorted(start.data(), start.data() + columns + 1)) {
        throw std::invalid_argument("counts, sizes and cuts do not fit together");
    }
    nb::gil_scoped_release release;
    double most = 0;
    const Index total = table_size(counts, size, start, &most);
    const Risings known(total, total ? static_cast<Index>(most) : 0, strength);
    parallel_for(columns, threads, [&](Index j) {
        const Index first = start.data()[j];
        const Places all{counts.data() + first, size.data() + first, classes, places, start.data()[j + 1] - first};
        double wide = 0;
        for (Index c = 0; total && c < classes; ++c) {
            double here = 0;
            for (Index k = 0; k < all.count; ++k) here += all.counts[c * places + k];
            wide = std::max(wide, here);
        }
        evidence.data()[j] = cut(all, strength, total && wide <= most ? &known : nullptr, begins.data() + first);
    });
}

// A number on the grid has 24 bits, rearranged so that they sort like the numbers.
constexpr int cut_bits = 40;

SUFFICE_INLINE std::uint64_t key_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return (bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63) >> cut_bits;
}

SUFFICE_INLINE double value_of(std::uint64_t key) {
    const std::uint64_t bits = key << cut_bits;
    constexpr std::uint64_t cut = (std::uint64_t{1} << cut_bits) - 1;
    return std::bit_cast<double>(bits >> 63 ? bits & ~(std::uint64_t{1} << 63) : ~(bits | cut));
}

// Sorts 24-bit keys, the upper half of 64-bit numbers; if there are many, by counting.
void sort_keys(std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& room) {
    constexpr int digit = 12, buckets = 1 << digit;
    if (keys.size() < 512) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    for (int shift = 32; shift < 32 + 2 * digit; shift += digit) {
        std::vector<std::uint32_t> next(buckets + 1, 0);
        for (const std::uint64_t key : keys) ++next[(key >> shift & (buckets - 1)) + 1];
        for (int b = 0; b < buckets; ++b) next[b + 1] += next[b];
        for (const std::uint64_t key : keys) room[next[key >> shift & (buckets - 1)]++] = key;
        keys.swap(room);
    }
}

using Grid = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Wide = nb::ndarray<Index, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Writes the sorted distinct values of each column, which are on the grid; and for each class and value that occurs, in
// this order, the class, the number of the value, and the number of rows. `found` gets the number of values and of counts.
void value_counts(Grid columns, Vector<Index> code, Index classes, Scores values, Wide line, Wide place, Scores count,
                  Wide found, int threads) {
    const Index many = columns.shape(0), rows = columns.shape(1);
    const auto fits = [&](const auto& out) {
        return static_cast<Index>(out.shape(0)) == many && static_cast<Index>(out.shape(1)) == rows;
    };
    if (!fits(values) || !fits(line) || !fits(place) || !fits(count) || static_cast<Index>(found.shape(0)) != many ||
        found.shape(1) != 2 || static_cast<Index>(code.shape(0)) != rows ||
        classes > std::numeric_limits<std::int32_t>::max() || rows > std::numeric_limits<std::int32_t>::max() ||
        std::any_of(code.data(), code.data() + rows, [&](Index c) { return c < 0 || c >= classes; })) {
        throw std::invalid_argument("columns, codes and counts do not fit together");
    }
    nb::gil_scoped_release release;
    std::vector<Index> first(classes + 1, 0);
    for (Index r = 0; r < rows; ++r) ++first[code.data()[r] + 1];
    for (Index c = 0; c < classes; ++c) first[c + 1] += first[c];
    parallel_for(many, threads, [&](Index j) {
        const Index at = j * rows;
        std::vector<std::uint64_t> sorted(rows), room(rows);
        for (Index r = 0; r < rows; ++r) {
            sorted[r] = key_of(columns.data()[at + r]) << 32 | static_cast<std::uint64_t>(code.data()[r]);
        }
        sort_keys(sorted, room);
        std::vector<Index> next(first.begin(), first.end() - 1), mine(rows);
        Index distinct = 0, cells = 0;
        for (Index r = 0; r < rows; ++r) {
            if (r == 0 || sorted[r] >> 32 != sorted[r - 1] >> 32) values.data()[at + distinct++] = value_of(sorted[r] >> 32);
            mine[next[sorted[r] & 0xFFFFFFFF]++] = distinct - 1;
        }
        for (Index c = 0; c < classes; ++c) {
            for (Index r = first[c]; r < first[c + 1]; ++r) {
                if (r == first[c] || mine[r] != mine[r - 1]) {
                    line.data()[at + cells] = c;
                    place.data()[at + cells] = mine[r];
                    count.data()[at + cells++] = 0;
                }
                count.data()[at + cells - 1] += 1;
            }
        }
        found.data()[2 * j] = distinct;
        found.data()[2 * j + 1] = cells;
    });
}

}  // namespace

void bind_bins(nb::module_& m) {
    m.def("best_cuts", &best_cuts, nb::arg("counts").noconvert(), nb::arg("size").noconvert(), nb::arg("start").noconvert(),
          nb::arg("strength"), nb::arg("begins").noconvert(), nb::arg("evidence").noconvert(), nb::arg("threads"),
          "Mark where the bins of highest evidence begin, of each column; write their evidence.");
    m.def("value_counts", &value_counts, nb::arg("columns").noconvert(), nb::arg("code").noconvert(), nb::arg("classes"),
          nb::arg("values").noconvert(), nb::arg("line").noconvert(), nb::arg("place").noconvert(),
          nb::arg("count").noconvert(), nb::arg("found").noconvert(), nb::arg("threads"),
          "Count the rows of each class that have each value, column by column.");
}

}  // namespace suffice
