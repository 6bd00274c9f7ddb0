// Logarithms of positive numbers without branches, so that loops vectorize.
#pragma once

#include "exponents.hpp"

namespace suffice {

// ln x for positive, normal x.
SUFFICE_INLINE double log_positive(double x) {
    constexpr std::uint64_t more = 1100;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t k = (bits - 0x3fe6a09e667f3bcd + (more << 52)) >> 52;
    const double whole = (std::bit_cast<double>(k | 0x4330000000000000) - 0x1p+52) - static_cast<double>(more);
    return log_above_one(std::bit_cast<double>(bits - ((k - more) << 52))) + whole * 0x1.62e42fefa39efp-1;
}

}  // namespace suffice
