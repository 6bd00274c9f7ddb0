// The one kernel of scoring: offset[class] + Σ x · weight[cell][class] over the entries of a row.
#pragma once

#include <atomic>
#include <cmath>
#include <vector>

#include "arrays.hpp"

namespace suffice {

// Lines of weights, one number per class, are padded with zeros to a length of two or of a multiple of four.
inline Index padded(Index classes) { return classes <= 2 ? 2 : (classes + 3) / 4 * 4; }

// A table has one line per cell.
struct Weights {
    const double* at;
    Index width;

    void add(const Index* cells, Index first, const double* values, Index count, double* line) const;
};

// Squared distances instead of weights: −precision · (x − mean)². Dense rows only.
struct Bells {
    const double* mean;
    const double* precision;
    Index width;

    void add(const Index* cells, Index first, const double* values, Index count, double* line) const;
};

// The output of a row: all scores, or only the best class: the first of several, and −1 if every class has −∞ or a NaN.
struct Finish {
    double* scores;
    Index* best;
    Index classes;

    void operator()(Index row, const double* line) const {
        if (scores) {
            std::copy(line, line + classes, scores + row * classes);
        } else {
            best[row] = first_best(line);
        }
    }

   private:
    Index first_best(const double* line) const {
        Index found = -1;
        double score = -HUGE_VAL;
        for (Index c = 0; c < classes; ++c) {
            if (line[c] > score) {
                score = line[c];
                found = c;
            }
        }
        return found;
    }
};

// Returns false if a value breaks the rule.
template <class Data, class Terms>
bool score_rows(const Data& data, const Terms& terms, const double* offset, const Rule& rule, int threads,
                const Finish& finish) {
    constexpr Index block = 512;
    if (data.entries() * terms.width < (Index{1} << 18)) threads = 1;
    std::atomic<bool> good{true};
    parallel_for((data.rows + block - 1) / block, threads, [&](Index part) {
        const Index end = std::min(data.rows, (part + 1) * block);
        std::vector<double> line(terms.width, 0.0);
        Strip strip;
        bool held = true;
        for (Index i = part * block; i < end; ++i) {
            std::copy(offset, offset + finish.classes, line.begin());
            held &= data.strips(i, rule, strip, [&](const Index* cells, Index first, const double* values, Index count) {
                terms.add(cells, first, values, count, line.data());
            });
            finish(i, line.data());
        }
        if (!held) good = false;
    });
    return good;
}

}  // namespace suffice
