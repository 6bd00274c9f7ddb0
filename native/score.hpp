// The one kernel of scoring: out[row][class] += x · weight[cell][class] over the row's entries.
#pragma once

#include <atomic>

#include "arrays.hpp"

namespace suffice {

// Weights of one cell lie side by side, one per class. False where a value breaks the rule.
template <class Data>
bool score_rows(const Data& data, const double* weight, Index classes, const Rule& rule, int threads, double* out) {
    constexpr Index block = 512;
    if (data.entries() * classes < (Index{1} << 18)) threads = 1;
    std::atomic<bool> good{true};
    parallel_for((data.rows + block - 1) / block, threads, [&](Index part) {
        const Index end = std::min(data.rows, (part + 1) * block);
        bool held = true;
        for (Index i = part * block; i < end; ++i) {
            double* line = out + i * classes;
            held &= data.row(i, rule, [&](Index cell, double x) {
                const double* w = weight + cell * classes;
                for (Index c = 0; c < classes; ++c) line[c] += x * w[c];
            });
        }
        if (!held) good = false;
    });
    return good;
}

}  // namespace suffice
