// The inner loops of scoring. A row's scores stay in registers while its entries are added, so the number of classes is a
// constant of the loop: up to 20 at a time, in steps of four. Wider registers are used if the processor has them; every
// class is added on its own and in order, so the bits are the same.
#include "score.hpp"

#include <cstring>

#include "compiler.hpp"

namespace suffice {
namespace {

constexpr Index widest = 20;

// Part number c of the data at a place, aligned or not.
template <class Some>
SUFFICE_INLINE void load(Some& some, const double* at, int c) {
    std::memcpy(&some, at + c * (sizeof(Some) / sizeof(double)), sizeof(Some));
}

template <class Some>
SUFFICE_INLINE void store(const Some& some, double* at, int c) {
    std::memcpy(at + c * (sizeof(Some) / sizeof(double)), &some, sizeof(Some));
}

template <class Some, int parts>
SUFFICE_INLINE void add_weights(const double* table, Index step, const Index* cells, Index first, const double* values,
                                Index count, double* line) {
    constexpr Index classes = parts * static_cast<Index>(sizeof(Some) / sizeof(double));
    Some sum[parts];
    for (int c = 0; c < parts; ++c) load(sum[c], line, c);
    if (cells && values) {  // words, scattered over a table larger than the cache: prefetch their lines
        for (Index k = 0; k < count; ++k) {
            const double* next = table + cells[k + Strip::ahead] * step;
            for (Index c = 0; c < classes; c += 8) prefetch(next + c);
            const double* w = table + cells[k] * step;
            for (int c = 0; c < parts; ++c) {
                Some weight;
                load(weight, w, c);
                sum[c] += values[k] * weight;
            }
        }
    } else if (cells) {
        for (Index k = 0; k < count; ++k) {
            const double* w = table + cells[k] * step;
            for (int c = 0; c < parts; ++c) {
                Some weight;
                load(weight, w, c);
                sum[c] += weight;
            }
        }
    } else {
        for (Index k = 0; k < count; ++k) {
            const double* w = table + (first + k) * step;
            for (int c = 0; c < parts; ++c) {
                Some weight;
                load(weight, w, c);
                sum[c] += values[k] * weight;
            }
        }
    }
    for (int c = 0; c < parts; ++c) store(sum[c], line, c);
}

template <class Some, int parts>
SUFFICE_INLINE void add_bells(const double* mean, const double* precision, Index step, const double* values,
                              Index count, double* line) {
    Some sum[parts];
    for (int c = 0; c < parts; ++c) load(sum[c], line, c);
    for (Index k = 0; k < count; ++k) {
        for (int c = 0; c < parts; ++c) {
            Some m, p;
            load(m, mean + k * step, c);
            load(p, precision + k * step, c);
            const Some d = values[k] - m;
            sum[c] -= p * (d * d);
        }
    }
    for (int c = 0; c < parts; ++c) store(sum[c], line, c);
}

template <class Part, int count>
struct Tile {
    using Some = Part;
    static constexpr int parts = count;
};

// use(tile, class) for tiles of at most `widest` classes that cover `width`
template <class Use>
SUFFICE_INLINE void for_tiles(Index width, Use use) {
    for (Index at = 0; at < width; at += widest) {
        switch (std::min(widest, width - at)) {
            case 2: use(Tile<Two, 1>{}, at); break;
            case 4: use(Tile<Four, 1>{}, at); break;
            case 8: use(Tile<Four, 2>{}, at); break;
            case 12: use(Tile<Four, 3>{}, at); break;
            case 16: use(Tile<Four, 4>{}, at); break;
            default: use(Tile<Four, 5>{}, at); break;
        }
    }
}

SUFFICE_FOR_EACH_PROCESSOR
void weigh(const double* table, Index width, const Index* cells, Index first, const double* values, Index count,
           double* line) {
    for_tiles(width, [&](auto tile, Index at) SUFFICE_INLINE_LAMBDA {
        add_weights<typename decltype(tile)::Some, decltype(tile)::parts>(table + at, width, cells, first, values, count, line + at);
    });
}

SUFFICE_FOR_EACH_PROCESSOR
void ring(const double* mean, const double* precision, Index width, const double* values, Index count, double* line) {
    for_tiles(width, [&](auto tile, Index at) SUFFICE_INLINE_LAMBDA {
        add_bells<typename decltype(tile)::Some, decltype(tile)::parts>(mean + at, precision + at, width, values, count, line + at);
    });
}

}  // namespace

void Weights::add(const Index* cells, Index first, const double* values, Index count, double* line) const {
    weigh(at, width, cells, first, values, count, line);
}

void Bells::add(const Index*, Index first, const double* values, Index count, double* line) const {
    ring(mean + first * width, precision + first * width, width, values, count, line);
}

}  // namespace suffice
