// Counts dense rows in their order, without sorting them by class. Each block of rows fills a table of classes × cells that
// stays in the cache, with columns adjacent so that additions vectorize. Blocks are merged in order.
#pragma once

#include <atomic>
#include <vector>

#include "arrays.hpp"
#include "cells.hpp"
#include "groups.hpp"

namespace suffice {

// total[j] += w · x[j]
void add_values(double* total, const double* x, double w, Index count);

// lost[j] += w · (x[j] − mean[j]) and scatter[j] += w · (x[j] − mean[j])², whose rounding errors are summed in rest[j]
void add_deviations(double* lost, double* scatter, double* rest, const double* mean, const double* x, double w,
                    Index count);

// The sums for a single column, without a call for each row.
SUFFICE_INLINE void add_some_values(double* total, const double* x, double w, Index count) {
    if (count > 1) return add_values(total, x, w, count);
    total[0] += w * x[0];
}

SUFFICE_INLINE void add_some_deviations(double* lost, double* scatter, double* rest, const double* mean,
                                        const double* x, double w, Index count) {
    if (count > 1) return add_deviations(lost, scatter, rest, mean, x, w, count);
    const double d = x[0] - mean[0];
    lost[0] += w * d;
    const Pair sum = two_sum(scatter[0], w * (d * d));
    scatter[0] = sum.hi;
    rest[0] += sum.lo;
}

template <class Cell>
struct Lines;

template <>
struct Lines<Sum> {
    std::vector<double> total;

    template <class Data>
    bool fill(const Data& data, const Groups& groups, const Rule& rule, Index begin, Index end) {
        const Index cells = data.cells();
        total.assign(groups.classes * cells, 0.0);
        bool good = true;
        Strip strip;
        for (Index i = begin; i < end; ++i) {
            groups.classes_of(i, [&](Index group, double w) {
                double* line = total.data() + group * cells;
                if constexpr (Data::one_hot) {
                    good &= data.row(i, rule, [&](Index cell, double) { line[cell] += w; });
                } else {
                    good &= data.strips(i, rule, strip, [&](const Index*, Index first, const double* x, Index count) {
                        add_some_values(line + first, x, w, count);
                    });
                }
            });
        }
        return good;
    }

    void merge_into(Sum* out) const {
        for (std::size_t k = 0; k < total.size(); ++k) out[k].total += total[k];
    }
};

template <>
struct Lines<Moment> {
    std::vector<Pair> n;
    std::vector<double> mean, lost, scatter, rest;
    Index cells;

    template <class Data>
    bool fill(const Data& data, const Groups& groups, const Rule& rule, Index begin, Index end) {
        cells = data.cells();
        n.assign(groups.classes, Pair{0.0, 0.0});
        for (auto* table : {&mean, &lost, &scatter, &rest}) table->assign(groups.classes * cells, 0.0);
        bool good = true;
        Strip strip;
        auto each = [&](auto use) {
            for (Index i = begin; i < end; ++i) {
                groups.classes_of(i, [&](Index group, double w) {
                    good &= data.strips(i, rule, strip, [&](const Index*, Index first, const double* x, Index count) {
                        use(group * cells + first, x, w, count);
                    });
                });
            }
        };
        for (Index i = begin; i < end; ++i) {
            groups.classes_of(i, [&](Index group, double w) {
                if (groups.weight) {
                    n[group] = n[group] + Pair{w, 0.0};
                } else {
                    n[group].hi += 1.0;
                }
            });
        }
        each([&](Index at, const double* x, double w, Index count) { add_some_values(mean.data() + at, x, w, count); });
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] = n[k / cells].hi > 0 ? mean[k] / n[k / cells].hi : 0.0;
        each([&](Index at, const double* x, double w, Index count) {
            add_some_deviations(lost.data() + at, scatter.data() + at, rest.data() + at, mean.data() + at, x, w, count);
        });
        return good;
    }

    void merge_into(Moment* out) const {
        for (std::size_t k = 0; k < mean.size(); ++k) {
            Moment cell{n[k / cells], {mean[k], lost[k]}, {scatter[k], rest[k]}};
            cell.finish();
            out[k].merge(cell);
        }
    }
};

template <class Cell, class Data>
bool accumulate_stream(const Data& data, const Groups& groups, const Rule& rule, int threads, Cell* out) {
    const Index blocks = (groups.rows + block_rows - 1) / block_rows;
    constexpr Index slots = 16;
    std::vector<Lines<Cell>> lines(std::min(slots, blocks));
    std::atomic<bool> good{true};
    for (Index at = 0; at < blocks; at += slots) {
        const Index count = std::min(slots, blocks - at);
        parallel_for(count, threads, [&](Index slot) {
            const Index begin = (at + slot) * block_rows;
            if (!lines[slot].fill(data, groups, rule, begin, std::min(groups.rows, begin + block_rows))) good = false;
        });
        for (Index slot = 0; slot < count; ++slot) lines[slot].merge_into(out);
    }
    return good;
}

// Returns whether the table of a block is small relative to the block itself.
template <class Data>
bool streams(const Data& data, const Groups& groups) {
    return !groups.share && data.by_rows() && groups.classes * data.cells() * 16 <= block_rows * data.columns;
}

}  // namespace suffice
