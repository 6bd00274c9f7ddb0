// Exponentials and logarithms of probabilities without branches, so that loops vectorize, and with the same bits on every
// processor.
#pragma once

#include <bit>
#include <cstdint>

#include "compiler.hpp"

namespace suffice {

constexpr double least_power = -708.0;

// eˣ for −708 ≤ x ≤ 0.
SUFFICE_INLINE double exp_below_zero(double x) {
    const double shifted = x * 0x1.71547652b82fep+0 + 0x1.8p+52, whole = shifted - 0x1.8p+52;
    const double r = (x - whole * 0x1.62e42fefap-1) - whole * 0x1.cf79abc9e3b39p-40;
    double sum = 1.0 / 6227020800.0;
    sum = sum * r + 1.0 / 479001600.0;
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const auto power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52));
    return sum * power;
}

// ln x for x ≥ 1: x = 2ᵏ·m with m near one, ln m = 2·artanh((m − 1)/(m + 1)).
SUFFICE_INLINE double log_above_one(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t k = (bits - 0x3fe6a09e667f3bcd) >> 52;
    const double whole = std::bit_cast<double>(k | 0x4330000000000000) - 0x1p+52;
    const double m = std::bit_cast<double>(bits - (k << 52)), f = (m - 1.0) / (m + 1.0), s = f * f;
    double sum = 1.0 / 23.0;
    sum = sum * s + 1.0 / 21.0;
    sum = sum * s + 1.0 / 19.0;
    sum = sum * s + 1.0 / 17.0;
    sum = sum * s + 1.0 / 15.0;
    sum = sum * s + 1.0 / 13.0;
    sum = sum * s + 1.0 / 11.0;
    sum = sum * s + 1.0 / 9.0;
    sum = sum * s + 1.0 / 7.0;
    sum = sum * s + 1.0 / 5.0;
    sum = sum * s + 1.0 / 3.0;
    return (whole * 0x1.62e42fefa39efp-1 + (2.0 * f + 2.0 * f * s * sum)) + (x - x);  // the last term is NaN if x is
}

}  // namespace suffice
