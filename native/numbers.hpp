// Reads numbers of all types that matrices have as doubles, part by part, so that kernels are compiled once and not once
// per type.
#pragma once

#include "compiler.hpp"
#include "threads.hpp"

namespace suffice {

// The condition on values. A NaN never fulfils it.
struct Rule {
    double least, most;
    bool whole;

    // Returns whether all values keep the rule.
    bool holds(const double* values, Index count) const;
};

// Numbers side by side, or a fixed step apart.
struct Numbers {
    enum class Type { f64, f32, i64, i32, u8 };
    const void* data;
    Type type;

    // Writes numbers first, first + step, …
    void read(Index first, Index step, Index count, double* out) const;

    // Writes numbers as category codes; −1 for invalid ones.
    void read_codes(Index first, Index step, Index count, Index* out) const;

    // Returns numbers in place if they are adjacent doubles, otherwise in the given room.
    const double* doubles(Index first, Index step, Index count, double* room) const {
        if (type == Type::f64 && step == 1) return static_cast<const double*>(data) + first;
        read(first, step, count, room);
        return room;
    }

    const char* place(Index first) const { return static_cast<const char*>(data) + first * bytes(); }
    Index bytes() const { return type == Type::f64 || type == Type::i64 ? 8 : type == Type::u8 ? 1 : 4; }
};

// Whole numbers of 32 or 64 bits: line starts and indices of a sparse matrix.
struct Positions {
    const void* data;
    bool wide;

    Index operator[](Index i) const {
        return wide ? static_cast<const std::int64_t*>(data)[i] : static_cast<const std::int32_t*>(data)[i];
    }

    // Writes some of them; returns false unless all are at least zero and below the limit.
    bool read(Index first, Index count, Index limit, Index* out) const;

    // Returns whether the first of them never decrease.
    bool rise(Index count) const;

    const char* place(Index first) const { return static_cast<const char*>(data) + first * bytes(); }
    Index bytes() const { return wide ? 8 : 4; }
};

}  // namespace suffice
