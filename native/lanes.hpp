// Sums of lines of a table in single precision, one number per class, vectorized; the same bits on every processor.
#pragma once

#include <algorithm>
#include <cstdint>

#include "compiler.hpp"
#include "threads.hpp"

namespace suffice {

// Lines are padded with zeros to a length of two, four, or a multiple of eight.
inline Index float_width(Index classes) { return classes <= 2 ? 2 : classes <= 4 ? 4 : (classes + 7) / 8 * 8; }

constexpr Index lanes = 32;  // numbers of a line that are added up at once

struct Gathered {
    const float* table;
    Index width;
    const std::int32_t* cells;  // lines of the table, followed by some that come next
    const float* x;
    Index count;
};

constexpr Index ahead = 8;

// line[c] = Σ_k x_k · table[cells_k][c], for `size` classes from `first` on.
template <int size>
SUFFICE_INLINE void add_lanes(const Gathered& row, Index first, float* line) {
    float sum[size] = {};
    const float* table = row.table + first;
    for (Index k = 0; k < row.count; ++k) {
        const float* next = table + row.cells[k + ahead] * row.width;
        prefetch(next);
        if constexpr (size > 16) prefetch(next + 16);
        const float* values = table + row.cells[k] * row.width;
        const float x = row.x[k];
        for (int c = 0; c < size; ++c) sum[c] += x * values[c];
    }
    for (int c = 0; c < size; ++c) line[first + c] = sum[c];
}

SUFFICE_FOR_EACH_PROCESSOR
static void add_lines(const Gathered& row, float* line) {
    for (Index first = 0; first < row.width; first += lanes) {
        switch (std::min(lanes, row.width - first)) {
            case 2: add_lanes<2>(row, first, line); break;
            case 4: add_lanes<4>(row, first, line); break;
            case 8: add_lanes<8>(row, first, line); break;
            case 16: add_lanes<16>(row, first, line); break;
            case 24: add_lanes<24>(row, first, line); break;
            default: add_lanes<32>(row, first, line);
        }
    }
}

// An occurrence of a word: the row, and the word's count there.
struct Place {
    std::int32_t row;
    float count;
};

// Σ over places of count · Σ_c line[c] · asked[row][c].
template <int size>
SUFFICE_INLINE double dot_lanes(const float* line, const float* asked, Index width, const Place* begin, const Place* end) {
    constexpr Index few = 256;  // places added up in single precision
    constexpr int side = size < 8 ? size : 8;
    double sums[side] = {};  // several sums, because a single one would wait for its last addition
    for (const Place* at = begin; at < end;) {
        float sum[size] = {};
        for (const Place* last = end - at > few ? at + few : end; at < last; ++at) {
            const float *values = asked + at->row * width, *next = asked + at[ahead].row * width;
            prefetch(next);
            if constexpr (size > 16) prefetch(next + 16);
            for (int c = 0; c < size; ++c) sum[c] += at->count * values[c];
        }
        for (int first = 0; first < size; first += side) {
            for (int c = 0; c < side; ++c) sums[c] += static_cast<double>(sum[first + c]) * static_cast<double>(line[first + c]);
        }
    }
    for (int half = side / 2; half; half /= 2) {
        for (int c = 0; c < half; ++c) sums[c] += sums[c + half];
    }
    return sums[0];
}

SUFFICE_FOR_EACH_PROCESSOR
static double dot_lines(const float* line, const float* asked, Index width, const Place* begin, const Place* end) {
    double total = 0;
    for (Index first = 0; first < width; first += lanes) {
        const float *mine = line + first, *theirs = asked + first;
        switch (std::min(lanes, width - first)) {
            case 2: total += dot_lanes<2>(mine, theirs, width, begin, end); break;
            case 4: total += dot_lanes<4>(mine, theirs, width, begin, end); break;
            case 8: total += dot_lanes<8>(mine, theirs, width, begin, end); break;
            case 16: total += dot_lanes<16>(mine, theirs, width, begin, end); break;
            case 24: total += dot_lanes<24>(mine, theirs, width, begin, end); break;
            default: total += dot_lanes<32>(mine, theirs, width, begin, end);
        }
    }
    return total;
}

// Per place: the number about which variances are taken, and what to add to the mean above it and to the mean square.
struct Centre {
    float at, mean, square;
};

// Σ over places of step[row] · count² · the variance of a line's numbers by the shares of classes.
template <int size>
SUFFICE_INLINE double variance_lanes(const float* line, const float* share, Index width, const double* step,
                                     const Place* begin, const Place* end, const Centre* centre) {
    double total = 0;
    for (const Place* at = begin; at < end; ++at, ++centre) {
        prefetch(share + at[ahead].row * width);
        const float *mine = share + at->row * width, middle = centre->at;
        float mean[size] = {}, square[size] = {};
        for (Index first = 0; first < width; first += size) {
            for (int c = 0; c < size; ++c) {
                const float above = line[first + c] - middle, part = mine[first + c] * above;
                mean[c] += part;
                square[c] += part * above;
            }
        }
        for (int half = size / 2; half; half /= 2) {
            for (int c = 0; c < half; ++c) {
                mean[c] += mean[c + half];
                square[c] += square[c + half];
            }
        }
        const float m = mean[0] + centre->mean, s = square[0] + centre->square;
        total += step[at->row] * static_cast<double>(at->count) * static_cast<double>(at->count) *
                 static_cast<double>(std::max(0.0f, s - m * m));
    }
    return total;
}

SUFFICE_FOR_EACH_PROCESSOR
static double variances(const float* line, const float* share, Index width, const double* step, const Place* begin,
                        const Place* end, const Centre* centre) {
    if (width == 2) return variance_lanes<2>(line, share, width, step, begin, end, centre);
    if (width == 4) return variance_lanes<4>(line, share, width, step, begin, end, centre);
    return variance_lanes<8>(line, share, width, step, begin, end, centre);
}

}  // namespace suffice
