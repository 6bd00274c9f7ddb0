// Views of a matrix as the kernels walk it: entries of a row, or entries of a column.
//
// A view has cells, the columns of the table that it is counted into. For numbers a cell is a column; for categories each
// column has one cell per category, and an entry is a one in the cell of its category.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "compiler.hpp"
#include "numbers.hpp"
#include "threads.hpp"

namespace suffice {

// Adjacent entries of a row: room for them if the matrix does not store them so.
struct Strip {
    static constexpr Index most = 256;
    static constexpr Index ahead = 12;  // cells that follow these, if the matrix is sparse, for prefetching
    Index cell[most + ahead];
    double value[most];
};

// Rows are visited in the order of their classes, so the processor cannot predict the next one: prefetch it.
inline void expect(const void* begin, Index bytes) {
    const char* at = static_cast<const char*>(begin);
    for (Index byte = 0; byte < std::min<Index>(bytes, 2048); byte += 64) prefetch(at + byte);
}

constexpr Index block_rows = 4096;  // rows added up at once, few enough that plain sums keep 13 digits

// Values as they are, or ones where they are above a threshold and zeros elsewhere. The threshold is not negative, so that
// absent entries of a sparse matrix stay zero.
struct Values {
    Numbers numbers;
    bool flags = false;
    double threshold = 0;

    // Returns values, in place or in the given room; sets `good` to false if one breaks the rule.
    const double* some(Index first, Index step, Index count, const Rule& rule, double* room, bool& good) const {
        const double* x = numbers.doubles(first, step, count, room);
        good &= rule.holds(x, count);
        if (!flags) return x;
        for (Index k = 0; k < count; ++k) room[k] = x[k] > threshold ? 1.0 : 0.0;
        return room;
    }
};

// A dense matrix anywhere in memory; steps are counted in elements.
struct Dense {
    Values values;
    Index rows, columns, row_step, column_step;

    Index cells() const { return columns; }
    Index entries() const { return rows * columns; }
    Index first_cell(Index column) const { return column; }
    Index blocks(Index) const { return (rows + block_rows - 1) / block_rows; }
    static constexpr bool is_sparse = false, one_hot = false;
    bool by_rows() const { return columns == 1 || std::abs(row_step) >= std::abs(column_step); }

    // visit(cell, x); returns false if a value breaks the rule
    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        return line(i * row_step, column_step, 0, columns, rule, visit);
    }

    // use(cells, first, values, count) for each strip of the row; no cells: first, first + 1, …; no values: ones
    template <class Use>
    bool strips(Index i, const Rule& rule, Strip& strip, Use use) const {
        bool good = true;
        for (Index first = 0; first < columns; first += Strip::most) {
            const Index count = std::min(Strip::most, columns - first);
            use(nullptr, first,
                values.some(i * row_step + first * column_step, column_step, count, rule, strip.value, good), count);
        }
        return good;
    }

    void expect_row(Index i) const {
        if (column_step == 1) expect(values.numbers.place(i * row_step), columns * values.numbers.bytes());
    }

    // visit(row, cell, x) for one block of a column
    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        const Index end = std::min(rows, (block + 1) * block_rows);
        return line(j * column_step, row_step, block * block_rows, end, rule, [&](Index i, double x) { visit(i, j, x); });
    }

   private:
    // visit(k, x) for numbers `begin` to `end` of the row or column that begins at `place`
    template <class Visit>
    SUFFICE_INLINE bool line(Index place, Index step, Index begin, Index end, const Rule& rule, Visit visit) const {
        double room[Strip::most];
        bool good = true;
        for (Index at = begin; at < end; at += Strip::most) {
            const Index count = std::min(Strip::most, end - at);
            const double* x = values.some(place + at * step, step, count, rule, room, good);
            for (Index k = 0; k < count; ++k) visit(at + k, x[k]);
        }
        return good;
    }
};

// Columns of category codes, read as ones in the cell first_cell(column) + code.
struct OneHot {
    Dense codes;
    const Index* offset;  // columns + 1 of them
    bool clip;            // a code beyond the last category counts as the last
    Index rows, columns;

    OneHot(const Dense& all, const Index* offsets, bool clips)
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
        Index code[Strip::most];
        bool good = true;
        for (Index first = 0; first < columns; first += Strip::most) {
            const Index count = std::min(Strip::most, columns - first);
            read_codes(i * codes.row_step + first * codes.column_step, codes.column_step, count, code);
            for (Index k = 0; k < count; ++k) {
                const Index at = cell(offset + first + k, code[k]);
                if (at >= 0) visit(at, 1.0);
                good &= at >= 0;
            }
        }
        return good;
    }

    template <class Use>
    bool strips(Index i, const Rule&, Strip& strip, Use use) const {
        bool good = true;
        for (Index first = 0; first < columns; first += Strip::most) {
            const Index count = std::min(Strip::most, columns - first);
            const bool inside = read_cells(i, first, count, strip.cell);
            if (inside) use(strip.cell, 0, nullptr, count);
            good &= inside;
        }
        return good;
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule&, Visit visit) const {
        const Index end = std::min(rows, (block + 1) * block_rows);
        Index code[Strip::most];
        bool good = true;
        for (Index begin = block * block_rows; begin < end; begin += Strip::most) {
            const Index count = std::min(Strip::most, end - begin);
            read_codes(j * codes.column_step + begin * codes.row_step, codes.row_step, count, code);
            for (Index k = 0; k < count; ++k) {
                const Index at = cell(offset + j, code[k]);
                if (at >= 0) visit(begin + k, at, 1.0);
                good &= at >= 0;
            }
        }
        return good;
    }

   private:
    void read_codes(Index first, Index step, Index count, Index* out) const {
        codes.values.numbers.read_codes(first, step, count, out);
    }

    // Writes the cells of some columns of a row, negative for invalid codes; returns false if there are any.
    bool read_cells(Index i, Index first, Index count, Index* cells) const {
        read_codes(i * codes.row_step + first * codes.column_step, codes.column_step, count, cells);
        Index lowest = 0;  // negative if any cell is
        for (Index k = 0; k < count; ++k) {
            cells[k] = cell(offset + first + k, cells[k]);
            lowest |= cells[k];
        }
        return lowest >= 0;
    }

    // Returns the cell of a code, given the first cell of its column; −1 for an invalid code.
    SUFFICE_INLINE Index cell(const Index* begin, Index code) const {
        const Index last = begin[1] - 1 - begin[0];
        const Index known = clip && code > last ? last : code;
        return (code | known | (last - known)) < 0 ? -1 : begin[0] + known;
    }
};

// Compressed rows (CSR), or compressed columns (CSC) if transposed. Absent entries are zero and not visited.
struct Compressed {
    Values values;
    Positions index, start;
    Index rows, columns;
    bool transposed;

    Index lines() const { return transposed ? columns : rows; }
    Index width() const { return transposed ? rows : columns; }
    Index cells() const { return columns; }
    Index entries() const { return lines() ? start[lines()] : 0; }
    Index first_cell(Index column) const { return column; }
    Index blocks(Index column) const { return (start[column + 1] - start[column] + block_rows - 1) / block_rows; }
    static constexpr bool is_sparse = true, one_hot = false;
    bool by_rows() const { return !transposed; }

    // Returns whether line starts never decrease and lie within the stored entries.
    bool sound(Index stored) const {
        return lines() == 0 || (start[0] == 0 && start[lines()] <= stored && start.rise(lines() + 1));
    }

    template <class Visit>
    bool row(Index i, const Rule& rule, Visit visit) const {
        return line(start[i], start[i + 1], rule, visit);
    }

    template <class Visit>
    bool column(Index j, Index block, const Rule& rule, Visit visit) const {
        const Index begin = start[j] + block * block_rows, end = std::min(start[j + 1], begin + block_rows);
        return line(begin, end, rule, [&](Index i, double x) { visit(i, j, x); });
    }

    template <class Use>
    bool strips(Index i, const Rule& rule, Strip& strip, Use use) const {
        bool good = true;
        const Index limit = width(), end = start[i + 1];
        for (Index begin = start[i]; begin < end; begin += Strip::most) {
            const Index count = std::min(Strip::most, end - begin);
            if (!index.read(begin, count, limit, strip.cell)) return false;
            const Index after = std::min(Strip::ahead, entries() - begin - count);
            index.read(begin + count, after, limit, strip.cell + count);
            for (Index k = 0; k < Strip::ahead; ++k) {
                Index& next = strip.cell[count + k];
                if (k >= after || static_cast<std::uint64_t>(next) >= static_cast<std::uint64_t>(limit)) next = 0;
            }
            use(strip.cell, 0, values.some(begin, 1, count, rule, strip.value, good), count);
        }
        return good;
    }

    void expect_row(Index i) const {
        const Index begin = start[i], count = start[i + 1] - begin;
        expect(values.numbers.place(begin), count * values.numbers.bytes());
        expect(index.place(begin), count * index.bytes());
    }

   private:
    template <class Visit>
    SUFFICE_INLINE bool line(Index begin, Index end, const Rule& rule, Visit visit) const {
        Index place[Strip::most];
        double room[Strip::most];
        bool good = true;
        for (; begin < end; begin += Strip::most) {
            const Index count = std::min(Strip::most, end - begin);
            if (!index.read(begin, count, width(), place)) return false;
            const double* x = values.some(begin, 1, count, rule, room, good);
            for (Index k = 0; k < count; ++k) visit(place[k], x[k]);
        }
        return good;
    }
};

}  // namespace suffice
