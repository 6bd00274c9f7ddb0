#include "numbers.hpp"

#include <type_traits>

namespace suffice {
namespace {

// use(pointer) with the type of the numbers
template <class Use>
SUFFICE_INLINE void with_type(const Numbers& numbers, Use use) {
    switch (numbers.type) {
        case Numbers::Type::f64: return use(static_cast<const double*>(numbers.data));
        case Numbers::Type::f32: return use(static_cast<const float*>(numbers.data));
        case Numbers::Type::i64: return use(static_cast<const std::int64_t*>(numbers.data));
        case Numbers::Type::i32: return use(static_cast<const std::int32_t*>(numbers.data));
        case Numbers::Type::u8: return use(static_cast<const std::uint8_t*>(numbers.data));
    }
}

template <class Value>
SUFFICE_INLINE Index code_of(Value raw) {
    if constexpr (std::is_floating_point_v<Value>) {
        const bool inside = raw >= 0 && raw < Value(9e15);
        const auto code = static_cast<Index>(inside ? raw : Value(0));
        return inside && static_cast<Value>(code) == raw ? code : -1;
    } else {
        return static_cast<Index>(raw);
    }
}

// Every double from 2⁵² on is whole, so adding 2⁵² to a smaller one rounds it.
SUFFICE_FOR_EACH_PROCESSOR
bool hold(double least, double most, bool whole, const double* values, Index count) {
    constexpr double large = 0x1p+52;
    std::int64_t bad = 0;
    for (Index k = 0; k < count; ++k) bad |= !(values[k] >= least) | !(values[k] <= most);
    if (!whole) return !bad;
    for (Index k = 0; k < count; ++k) {
        const double size = std::fabs(values[k]);
        bad |= !(size >= large) & ((size + large) - large != size);
    }
    return !bad;
}

SUFFICE_FOR_EACH_PROCESSOR
bool widen(const std::int32_t* from, Index count, Index limit, Index* out) {
    std::uint64_t outside = 0;
    for (Index k = 0; k < count; ++k) {
        out[k] = from[k];
        outside |= static_cast<std::uint64_t>(out[k] | (limit - 1 - out[k]));  // the sign bit of either
    }
    return !(outside >> 63);
}

}  // namespace

bool Rule::holds(const double* values, Index count) const { return hold(least, most, whole, values, count); }

void Numbers::read(Index first, Index step, Index count, double* out) const {
    with_type(*this, [&](const auto* from) SUFFICE_INLINE_LAMBDA {
        from += first;
        if (step == 1) {
            for (Index k = 0; k < count; ++k) out[k] = static_cast<double>(from[k]);
        } else {
            for (Index k = 0; k < count; ++k) out[k] = static_cast<double>(from[k * step]);
        }
    });
}

void Numbers::read_codes(Index first, Index step, Index count, Index* out) const {
    with_type(*this, [&](const auto* from) SUFFICE_INLINE_LAMBDA {
        from += first;
        if (step == 1) {
            for (Index k = 0; k < count; ++k) out[k] = code_of(from[k]);
        } else {
            for (Index k = 0; k < count; ++k) out[k] = code_of(from[k * step]);
        }
    });
}

bool Positions::read(Index first, Index count, Index limit, Index* out) const {
    if (!wide) return widen(static_cast<const std::int32_t*>(data) + first, count, limit, out);
    const auto* from = static_cast<const std::int64_t*>(data) + first;
    bool inside = true;
    for (Index k = 0; k < count; ++k) {
        out[k] = from[k];
        inside &= static_cast<std::uint64_t>(out[k]) < static_cast<std::uint64_t>(limit);
    }
    return inside;
}

bool Positions::rise(Index count) const {
    bool good = true;
    for (Index i = 0; i + 1 < count; ++i) good &= (*this)[i] <= (*this)[i + 1];
    return good;
}

}  // namespace suffice
