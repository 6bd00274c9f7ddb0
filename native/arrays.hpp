// Views of a matrix as the kernels walk it: entries of a row, or entries of a column.
//
// A view has cells: the columns of the table it is counted into. For numbers a cell is a column; for
// categories each column has one cell per category, and an entry is a one in the cell of its category.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "compiler.hpp"
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

// Part of a row's entries, side by side: room for them where the matrix itself does not hold them so.
struct Strip {
    static constexpr Index most = 256;
    static constexpr Index ahead = 12;  // cells that come after these, if the matrix is sparse: soon to be needed
    Index cell[most + ahead];
    double value[most];
};

// Rows are visited in the order of their classes, so the processor cannot guess which comes next: tell it.
inline void expect(const void* begin, Index bytes) {
    const char* at = static_cast<const char*>(begin);
    for (Index byte = 0; byte < std::min<Index>(bytes, 2048); byte += 64) prefetch(at + byte);
}

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
    static constexpr bool is_sparse = false, one_hot = false;
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

    // use(cells, first, values, count) for each strip of the row; no cells: first, first + 1, …; no values: ones
    template <class Use>
    bool strips(Index i, const Rule& rule, Strip& strip, Use use) const {
        bool good = true;
        for (Index first = 0; first < columns; first += Strip::most) {
            const Index count = std::min(Strip::most, columns - first);
            const Value* p = data + i * row_step + first * column_step;
            for (Index k = 0; k < count; ++k) good &= rule.holds(p[k * column_step]);
            if constexpr (std::is_same_v<Value, double>) {
                if (column_step == 1) {
                    use(nullptr, first, p, count);
                    continue;
                }
            }
            for (Index k = 0; k < count; ++k) strip.value[k] = static_cast<double>(p[k * column_step]);
            use(nullptr, first, strip.value, count);
        }
        return good;
    }

    void expect_row(Index i) const {
        if (column_step == 1) expect(data + i * row_step, columns * static_cast<Index>(sizeof(Value)));
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
    bool clip;            // a code beyond the last is the last
    Index rows, columns;

    OneHot(const Dense<Value>& all, const Index* offsets, bool clips)
        : codes(all), offset(offsets), clip(clips), rows(all.rows), columns(all.columns) {}

    Index cells() const { return offset[columns]; }
    Index entries() const { return codes.entries(); }
    Index first_cell(Index column) const { return offset[column]; }
    Index blocks(Index column) const { return codes.blocks(column); }
    static constexpr bool is_sparse = false, one_hot = true;
    bool by_rows() const { return codes.by_rows(); }
    void expect_row(Index i) const { codes.expect_row(i); }

    template <class Visit>
    bool row(Index i, const Rule&, Visit visit) const {
        const Value* p = codes.data + i * codes.row_step;
        bool good = true;
        for (Index j = 0; j < columns; ++j) {
            const Index at = cell(j, p[j * codes.column_step]);
            if (at >= 0) visit(at, 1.0);
            good &= at >= 0;
        }
        return good;
    }

    template <class Use>
    bool strips(Index i, const Rule&, Strip& strip, Use use) const {
        bool good = true;
        for (Index first = 0; first < columns; first += Strip::most) {
            const Index count = std::min(Strip::most, columns - first);
            const Value* p = codes.data + i * codes.row_step + first * codes.column_step;
            Index lowest = 0;  // below zero if any cell is
            if (clip && !std::is_floating_point_v<Value>) {
                const Index* size = offset + first;
                for (Index k = 0; k < count; ++k) {
                    const Index code = static_cast<Index>(p[k * codes.column_step]), last = size[k + 1] - 1 - size[k];
                    strip.cell[k] = size[k] + (code < last ? code : last);
                    lowest |= code | last;
                }
            } else {
                for (Index k = 0; k < count; ++k) {
                    strip.cell[k] = cell(first + k, p[k * codes.column_step]);
                    lowest |= strip.cell[k];
                }
            }
            const bool inside = lowest >= 0;
            if (inside) use(strip.cell, 0, nullptr, count);
            good &= inside;
        }
        return good;
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule&, Visit visit) const {
        const Value* p = codes.data + j * codes.column_step;
        const Index end = std::min(rows, (block + 1) * block_rows);
        bool good = true;
        for (Index i = block * block_rows; i < end; ++i) {
            const Index at = cell(j, p[i * codes.row_step]);
            if (at >= 0) visit(i, at, 1.0);
            good &= at >= 0;
        }
        return good;
    }

   private:
    // the cell of a code, or −1 for what is no code
    Index cell(Index j, Value raw) const {
        const Index size = offset[j + 1] - offset[j];
        Index code;
        if constexpr (std::is_floating_point_v<Value>) {
            if (!(raw >= 0 && raw < 9e15)) return -1;
            code = static_cast<Index>(raw);
            if (static_cast<Value>(code) != raw) return -1;
        } else {
            code = static_cast<Index>(raw);
        }
        if (clip) code = std::min(code, size - 1);
        return static_cast<std::uint64_t>(code) < static_cast<std::uint64_t>(size) ? offset[j] + code : -1;
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
    static constexpr bool is_sparse = true, one_hot = false;
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

    template <class Use>
    bool strips(Index i, const Rule& rule, Strip& strip, Use use) const {
        const auto limit = static_cast<std::uint64_t>(width());
        bool good = true;
        const Index end = start[i + 1];
        for (Index begin = start[i]; begin < end; begin += Strip::most) {
            const Index count = std::min(Strip::most, end - begin);
            bool inside = true;
            for (Index k = 0; k < count; ++k) {
                strip.cell[k] = static_cast<Index>(index[begin + k]);
                inside &= static_cast<std::uint64_t>(strip.cell[k]) < limit;
                good &= rule.holds(value[begin + k]);
            }
            if (!inside) return false;
            const Index after = std::min(Strip::ahead, entries() - begin - count);
            for (Index k = 0; k < Strip::ahead; ++k) {
                const auto next = k < after ? static_cast<std::uint64_t>(index[begin + count + k]) : 0;
                strip.cell[count + k] = next < limit ? static_cast<Index>(next) : 0;
            }
            if constexpr (std::is_same_v<Value, double>) {
                use(strip.cell, 0, value + begin, count);
            } else {
                for (Index k = 0; k < count; ++k) strip.value[k] = static_cast<double>(value[begin + k]);
                use(strip.cell, 0, strip.value, count);
            }
        }
        return good;
    }

    void expect_row(Index i) const {
        const Index count = start[i + 1] - start[i];
        expect(value + start[i], count * static_cast<Index>(sizeof(Value)));
        expect(index + start[i], count * static_cast<Index>(sizeof(Position)));
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

// Another view with ones where it is above a threshold, zeros elsewhere. The threshold is not negative: absent
// entries stay zero.
template <class Data>
struct Above {
    Data data;
    double threshold;
    Index rows, columns;

    Above(const Data& all, double least) : data(all), threshold(least), rows(all.rows), columns(all.columns) {}

    Index cells() const { return data.cells(); }
    Index entries() const { return data.entries(); }
    Index first_cell(Index column) const { return data.first_cell(column); }
    Index blocks(Index column) const { return data.blocks(column); }
    static constexpr bool is_sparse = Data::is_sparse, one_hot = false;
    bool by_rows() const { return data.by_rows(); }
    void expect_row(Index i) const { data.expect_row(i); }

    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        return data.row(i, rule, [&](Index cell, double x) { visit(cell, x > threshold ? 1.0 : 0.0); });
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        return data.column(j, block, rule,
                           [&](Index i, Index cell, double x) { visit(i, cell, x > threshold ? 1.0 : 0.0); });
    }

    template <class Use>
    bool strips(Index i, const Rule& rule, Strip& strip, Use use) const {
        double flag[Strip::most];
        return data.strips(i, rule, strip, [&](const Index* cells, Index first, const double* values, Index count) {
            for (Index k = 0; k < count; ++k) flag[k] = values[k] > threshold ? 1.0 : 0.0;
            use(cells, first, flag, count);
        });
    }
};

}  // namespace suffice
