// Weights of many columns: how well a weighted sum of the columns' votes predicts rows, and derivatives of the loss.
// columns.cpp computes the same; here the columns of a row are adjacent, one row after the other.
//
// Blocks of rows depend on the shape alone and are added in order, so the number of threads does not change a bit.
#include <cmath>
#include <vector>

#include "bind.hpp"
#include "compiler.hpp"
#include "exponents.hpp"

namespace suffice {
namespace {

constexpr Index lanes = 16, numbers_of_block = Index{1} << 17;

struct Question {
    const double* prior;  // classes × rows
    const Index* which;   // places of the votes of each row; nullptr if they are in the order of the rows
    const Index* code;
    const double *weight, *features, *terms;
    Index count, classes, rows;
    bool slopes, bends;
    double *each, *share;

    Index room() const { return std::clamp<Index>(numbers_of_block / std::max<Index>(count * classes, 1), 8, 256); }
    // Sums of a block: the loss, the gradient of features and of classes, the diagonal of the Hessian of features.
    Index sums() const { return 1 + count + classes + (bends ? count : 0); }
};

// Σ a·b, each lane on its own; lanes are added at the end.
template <class Vote>
SUFFICE_INLINE double dot(const double* a, const Vote* b, Index n) {
    double sum[lanes] = {};
    Index j = 0;
    for (; j + lanes <= n; j += lanes) {
        for (Index l = 0; l < lanes; ++l) sum[l] += a[j + l] * static_cast<double>(b[j + l]);
    }
    for (Index l = 0; j + l < n; ++l) sum[l] += a[j + l] * static_cast<double>(b[j + l]);
    for (Index half = lanes / 2; half > 0; half /= 2) {
        for (Index l = 0; l < half; ++l) sum[l] += sum[l + half];
    }
    return sum[0];
}

// Scores → probabilities; returns ln p of the own class.
SUFFICE_INLINE double softmax(double* score, Index classes, Index code) {
    double most = score[0], total = 0;
    for (Index c = 1; c < classes; ++c) most = std::max(most, score[c]);
    const double own = score[code] - most;
    for (Index c = 0; c < classes; ++c) score[c] = exp_below_zero(std::max(score[c] - most, least_power));
    for (Index c = 0; c < classes; ++c) total += score[c];
    for (Index c = 0; c < classes; ++c) score[c] /= total;
    return own - log_above_one(total);
}

// out += Σ_c by_c·line_c, four classes at a time.
template <class Vote>
SUFFICE_INLINE void add_lines(const double* by, const Vote* line, Index lines, Index n, double* __restrict out) {
    Index c = 0;
    for (; c + 4 <= lines; c += 4) {
        const Vote *a = line + c * n, *b = a + n, *d = b + n, *e = d + n;
        const double p = by[c], q = by[c + 1], r = by[c + 2], s = by[c + 3];
        for (Index j = 0; j < n; ++j) {
            out[j] += (p * static_cast<double>(a[j]) + q * static_cast<double>(b[j])) +
                      (r * static_cast<double>(d[j]) + s * static_cast<double>(e[j]));
        }
    }
    for (; c < lines; ++c) {
        const Vote* a = line + c * n;
        const double p = by[c];
        for (Index j = 0; j < n; ++j) out[j] += p * static_cast<double>(a[j]);
    }
}

// Adds Σ_c share·(vote − mean)² of each feature, times the weight of the row; the vote of the first class is zero.
template <class Vote>
SUFFICE_INLINE void add_variances(const double* share, const Vote* line, Index lines, Index n, double weight,
                                  double* __restrict mean, double* __restrict out) {
    std::fill(mean, mean + n, 0.0);
    add_lines(share + 1, line, lines, n, mean);
    for (Index j = 0; j < n; ++j) out[j] += weight * share[0] * mean[j] * mean[j];
    for (Index c = 0; c < lines; ++c) {
        const Vote* a = line + c * n;
        const double p = weight * share[c + 1];
        for (Index j = 0; j < n; ++j) {
            const double off = static_cast<double>(a[j]) - mean[j];
            out[j] += p * off * off;
        }
    }
}

template <class Vote>
SUFFICE_INLINE void add_rows(const Question& all, const Vote* votes, Index first, Index n, double* work, double* sums) {
    const Index others = all.classes - 1, count = all.count;
    double *score = work, *mean = work + all.classes;
    double *gradient = sums + 1, *terms = gradient + count, *bend = terms + all.classes;
    for (Index r = first; r < first + n; ++r) {
        const Vote* line = votes + (all.which ? all.which[r] : r) * others * count;
        for (Index c = 0; c < all.classes; ++c) score[c] = all.prior[c * all.rows + r] + all.terms[c];
        for (Index c = 0; c < others; ++c) score[c + 1] += dot(all.features, line + c * count, count);
        const double weight = all.weight[r], own = softmax(score, all.classes, all.code[r]);
        sums[0] -= weight * own;
        if (all.each) all.each[r] = -weight * own;
        for (Index c = 0; all.share && c < all.classes; ++c) all.share[c * all.rows + r] = score[c];
        if (all.bends) add_variances(score, line, others, count, weight, mean, bend);
        if (!all.slopes) continue;
        for (Index c = 0; c < all.classes; ++c) score[c] = (score[c] - (c == all.code[r] ? 1.0 : 0.0)) * weight;
        for (Index c = 0; c < all.classes; ++c) terms[c] += score[c];
        add_lines(score + 1, line, others, count, gradient);
    }
}

SUFFICE_FOR_EACH_PROCESSOR
void add_block(const Question& all, const double* votes, Index first, Index n, double* work, double* sums) {
    add_rows(all, votes, first, n, work, sums);
}

SUFFICE_FOR_EACH_PROCESSOR
void add_narrow_block(const Question& all, const float* votes, Index first, Index n, double* work, double* sums) {
    add_rows(all, votes, first, n, work, sums);
}

// Returns the sums over all rows.
template <class Vote>
std::vector<double> add_up(const Question& all, const Vote* votes, int threads) {
    const Index room = all.room(), blocks = (all.rows + room - 1) / room, width = all.sums();
    std::vector<double> parts(blocks * width, 0.0), out(width, 0.0);
    parallel_for(blocks, threads, [&](Index b) {
        std::vector<double> work(all.classes + all.count);
        const Index first = b * room, n = std::min(room, all.rows - first);
        if constexpr (std::is_same_v<Vote, float>) {
            add_narrow_block(all, votes, first, n, work.data(), parts.data() + b * width);
        } else {
            add_block(all, votes, first, n, work.data(), parts.data() + b * width);
        }
    });
    for (Index b = 0; b < blocks; ++b) {
        for (Index k = 0; k < width; ++k) out[k] += parts[b * width + k];
    }
    return out;
}

template <class Vote>
using Rows = nb::ndarray<const Vote, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Line = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Vote>
void bind_row_loss(nb::module_& m) {
    m.def(
        "row_loss",
        [](const Rows<Vote>& votes, const Vector<Index>& which, const Shares& prior, const Vector<Index>& code,
           const Vector<double>& weight, const Vector<double>& features, const Vector<double>& terms, const Line& gradient, const Line& gradient_of_terms,
           const Line& bend, const Line& each, const Scores& share, int threads) {
            const Index count = votes.shape(2), classes = prior.shape(0), rows = code.shape(0);
            auto fits = [](const auto& array, Index length) {
                return array.shape(0) == 0 || static_cast<Index>(array.shape(0)) == length;
            };
            if (classes < 1 || static_cast<Index>(votes.shape(1)) != classes - 1 ||
                static_cast<Index>(prior.shape(1)) != rows || static_cast<Index>((which.shape(0) ? which : code).shape(0)) != rows ||
                (!which.shape(0) && static_cast<Index>(votes.shape(0)) != rows) ||
                static_cast<Index>(weight.shape(0)) != rows || static_cast<Index>(features.shape(0)) != count ||
                static_cast<Index>(terms.shape(0)) != classes || !fits(gradient, count) ||
                !fits(gradient_of_terms, classes) || !fits(bend, count) || !fits(each, rows) || !fits(share, classes) ||
                (share.shape(0) && static_cast<Index>(share.shape(1)) != rows)) {
                throw std::invalid_argument("votes, rows and weights differ in shape");
            }
            for (Index i = 0; i < rows; ++i) {
                if (code.data()[i] < 0 || code.data()[i] >= classes) throw std::out_of_range("a label is out of range");
            }
            for (Index i = 0; i < static_cast<Index>(which.shape(0)); ++i) {
                if (which.data()[i] < 0 || which.data()[i] >= static_cast<Index>(votes.shape(0))) {
                    throw std::out_of_range("a row is out of range");
                }
            }
            const bool slopes = gradient_of_terms.shape(0) > 0, bends = bend.shape(0) > 0;
            const Question all{prior.data(),
                               which.shape(0) ? which.data() : nullptr,
                               code.data(),
                               weight.data(),
                               features.data(),
                               terms.data(),
                               count,
                               classes,
                               rows,
                               slopes,
                               bends,
                               each.shape(0) ? each.data() : nullptr,
                               share.shape(0) ? share.data() : nullptr};
            nb::gil_scoped_release release;
            const std::vector<double> sums = add_up(all, votes.data(), threads);
            if (slopes) {
                std::copy_n(sums.begin() + 1, gradient.shape(0), gradient.data());
                std::copy_n(sums.begin() + 1 + count, classes, gradient_of_terms.data());
            }
            if (bends) std::copy_n(sums.begin() + 1 + count + classes, count, bend.data());
            return sums[0];
        },
        nb::arg("votes").noconvert(), nb::arg("which").noconvert(), nb::arg("prior").noconvert(), nb::arg("code").noconvert(),
        nb::arg("weight").noconvert(), nb::arg("features").noconvert(), nb::arg("terms").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("gradient_of_terms").noconvert(), nb::arg("bend").noconvert(),
        nb::arg("each").noconvert(), nb::arg("share").noconvert(), nb::arg("threads"));
}

}  // namespace

void bind_rows(nb::module_& m) {
    bind_row_loss<double>(m);
    bind_row_loss<float>(m);
}

}  // namespace suffice
