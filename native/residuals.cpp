// Residuals of values: how well rows are predicted by a score, a part of it, and a term for each value that a row has; and
// the gradient of the loss.
//
//     line_c = scale · score_c + offset_c + term_c + Σ_b delta[value_b, c]      loss = −Σ weight · ln softmax_code(line)
//
// Values are numbered block after block, and a row has at most one value of a block. Rows are scored in tiles; then one
// thread adds up the gradient of each block's values in the order of rows. All of this depends on the shape alone, so the
// number of threads does not change a bit.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "bind.hpp"
#include "exponents.hpp"

namespace suffice {
namespace {

using Value = std::int32_t;

constexpr Index together = 8, widest = 12, strip = 128;  // numbers of blocks, classes and rows handled at once

// The values of some rows in a few blocks.
struct Chosen {
    const Value* block[together];
    Index blocks, rows;
};

// A vector of adjacent numbers.
template <Index count>
class Numbers {
   public:
    SUFFICE_INLINE explicit Numbers(const double* at) {
        for (Index k = 0; k < fours; ++k) std::memcpy(&four_[k], at + 4 * k, sizeof(Four));
        if constexpr (pair) std::memcpy(&two_, at + 4 * fours, sizeof(Two));
        if constexpr (odd) one_ = at[count - 1];
    }
    SUFFICE_INLINE void add(const Numbers& other) {
        for (Index k = 0; k < fours; ++k) four_[k] += other.four_[k];
        if constexpr (pair) two_ += other.two_;
        if constexpr (odd) one_ += other.one_;
    }
    SUFFICE_INLINE void write(double* at) const {
        for (Index k = 0; k < fours; ++k) std::memcpy(at + 4 * k, &four_[k], sizeof(Four));
        if constexpr (pair) std::memcpy(at + 4 * fours, &two_, sizeof(Two));
        if constexpr (odd) at[count - 1] = one_;
    }

   private:
    static constexpr Index fours = count / 4;
    static constexpr bool pair = count % 4 >= 2, odd = count % 2 == 1;
    Four four_[fours + 1];
    Two two_;
    double one_;
};

// line[r] += Σ_b delta[value_b of row r], for some classes; lines are `step` numbers long.
template <Index classes>
SUFFICE_INLINE void gather(const Chosen& chosen, Index step, const double* delta, double* line) {
    for (Index r = 0; r < chosen.rows; ++r, line += step) {
        Numbers<classes> sum(line);
        for (Index b = 0; b < chosen.blocks; ++b) {
            const Index value = chosen.block[b][r];
            if (value >= 0) sum.add(Numbers<classes>(delta + value * step));
        }
        sum.write(line);
    }
}

// gradient[value_b of row r] += share[r], for some classes
template <Index classes>
SUFFICE_INLINE void scatter(const Chosen& chosen, Index step, const double* share, double* gradient) {
    for (Index r = 0; r < chosen.rows; ++r, share += step) {
        const Numbers<classes> mine(share);
        for (Index b = 0; b < chosen.blocks; ++b) {
            const Index value = chosen.block[b][r];
            if (value < 0) continue;
            Numbers<classes> sum(gradient + value * step);
            sum.add(mine);
            sum.write(gradient + value * step);
        }
    }
}

// Calls with a number of classes that is known at compile time.
template <class Call>
SUFFICE_INLINE void for_classes(Index classes, Call call) {
    static_assert(widest == 12);
    for (Index c = 0; c < classes; c += widest) {
        switch (std::min(widest, classes - c)) {
            case 1: call.template operator()<1>(c); break;
            case 2: call.template operator()<2>(c); break;
            case 3: call.template operator()<3>(c); break;
            case 4: call.template operator()<4>(c); break;
            case 5: call.template operator()<5>(c); break;
            case 6: call.template operator()<6>(c); break;
            case 7: call.template operator()<7>(c); break;
            case 8: call.template operator()<8>(c); break;
            case 9: call.template operator()<9>(c); break;
            case 10: call.template operator()<10>(c); break;
            case 11: call.template operator()<11>(c); break;
            default: call.template operator()<12>(c);
        }
    }
}

SUFFICE_FOR_EACH_PROCESSOR
void add_terms(const Chosen& chosen, Index classes, const double* delta, double* line) {
    for_classes(classes, [&]<Index some>(Index c) SUFFICE_INLINE_LAMBDA { gather<some>(chosen, classes, delta + c, line + c); });
}

SUFFICE_FOR_EACH_PROCESSOR
void add_slopes(const Chosen& chosen, Index classes, const double* share, double* gradient) {
    for_classes(classes, [&]<Index some>(Index c) SUFFICE_INLINE_LAMBDA {
        scatter<some>(chosen, classes, share + c, gradient + c);
    });
}

// Returns Σ delta², lane by lane; writes ridge · delta unless there is no output.
SUFFICE_FOR_EACH_PROCESSOR
double hold(const double* delta, Index count, double ridge, double* gradient) {
    double lane[8] = {}, squares = 0;
    Index k = 0;
    for (; k + 8 <= count; k += 8) {
        for (Index q = 0; q < 8; ++q) lane[q] += delta[k + q] * delta[k + q];
    }
    for (; k < count; ++k) squares += delta[k] * delta[k];
    for (const double one : lane) squares += one;
    if (gradient) {
        for (k = 0; k < count; ++k) gradient[k] = ridge * delta[k];
    }
    return squares;
}

// Lines of scores → probabilities; −ln p of the own class. At most one strip of rows.
SUFFICE_FOR_EACH_PROCESSOR
void softmax(const Index* code, Index rows, Index classes, double* line, double* loss) {
    double total[strip];
    for (Index r = 0; r < rows; ++r) {
        double* mine = line + r * classes;
        const double most = *std::max_element(mine, mine + classes);
        for (Index c = 0; c < classes; ++c) mine[c] -= most;
        loss[r] = mine[code[r]];
    }
    for (Index k = 0; k < rows * classes; ++k) line[k] = line[k] < least_power ? least_power : line[k];
    for (Index k = 0; k < rows * classes; ++k) line[k] = exp_below_zero(line[k]);
    for (Index r = 0; r < rows; ++r) {
        double* mine = line + r * classes;
        total[r] = 0;
        for (Index c = 0; c < classes; ++c) total[r] += mine[c];
        for (Index c = 0; c < classes; ++c) mine[c] /= total[r];
    }
    for (Index r = 0; r < rows; ++r) loss[r] = log_above_one(total[r]) - loss[r];
}

using Line = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ValueTable = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(bool good) {
    if (!good) throw std::invalid_argument("rows, values and terms of residuals do not fit together");
}

}  // namespace

class Residuals {
   public:
    Residuals(Shares scores, Shares offset, ValueTable values, Vector<Index> first, Vector<Index> code,
              Vector<double> weight)
        : scores_(scores), offset_(offset), values_(values), first_(first), code_(code), weight_(weight),
          rows_(scores.shape(0)), classes_(scores.shape(1)), blocks_(values.shape(0)) {
        check(classes_ > 0 && static_cast<Index>(offset.shape(0)) == rows_ &&
              static_cast<Index>(offset.shape(1)) == classes_ &&
              (blocks_ == 0 || static_cast<Index>(values.shape(1)) == rows_) &&
              static_cast<Index>(first.shape(0)) == blocks_ + 1 && static_cast<Index>(code.shape(0)) == rows_ &&
              static_cast<Index>(weight.shape(0)) == rows_ && first.data()[0] == 0);
        for (Index i = 0; i < rows_; ++i) check(code.data()[i] >= 0 && code.data()[i] < classes_);
        for (Index b = 0; b < blocks_; ++b) {
            const Index low = first.data()[b], high = first.data()[b + 1];
            check(low <= high);
            for (Index i = 0; i < rows_; ++i) {
                const Value value = values.data()[b * rows_ + i];
                check(value == -1 || (value >= low && value < high));
            }
        }
    }

    Index count() const { return first_.data()[blocks_]; }

    // Returns the loss plus ridge/2 · Σ delta². Writes the gradient in the scale, the terms and delta, in this order, to
    // `gradient`, and weight times −ln p of each row to `each`, unless these are empty.
    double loss(double scale, const Vector<double>& terms, const Shares& delta, double ridge, const Line& gradient,
                const Line& each, int threads) const {
        const Index values = count(), width = 2 + classes_;
        check(static_cast<Index>(terms.shape(0)) == classes_ && static_cast<Index>(delta.shape(0)) == values &&
              (values == 0 || static_cast<Index>(delta.shape(1)) == classes_) &&
              (gradient.shape(0) == 0 || static_cast<Index>(gradient.shape(0)) == 1 + classes_ + values * classes_) &&
              (each.shape(0) == 0 || static_cast<Index>(each.shape(0)) == rows_));
        const bool slopes = gradient.shape(0) > 0;
        nb::gil_scoped_release release;
        if (rows_ * blocks_ * classes_ < (Index{1} << 18)) threads = 1;
        const Index tiles = (rows_ + tile() - 1) / tile(), groups = (blocks_ + together - 1) / together;
        const std::unique_ptr<double[]> share(new double[std::max<Index>(1, rows_ * classes_)]);
        std::vector<double> sums(tiles * width, 0.0), held(std::max<Index>(1, groups), 0.0);
        parallel_for(tiles, threads, [&](Index t) {
            add_tile(t, scale, terms.data(), delta.data(), slopes, share.get(), each.shape(0) ? each.data() : nullptr,
                     sums.data() + t * width);
        });
        double* inner = slopes ? gradient.data() + 1 + classes_ : nullptr;
        parallel_for(groups, threads, [&](Index g) {
            held[g] = add_group(g * together, delta.data(), ridge, share.get(), inner);
        });
        std::vector<double> total(width, 0.0);
        for (Index t = 0; t < tiles; ++t) {
            for (Index k = 0; k < width; ++k) total[k] += sums[t * width + k];
        }
        if (slopes) std::copy_n(total.begin() + 1, 1 + classes_, gradient.data());
        double squares = 0;
        for (const double one : held) squares += one;
        return total[0] + ridge / 2 * squares;
    }

   private:
    Chosen chosen(Index block, Index row, Index rows) const {
        Chosen out{{}, std::min(together, blocks_ - block), rows};
        for (Index b = 0; b < out.blocks; ++b) out.block[b] = values_.data() + (block + b) * rows_ + row;
        return out;
    }

    // Rows scored at once: more rows read the terms less often, but their lines must stay in the cache.
    Index tile() const { return std::clamp<Index>(12288 / classes_ / strip, 1, 16) * strip; }

    // Scores a tile of rows; `share` becomes weight · (probabilities minus one for the own class), and `sums` the loss and
    // the gradient of scale and terms.
    void add_tile(Index t, double scale, const double* terms, const double* delta, bool slopes, double* share, double* each,
                  double* sums) const {
        const Index begin = t * tile(), end = std::min(begin + tile(), rows_);
        for (Index i = begin; i < end; ++i) {
            for (Index c = 0; c < classes_; ++c) {
                const Index at = i * classes_ + c;
                share[at] = (scale * scores_.data()[at] + offset_.data()[at]) + terms[c];
            }
        }
        for (Index b = 0; b < blocks_; b += together) {
            add_terms(chosen(b, begin, end - begin), classes_, delta, share + begin * classes_);
        }
        for (Index i = begin; i < end; i += strip) {
            double loss[strip];
            const Index rows = std::min(strip, end - i);
            softmax(code_.data() + i, rows, classes_, share + i * classes_, loss);
            for (Index r = 0; r < rows; ++r) loss[r] *= weight_.data()[i + r];
            for (Index r = 0; r < rows; ++r) sums[0] += loss[r];
            if (each) std::copy_n(loss, rows, each + i);
        }
        for (Index i = begin; slopes && i < end; ++i) {
            double *mine = share + i * classes_, sum = 0;
            const double *score = scores_.data() + i * classes_, weight = weight_.data()[i];
            for (Index c = 0; c < classes_; ++c) mine[c] *= weight;
            mine[code_.data()[i]] -= weight;
            for (Index c = 0; c < classes_; ++c) sum += mine[c] * score[c];
            for (Index c = 0; c < classes_; ++c) sums[2 + c] += mine[c];
            sums[1] += sum;
        }
    }

    // Writes the gradient of the values of a few blocks; returns the squares of their terms.
    double add_group(Index block, const double* delta, double ridge, const double* share, double* gradient) const {
        const Index last = std::min(block + together, blocks_);
        const Index begin = first_.data()[block] * classes_, end = first_.data()[last] * classes_;
        const double squares = hold(delta + begin, end - begin, ridge, gradient ? gradient + begin : nullptr);
        if (gradient) add_slopes(chosen(block, 0, rows_), classes_, share, gradient);
        return squares;
    }

    Shares scores_, offset_;
    ValueTable values_;
    Vector<Index> first_, code_;
    Vector<double> weight_;
    Index rows_, classes_, blocks_;
};

void bind_residuals(nb::module_& m) {
    nb::class_<Residuals>(m, "Residuals", "Rows that residuals of values are fitted on.")
        .def(nb::init<Shares, Shares, ValueTable, Vector<Index>, Vector<Index>, Vector<double>>(),
             nb::arg("scores").noconvert(), nb::arg("offset").noconvert(), nb::arg("values").noconvert(),
             nb::arg("first").noconvert(), nb::arg("code").noconvert(), nb::arg("weight").noconvert())
        .def("loss", &Residuals::loss, nb::arg("scale"), nb::arg("terms").noconvert(), nb::arg("delta").noconvert(),
             nb::arg("ridge"), nb::arg("gradient").noconvert(), nb::arg("each").noconvert(), nb::arg("threads"));
}

}  // namespace suffice
