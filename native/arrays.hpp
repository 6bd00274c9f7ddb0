// Views of a matrix as the kernels walk it: entries of a row, or entries of a column.
//
// A view has cells: the columns of the table it is counted into. For numbers a cell is a column; for
// categories each column has one cell per category, and an entry is a one in the cell of its category.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "threads.hpp"

namespace suffice {

// What a value must be. A NaN is never inside.
struct Rule {
    double least, most;
    bool whole;

    template <class Value>
    bool holds(Value raw) const {
        const double x = static_cast<double>(raw);
        bool inside = x >= least && x <= most;
        if constexpr (std::is_floating_point_v<Value>) {
            if (whole) inside = inside && x == static_cast<double>(static_cast<std::int64_t>(inside ? x : 0.0));
        }
        return inside;
    }
};

constexpr Index block_rows = 4096;  // added up at once: few enough that plain sums keep 13 digits

// A dense matrix anywhere in memory; steps are counted in elements.
template <class Value>
struct Dense {
    const Value* data;
    Index rows, columns, row_step, column_step;

    Index cells() const { return columns; }
    Index entries() const { return rows * columns; }
    Index first_cell(Index column) const { return column; }
    Index blocks(Index) const { return (rows + block_rows - 1) / block_rows; }
    static constexpr bool is_sparse = false;
    bool by_rows() const { return columns == 1 || std::abs(row_step) >= std::abs(column_step); }

    // visit(cell, x); false where a value breaks the rule
    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        const Value* p = data + i * row_step;
        bool good = true;
        if (column_step == 1) {
            for (Index j = 0; j < columns; ++j) {
                good &= rule.holds(p[j]);
                visit(j, static_cast<double>(p[j]));
            }
        } else {
            for (Index j = 0; j < columns; ++j) {
                good &= rule.holds(p[j * column_step]);
                visit(j, static_cast<double>(p[j * column_step]));
            }
        }
        return good;
    }

    // visit(row, cell, x) for one block of a column
    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        const Value* p = data + j * column_step;
        const Index end = std::min(rows, (block + 1) * block_rows);
        bool good = true;
        for (Index i = block * block_rows; i < end; ++i) {
            good &= rule.holds(p[i * row_step]);
            visit(i, j, static_cast<double>(p[i * row_step]));
        }
        return good;
    }
};

// Columns of category codes, seen as ones in the cell first_cell(column) + code.
template <class Value>
struct OneHot {
    Dense<Value> codes;
    const Index* offset;  // columns + 1 of them
    Index rows;
    Index columns;

    Index cells() const { return offset[columns]; }
    Index entries() const { return codes.entries(); }
    Index first_cell(Index column) const { return offset[column]; }
    Index blocks(Index column) const { return codes.blocks(column); }
    static constexpr bool is_sparse = false;
    bool by_rows() const { return codes.by_rows(); }

    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        bool good = true;
        good &= codes.row(i, rule, [&](Index j, double x) { good &= code(j, x, rule, visit); });
        return good;
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        bool good = true;
        good &= codes.column(j, block, rule, [&](Index i, Index, double x) {
            good &= code(j, x, rule, [&](Index cell, double one) { visit(i, cell, one); });
        });
        return good;
    }

   private:
    template <class Visit>
    bool code(Index j, double x, const Rule&, Visit visit) const {
        const double size = static_cast<double>(offset[j + 1] - offset[j]);
        if (!(x >= 0 && x < size)) return false;
        visit(offset[j] + static_cast<Index>(x), 1.0);
        return true;
    }
};

// Compressed rows (CSR), or compressed columns (CSC) when transposed. Absent entries are zero and not visited.
template <class Value, class Position>
struct Compressed {
    const Value* value;
    const Position* index;
    const Position* start;
    Index rows, columns;
    bool transposed;

    Index lines() const { return transposed ? columns : rows; }
    Index width() const { return transposed ? rows : columns; }
    Index cells() const { return columns; }
    Index entries() const { return lines() ? static_cast<Index>(start[lines()]) : 0; }
    Index first_cell(Index column) const { return column; }
    Index blocks(Index column) const {
        return (static_cast<Index>(start[column + 1] - start[column]) + block_rows - 1) / block_rows;
    }
    static constexpr bool is_sparse = true;
    bool by_rows() const { return !transposed; }

    // Line starts within the stored entries, never falling.
    bool sound(Index stored) const {
        if (lines() == 0) return true;
        bool good = start[0] == 0 && static_cast<Index>(start[lines()]) <= stored;
        for (Index i = 0; good && i < lines(); ++i) good = start[i] <= start[i + 1];
        return good;
    }

    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        return line(start[i], start[i + 1], rule, visit);
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        const Index begin = static_cast<Index>(start[j]) + block * block_rows;
        const Index end = std::min<Index>(start[j + 1], begin + block_rows);
        return line(begin, end, rule, [&](Index i, double x) { visit(i, j, x); });
    }

   private:
    template <class Visit>
    bool line(Index begin, Index end, const Rule& rule, Visit visit) const {
        const auto limit = static_cast<std::uint64_t>(width());
        bool good = true;
        for (Index k = begin; k < end; ++k) {
            if (static_cast<std::uint64_t>(index[k]) >= limit) return false;
            good &= rule.holds(value[k]);
            visit(static_cast<Index>(index[k]), static_cast<double>(value[k]));
        }
        return good;
    }
};

}  // namespace suffice
