// The one kernel of counting: out[class][cell] gathers the entries of the class's rows.
#pragma once

#include <atomic>
#include <vector>

#include "arrays.hpp"
#include "cells.hpp"
#include "groups.hpp"
#include "stream.hpp"

namespace suffice {

// Fills cells from entries. each_entry(use) calls use(cell, x, w) for every entry and returns whether all kept the rule.
// Where every row has every cell, their common weight is given and need not be added up cell by cell.
template <bool weighed, class Cell, class Each>
bool fill(Cell* cells, Index count, Pair weight, Each each_entry) {
    const bool good = each_entry([](Cell& cell, double x, double w) {
        if constexpr (Cell::two_passes && weighed) {
            cell.add_weighed(x, w);
        } else {
            cell.add(x, w);
        }
    });
    if constexpr (Cell::two_passes) {
        if constexpr (weighed) {
            for (Index j = 0; j < count; ++j) cells[j].n = weight;
        }
        for (Index j = 0; j < count; ++j) cells[j].centre();
        each_entry([](Cell& cell, double x, double w) { cell.add_again(x, w); });
        for (Index j = 0; j < count; ++j) cells[j].finish();
    }
    return good;
}

// By rows: each piece (rows of one class) fills its own line of cells.
template <class Cell, class Data>
bool accumulate_rows(const Data& data, const Groups& groups, const Rule& rule, int threads, Cell* out) {
    const Index cells = data.cells();
    const Index entries_per_row = std::max<Index>(1, data.entries() / std::max<Index>(1, groups.rows));
    Index piece_rows = std::max<Index>(1, std::max<Index>(65536, 16 * cells) / entries_per_row);
    if (!Data::is_sparse) piece_rows = std::min(piece_rows, block_rows);
    const Index line_bytes = std::max<Index>(1, cells * static_cast<Index>(sizeof(Cell)));
    const Index slots = std::max<Index>(threads, std::min<Index>(64, (Index{16} << 20) / line_bytes));
    std::vector<std::vector<Cell>> scratch(slots);
    std::atomic<bool> good{true};

    auto run = [&](const Piece& piece, Index slot) {
        Cell* line = out + piece.group * cells;
        if (!piece.first) {
            scratch[slot].assign(cells, Cell{});
            line = scratch[slot].data();
        }
        Pair weight{0.0, 0.0};
        if constexpr (Cell::two_passes) {
            piece.each_row([&](Index i) { weight = weight + Pair{groups.weight_of(i, piece.group), 0.0}; });
        }
        const bool held = fill<!Data::is_sparse>(line, cells, weight, [&](auto use) {
            bool kept = true;
            piece.each_row(
                [&](Index i) {
                    const double w = groups.weight_of(i, piece.group);
                    kept &= data.row(i, rule, [&](Index cell, double x) { use(line[cell], x, w); });
                },
                [&](Index i) { data.expect_row(i); });
            return kept;
        });
        if (!held) good = false;
    };
    auto join = [&](const Piece* pieces, Index count) {
        constexpr Index span = 8192;
        parallel_for((cells + span - 1) / span, threads, [&](Index part) {
            for (Index slot = 0; slot < count; ++slot) {
                if (pieces[slot].first) continue;
                Cell* line = out + pieces[slot].group * cells;
                const Index end = std::min(cells, (part + 1) * span);
                for (Index j = part * span; j < end; ++j) line[j].merge(scratch[slot][j]);
            }
        });
    };
    for_pieces(groups, piece_rows, slots, threads, run, join);
    return good;
}

// By columns: each column belongs to one thread, which keeps a small table of classes × the column's cells.
template <class Cell, class Data>
bool accumulate_columns(const Data& data, const Groups& groups, const Rule& rule, int threads, Cell* out) {
    const Index cells = data.cells();
    std::atomic<bool> good{true};
    parallel_for(data.columns, threads, [&](Index column) {
        const Index first = data.first_cell(column), width = data.first_cell(column + 1) - first;
        std::vector<Cell> table(groups.classes * width);
        for (Index block = 0; block < data.blocks(column); ++block) {
            std::fill(table.begin(), table.end(), Cell{});
            const bool held = fill<false>(table.data(), static_cast<Index>(table.size()), Pair{}, [&](auto use) {
                return data.column(column, block, rule, [&](Index i, Index cell, double x) {
                    groups.classes_of(i, [&](Index group, double w) {
                        use(table[group * width + cell - first], x, w);
                    });
                });
            });
            if (!held) good = false;
            for (Index group = 0; group < groups.classes; ++group) {
                for (Index j = 0; j < width; ++j) out[group * cells + first + j].merge(table[group * width + j]);
            }
        }
    });
    return good;
}

// Absent entries of a sparse matrix are zeros: the weight that a cell lacks of its class's weight is counted with value 0.
inline void add_absent(const Pair* class_weight, Index classes, Index cells, int threads, Moment* out) {
    constexpr Index span = 8192;
    parallel_for((cells + span - 1) / span, threads, [&](Index part) {
        const Index end = std::min(cells, (part + 1) * span);
        for (Index group = 0; group < classes; ++group) {
            for (Index j = part * span; j < end; ++j) {
                Moment& cell = out[group * cells + j];
                const Pair absent = class_weight[group] - cell.n;
                // the two were summed in different orders: a smaller difference is a rounding error, not a row
                if (absent.hi > 1e-28 * class_weight[group].hi) cell.merge({absent, {0.0, 0.0}, {0.0, 0.0}});
            }
        }
    });
}

// Returns whether every value kept the rule; otherwise `out` is meaningless.
template <class Cell, class Data>
bool accumulate(const Data& data, const Groups& groups, const Rule& rule, int threads, Cell* out) {
    constexpr Index worth_a_thread = 1 << 16;  // entries; below, starting a thread costs more than it saves
    if (data.entries() * (groups.share ? groups.classes : 1) < 2 * worth_a_thread) threads = 1;
    if constexpr (!Data::is_sparse && (std::is_same_v<Cell, Sum> || std::is_same_v<Cell, Moment>)) {
        if (streams(data, groups)) return accumulate_stream(data, groups, rule, threads, out);
    }
    return data.by_rows() ? accumulate_rows(data, groups, rule, threads, out)
                          : accumulate_columns(data, groups, rule, threads, out);
}

}  // namespace suffice
