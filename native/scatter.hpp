// Full moments: weight, mean and scatter matrix of every class, the last two as pairs.
#pragma once

#include <atomic>
#include <vector>

#include "accumulate.hpp"
#include "compiler.hpp"

namespace suffice {

// scatter += w·d·dᵀ, upper triangle, for each row d of a block
SUFFICE_FOR_EACH_PROCESSOR
inline void add_outer_products(const double* rows, const double* weight, Index count, Index d, double* scatter) {
    for (Index r = 0; r < count; ++r) {
        const double* x = rows + r * d;
        for (Index i = 0; i < d; ++i) {
            const double wx = weight[r] * x[i];
            double* line = scatter + i * d;
            for (Index j = i; j < d; ++j) line[j] += wx * x[j];
        }
    }
}

// A piece's moments about its own mean, and room to compute them. Scatters of a few rows are plain sums, and these are added
// up as pairs: the error of a scatter is a few of its last bits, however many rows it sums.
struct Block {
    static constexpr Index few = 16;
    double n = 0;
    std::vector<double> rows, weight, mean, drift, part;
    std::vector<Pair> scatter;

    // Centres the rows on their mean, corrects the mean for rounding, and adds up the scatter.
    void measure(Index count, Index d) {
        n = 0;
        mean.assign(d, 0.0);
        drift.assign(d, 0.0);
        scatter.assign(d * d, Pair{0.0, 0.0});
        for (Index r = 0; r < count; ++r) {
            n += weight[r];
            for (Index j = 0; j < d; ++j) mean[j] += weight[r] * rows[r * d + j];
        }
        if (!(n > 0)) return;
        for (double& m : mean) m /= n;
        for (Index r = 0; r < count; ++r) {
            for (Index j = 0; j < d; ++j) {
                rows[r * d + j] -= mean[j];
                drift[j] += weight[r] * rows[r * d + j];
            }
        }
        for (Index r = 0; r < count; r += few) {
            part.assign(d * d, 0.0);
            add_outer_products(rows.data() + r * d, weight.data() + r, std::min(few, count - r), d, part.data());
            for (Index i = 0; i < d; ++i) {
                for (Index j = i * d + i; j < (i + 1) * d; ++j) {
                    const Pair sum = two_sum(scatter[j].hi, part[j]);
                    scatter[j] = {sum.hi, scatter[j].lo + sum.lo};
                }
            }
        }
        for (Index i = 0; i < d; ++i) {
            for (Index j = i; j < d; ++j) {
                Pair& s = scatter[i * d + j];
                s = two_sum(s.hi - drift[i] * drift[j] / n, s.lo);
            }
        }
        for (Index i = 0; i < d; ++i) {  // a coordinate that does not vary beyond rounding
            if (scatter[i * d + i].hi > 0) continue;
            for (Index j = 0; j < d; ++j) scatter[std::min(i, j) * d + std::max(i, j)] = {0.0, 0.0};
        }
    }
};

// n: classes; mean: classes × d pairs; scatter: classes × d × d pairs, both triangles at the end.
struct FullTable {
    double* n;
    Pair* mean;
    Pair* scatter;

    void merge(Index group, const Block& block, Index d) {
        if (!(block.n > 0)) return;
        const double together = n[group] + block.n;
        const Pair part = quotient({block.n, 0.0}, {together, 0.0});
        const Pair between = part * Pair{n[group], 0.0};
        std::vector<Pair> delta(d);
        for (Index j = 0; j < d; ++j) {
            Pair& m = mean[group * d + j];
            delta[j] = two_sum(block.mean[j], block.drift[j] / block.n) - m;
            m = m + delta[j] * part;
        }
        for (Index i = 0; i < d; ++i) {
            const Pair scaled = delta[i] * between;
            for (Index j = i; j < d; ++j) {
                Pair& s = scatter[(group * d + i) * d + j];
                s = s + block.scatter[i * d + j];
                if (n[group] > 0) s = s + scaled * delta[j];
            }
        }
        n[group] = together;
    }

    void mirror(Index classes, Index d) {
        for (Index g = 0; g < classes; ++g) {
            for (Index i = 0; i < d; ++i) {
                for (Index j = 0; j < i; ++j) scatter[(g * d + i) * d + j] = scatter[(g * d + j) * d + i];
            }
        }
    }
};

inline bool accumulate_full(const Dense& data, const Groups& groups, const Rule& rule, int threads, FullTable out) {
    const Index d = data.columns, piece_rows = 1024;
    if (data.entries() * d < (1 << 20)) threads = 1;
    std::vector<Block> blocks(std::max(threads, 4));
    std::atomic<bool> good{true};
    auto run = [&](const Piece& piece, Index slot) {
        Block& block = blocks[slot];
        block.rows.resize((piece.end - piece.begin) * d);
        block.weight.resize(piece.end - piece.begin);
        Index count = 0;
        bool held = true;
        piece.each_row([&](Index i) {
            double* to = block.rows.data() + count * d;
            block.weight[count++] = groups.weight_of(i, piece.group);
            held &= data.row(i, rule, [&](Index j, double x) { to[j] = x; });
        });
        if (!held) good = false;
        block.measure(count, d);
    };
    auto join = [&](const Piece* pieces, Index count) {
        for (Index slot = 0; slot < count; ++slot) out.merge(pieces[slot].group, blocks[slot], d);
    };
    for_pieces(groups, piece_rows, static_cast<Index>(blocks.size()), threads, run, join);
    out.mirror(groups.classes, d);
    return good;
}

}  // namespace suffice
