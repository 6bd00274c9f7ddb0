// Weights of columns: how well a weighted sum of the columns' votes predicts rows, and derivatives of the loss.
//
// Rows are the last axis. A block of rows stays in the cache while it is scored, turned into probabilities, and multiplied
// back. Blocks depend on the shape alone and are added in order, so the number of threads does not change a bit.
#include <cmath>
#include <cstring>
#include <vector>

#include "bind.hpp"
#include "compiler.hpp"
#include "exponents.hpp"

namespace suffice {
namespace {

constexpr Index lanes = 16;

// Inputs of the loss, and outputs; nullptr for outputs that are not wanted. Votes are relative to those of the first class,
// which are zero; this does not change probabilities.
struct Asked {
    const double* votes;  // features × (classes − 1) × rows; nullptr if they are in single precision
    const float* narrow_votes;
    const double* prior;  // classes × rows
    const Index* code;
    const double *weight, *features, *terms;
    Index count, classes, rows;
    bool slopes, bends;
    double *each, *share;

    // Rows of a block: so many that their votes stay in the cache.
    Index block() const {
        const Index fit = (Index{1} << 15) / std::max<Index>(count * (classes - 1), 1) / lanes * lanes;
        return std::clamp<Index>(fit, 2 * lanes, 512);
    }
    // Sums of a block: the loss, the gradient of features and of classes, the diagonal of the Hessian of features.
    Index sums() const { return 1 + count + classes + (bends ? count : 0); }
};

// Votes of features for a block of rows: in place, or widened to double in a buffer.
class Votes {
   public:
    SUFFICE_INLINE Votes(const Asked& all, Index first, Index n, Index room, double* wide)
        : others_(all.classes - 1), stride_(all.votes ? all.rows : room), at_(all.votes ? all.votes + first : wide) {
        if (all.votes) return;
        for (Index k = 0; k < all.count * others_; ++k) {
            const float* from = all.narrow_votes + k * all.rows + first;
            for (Index r = 0; r < n; ++r) wide[k * room + r] = from[r];
        }
    }
    SUFFICE_INLINE const double* line(Index j, Index c) const { return at_ + (j * others_ + c - 1) * stride_; }

   private:
    Index others_, stride_;
    const double* at_;
};

// Σ a·b, each lane on its own; lanes are added at the end.
struct Dot {
    Eight low{}, high{};

    SUFFICE_INLINE void add(const double* a, const double* b, Index n) {
        Index r = 0;
        for (; r + lanes <= n; r += lanes) {
            Eight x, y;
            std::memcpy(&x, a + r, sizeof x);
            std::memcpy(&y, b + r, sizeof y);
            low += x * y;
            std::memcpy(&x, a + r + 8, sizeof x);
            std::memcpy(&y, b + r + 8, sizeof y);
            high += x * y;
        }
        if (r == n) return;
        double x[lanes] = {}, y[lanes] = {};
        std::memcpy(x, a + r, (n - r) * sizeof(double));
        std::memcpy(y, b + r, (n - r) * sizeof(double));
        add(x, y, lanes);
    }
    SUFFICE_INLINE double sum() const {
        const Eight both = low + high;
        return ((both[0] + both[1]) + (both[2] + both[3])) + ((both[4] + both[5]) + (both[6] + both[7]));
    }
};

// out += Σ_j weight_j·line_j over the features; those of weight zero are skipped.
SUFFICE_INLINE void add_votes(const Asked& all, const Votes& votes, Index c, Index n, double* out) {
    const double* some[4];
    double weight[4];
    Index held = 0;
    for (Index j = 0; j < all.count; ++j) {
        if (all.features[j] == 0) continue;
        some[held] = votes.line(j, c);
        weight[held] = all.features[j];
        if (++held < 4) continue;
        const double *v0 = some[0], *v1 = some[1], *v2 = some[2], *v3 = some[3];
        for (Index r = 0; r < n; ++r) {
            out[r] = (((out[r] + weight[0] * v0[r]) + weight[1] * v1[r]) + weight[2] * v2[r]) + weight[3] * v3[r];
        }
        held = 0;
    }
    for (Index q = 0; q < held; ++q) {
        for (Index r = 0; r < n; ++r) out[r] += weight[q] * some[q][r];
    }
}

// Scores → probabilities, classes × room, and ln p of the row's own class.
SUFFICE_INLINE void softmax(const Asked& all, Index first, Index n, Index room, double* score, double* total,
                            double* own) {
    double* most = total;
    std::memcpy(most, score, n * sizeof(double));
    for (Index c = 1; c < all.classes; ++c) {
        const double* line = score + c * room;
        for (Index r = 0; r < n; ++r) most[r] = line[r] > most[r] ? line[r] : most[r];
    }
    for (Index r = 0; r < n; ++r) own[r] = score[all.code[first + r] * room + r] - most[r];
    for (Index c = 0; c < all.classes; ++c) {
        double* line = score + c * room;
        for (Index r = 0; r < n; ++r) line[r] -= most[r];
        for (Index r = 0; r < n; ++r) line[r] = line[r] < least_power ? least_power : line[r];
        for (Index r = 0; r < n; ++r) line[r] = exp_below_zero(line[r]);
    }
    std::memset(total, 0, n * sizeof(double));
    for (Index c = 0; c < all.classes; ++c) {
        const double* line = score + c * room;
        for (Index r = 0; r < n; ++r) total[r] += line[r];
    }
    for (Index c = 0; c < all.classes; ++c) {
        double* line = score + c * room;
        for (Index r = 0; r < n; ++r) line[r] /= total[r];
    }
    for (Index r = 0; r < n; ++r) own[r] -= log_above_one(total[r]);
}

// Σ_r weight·(Σ_c share·vote² − (Σ_c share·vote)²) of one feature
SUFFICE_INLINE double variance(const Asked& all, const Votes& votes, Index j, Index first, Index n, Index room,
                               const double* share, double* mean, double* away) {
    const double* weight = all.weight + first;
    std::memset(mean, 0, n * sizeof(double));
    for (Index c = 1; c < all.classes; ++c) {
        const double* vote = votes.line(j, c);
        for (Index r = 0; r < n; ++r) mean[r] += vote[r] * share[c * room + r];
    }
    Dot dot;
    for (Index r = 0; r < n; ++r) away[r] = mean[r] * mean[r] * weight[r];
    dot.add(away, share, n);
    for (Index c = 1; c < all.classes; ++c) {
        const double* vote = votes.line(j, c);
        for (Index r = 0; r < n; ++r) {
            const double off = vote[r] - mean[r];
            away[r] = off * off * weight[r];
        }
        dot.add(away, share + c * room, n);
    }
    return dot.sum();
}

// Adds the sums of one block of rows.
SUFFICE_FOR_EACH_PROCESSOR
void add_block(const Asked& all, Index first, Index n, Index room, double* work, double* sums) {
    double *score = work, *total = work + all.classes * room, *own = total + room;
    const Votes votes(all, first, n, room, own + room);
    for (Index c = 0; c < all.classes; ++c) {
        double* line = score + c * room;
        const double *prior = all.prior + c * all.rows + first, term = all.terms[c];
        for (Index r = 0; r < n; ++r) line[r] = prior[r] + term;
        if (c > 0) add_votes(all, votes, c, n, line);
    }
    softmax(all, first, n, room, score, total, own);
    const double* weight = all.weight + first;
    double loss = 0;
    for (Index r = 0; r < n; ++r) loss -= weight[r] * own[r];
    sums[0] = loss;
    for (Index r = 0; all.each && r < n; ++r) all.each[first + r] = -weight[r] * own[r];
    for (Index c = 0; all.share && c < all.classes; ++c) {
        std::memcpy(all.share + c * all.rows + first, score + c * room, n * sizeof(double));
    }
    for (Index j = 0; all.bends && j < all.count; ++j) {
        sums[1 + all.count + all.classes + j] = variance(all, votes, j, first, n, room, score, total, own);
    }
    if (!all.slopes) return;
    for (Index c = 0; c < all.classes; ++c) {
        for (Index r = 0; r < n; ++r) score[c * room + r] *= weight[r];
    }
    for (Index r = 0; r < n; ++r) score[all.code[first + r] * room + r] -= weight[r];
    for (Index j = 0; j < all.count; ++j) {
        Dot dot;
        for (Index c = 1; c < all.classes; ++c) {
            dot.add(votes.line(j, c), score + c * room, n);
        }
        sums[1 + j] = dot.sum();
    }
    std::fill(own, own + n, 1.0);
    for (Index c = 0; c < all.classes; ++c) {
        Dot dot;
        dot.add(score + c * room, own, n);
        sums[1 + all.count + c] = dot.sum();
    }
}

// Returns the sums over all rows.
std::vector<double> add_up(const Asked& all, int threads) {
    const Index room = all.block(), blocks = (all.rows + room - 1) / room, width = all.sums();
    std::vector<double> parts(blocks * width, 0.0), out(width, 0.0);
    if (all.rows * (all.count + 4) * all.classes < (Index{1} << 19)) threads = 1;
    parallel_for(blocks, threads, [&](Index b) {
        const Index wide = all.votes ? 0 : all.count * (all.classes - 1);
        std::vector<double> work((all.classes + 2 + wide) * room);
        add_block(all, b * room, std::min(room, all.rows - b * room), room, work.data(), parts.data() + b * width);
    });
    for (Index b = 0; b < blocks; ++b) {
        for (Index k = 0; k < width; ++k) out[k] += parts[b * width + k];
    }
    return out;
}

template <class Vote>
using Cube = nb::ndarray<const Vote, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Line = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Vote>
void bind_column_loss(nb::module_& m) {
    m.def(
        "column_loss",
        [](const Cube<Vote>& votes, const Shares& prior, const Vector<Index>& code, const Vector<double>& weight,
           const Vector<double>& features, const Vector<double>& terms, const Line& gradient, const Line& gradient_of_terms,
           const Line& bend, const Line& each, const Scores& share, int threads) {
            const Index count = votes.shape(0), classes = prior.shape(0), rows = votes.shape(2);
            auto fits = [](const auto& array, Index length) {
                return array.shape(0) == 0 || static_cast<Index>(array.shape(0)) == length;
            };
            if (classes < 1 || static_cast<Index>(votes.shape(1)) != classes - 1 ||
                static_cast<Index>(prior.shape(1)) != rows ||
                static_cast<Index>(code.shape(0)) != rows || static_cast<Index>(weight.shape(0)) != rows ||
                static_cast<Index>(features.shape(0)) != count || static_cast<Index>(terms.shape(0)) != classes ||
                !fits(gradient, count) || !fits(gradient_of_terms, classes) || !fits(bend, count) || !fits(each, rows) ||
                !fits(share, classes) || (share.shape(0) && static_cast<Index>(share.shape(1)) != rows)) {
                throw std::invalid_argument("votes, rows and weights differ in shape");
            }
            for (Index i = 0; i < rows; ++i) {
                if (code.data()[i] < 0 || code.data()[i] >= classes) throw std::out_of_range("a label is out of range");
            }
            const bool slopes = gradient_of_terms.shape(0) > 0, bends = bend.shape(0) > 0;
            Asked all{nullptr,         nullptr,      prior.data(), code.data(), weight.data(),
                      features.data(), terms.data(), count,        classes,     rows,
                      slopes,          bends,        each.shape(0) ? each.data() : nullptr,
                      share.shape(0) ? share.data() : nullptr};
            if constexpr (std::is_same_v<Vote, float>) {
                all.narrow_votes = votes.data();
            } else {
                all.votes = votes.data();
            }
            nb::gil_scoped_release release;
            const std::vector<double> sums = add_up(all, threads);
            if (slopes) {
                std::copy_n(sums.begin() + 1, gradient.shape(0), gradient.data());
                std::copy_n(sums.begin() + 1 + count, classes, gradient_of_terms.data());
            }
            if (bends) std::copy_n(sums.begin() + 1 + count + classes, count, bend.data());
            return sums[0];
        },
        nb::arg("votes").noconvert(), nb::arg("prior").noconvert(), nb::arg("code").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("features").noconvert(), nb::arg("terms").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("gradient_of_terms").noconvert(), nb::arg("bend").noconvert(),
        nb::arg("each").noconvert(), nb::arg("share").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_columns(nb::module_& m) {
    bind_column_loss<double>(m);
    bind_column_loss<float>(m);
}

}  // namespace suffice
