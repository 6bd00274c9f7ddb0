// The one kernel of scoring: out[row][class] += x · weight[cell][class] over the row's entries.
#pragma once

#include <atomic>

#include "arrays.hpp"

namespace suffice {

// Weights of one cell lie side by side, one per class.
struct Weights {
    const double* at;
    Index classes;

    void add(Index cell, double x, double* line) const {
        const double* w = at + cell * classes;
        for (Index c = 0; c < classes; ++c) line[c] += x * w[c];
    }

    // Words are scattered over a table larger than the cache: ask for their lines ahead of time.
    void expect(Index cell) const {
        const char* line = reinterpret_cast<const char*>(at + cell * classes);
        for (Index byte = 0; byte < classes * 8; byte += 64) __builtin_prefetch(line + byte);
    }
};

// Squared distances instead: line[c] −= precision · (x − mean)². Means and precisions lie side by side as well.
struct Bells {
    const double* mean;
    const double* precision;
    Index classes;

    void add(Index cell, double x, double* line) const {
        const double* m = mean + cell * classes;
        const double* p = precision + cell * classes;
        for (Index c = 0; c < classes; ++c) line[c] -= p[c] * ((x - m[c]) * (x - m[c]));
    }
};

template <class Data, class Terms>
bool score_row(const Data& data, Index i, const Terms& weights, const Rule& rule, double* line) {
    return data.row(i, rule, [&](Index cell, double x) { weights.add(cell, x, line); });
}

template <class Value, class Position>
bool score_row(const Compressed<Value, Position>& data, Index i, const Weights& weights, const Rule& rule,
               double* line) {
    constexpr Index ahead = 12;
    const Index all = data.entries();
    const auto limit = static_cast<std::uint64_t>(data.width());
    Index k = data.start[i];
    return data.row(i, rule, [&](Index cell, double x) {
        const Index later = k++ + ahead;
        if (later < all && static_cast<std::uint64_t>(data.index[later]) < limit) weights.expect(data.index[later]);
        weights.add(cell, x, line);
    });
}

// False where a value breaks the rule.
template <class Data, class Terms>
bool score_rows(const Data& data, const Terms& weights, const Rule& rule, int threads, double* out) {
    constexpr Index block = 512;
    if (data.entries() * weights.classes < (Index{1} << 18)) threads = 1;
    std::atomic<bool> good{true};
    parallel_for((data.rows + block - 1) / block, threads, [&](Index part) {
        const Index end = std::min(data.rows, (part + 1) * block);
        bool held = true;
        for (Index i = part * block; i < end; ++i) {
            held &= score_row(data, i, weights, rule, out + i * weights.classes);
        }
        if (!held) good = false;
    });
    return good;
}

}  // namespace suffice
