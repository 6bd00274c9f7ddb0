// Numbers of the types that matrices come in, read as doubles part by part: kernels are compiled once, not once for each type.
#pragma once

#include "compiler.hpp"
#include "threads.hpp"

namespace suffice {

// What a value must be. A NaN is never inside.
struct Rule {
    double least, most;
    bool whole;

    // Whether all of some values keep it.
    bool holds(const double* values, Index count) const;
};

// Numbers side by side, or so many steps apart.
struct Numbers {
    enum class Type { f64, f32, i64, i32, u8 };
    const void* data;
    Type type;

    // Writes numbers first, first + step, …
    void read(Index first, Index step, Index count, double* out) const;

    // Writes them as category codes; −1 for what is none.
    void read_codes(Index first, Index step, Index count, Index* out) const;

    // The same, where they lie if they are doubles side by side, else in the room given.
    const double* doubles(Index first, Index step, Index count, double* room) const {
        if (type == Type::f64 && step == 1) return static_cast<const double*>(data) + first;
        read(first, step, count, room);
        return room;
    }

    const char* place(Index first) const { return static_cast<const char*>(data) + first * bytes(); }
    Index bytes() const { return type == Type::f64 || type == Type::i64 ? 8 : type == Type::u8 ? 1 : 4; }
};

// Whole numbers of 32 or 64 bits: where lines of a sparse matrix start, and where in a line its entries are.
struct Positions {
    const void* data;
    bool wide;

    Index operator[](Index i) const {
        return wide ? static_cast<const std::int64_t*>(data)[i] : static_cast<const std::int32_t*>(data)[i];
    }

    // Writes some of them; false unless all are at least zero and below the limit.
    bool read(Index first, Index count, Index limit, Index* out) const;

    // Whether so many never fall.
    bool rise(Index count) const;

    const char* place(Index first) const { return static_cast<const char*>(data) + first * bytes(); }
    Index bytes() const { return wide ? 8 : 4; }
};

}  // namespace suffice
