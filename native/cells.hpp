// What one cell of a table remembers of the values that fell into it. Fields are doubles, nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "pairs.hpp"

namespace suffice {

struct Sum {
    static constexpr bool two_passes = false;
    double total;

    void add(double x, double w) { total += w * x; }
    void merge(const Sum& other) { total += other.total; }
};

// ln x! of whole numbers, from a table while it lasts.
inline double log_factorial(double x) {
    static const auto table = [] {
        std::array<double, 1024> t{};
        int sign = 0;
        for (int i = 0; i < 1024; ++i) t[i] = ::lgamma_r(i + 1.0, &sign);
        return t;
    }();
    if (x >= 0 && x < 1024) return table[static_cast<int>(x)];
    int sign = 0;
    return ::lgamma_r(x + 1.0, &sign);
}

struct PoissonSum {
    static constexpr bool two_passes = false;
    double total, log_factorials;

    void add(double x, double w) {
        total += w * x;
        log_factorials += w * log_factorial(x);
    }
    void merge(const PoissonSum& other) {
        total += other.total;
        log_factorials += other.log_factorials;
    }
};

// Zero when empty: values are positive. A row of no weight was not seen.
struct Largest {
    static constexpr bool two_passes = false;
    double value;

    void add(double x, double w) {
        if (w > 0) value = std::max(value, x);
    }
    void merge(const Largest& other) { value = std::max(value, other.value); }
};

// Weight, mean and scatter Σw(x−mean)², the last two as pairs. A block is read twice: first for its mean, then
// for the scatter about it, so that a mean of 1e8 costs no digits of a spread of 1.
struct Moment {
    static constexpr bool two_passes = true;
    double n, mean, mean_lo, scatter, scatter_lo;

    void add(double x, double w) {
        n += w;
        mean += w * x;
    }
    void centre() { mean = n > 0 ? mean / n : 0.0; }
    void add_again(double x, double w) {
        const double d = x - mean;
        mean_lo += w * d;
        scatter += w * (d * d);
    }
    void finish() {
        if (!(n > 0)) return;
        scatter = std::max(0.0, scatter - mean_lo * mean_lo / n);
        const Pair m = two_sum(mean, mean_lo / n);
        mean = m.hi;
        mean_lo = m.lo;
    }
    void merge(const Moment& other) {
        if (!(other.n > 0)) return;
        if (!(n > 0)) {
            *this = other;
            return;
        }
        const double together = n + other.n;
        const Pair delta = Pair{other.mean, other.mean_lo} - Pair{mean, mean_lo};
        const Pair part = quotient(other.n, together);
        const Pair m = Pair{mean, mean_lo} + delta * part;
        const Pair between = (delta * delta) * (part * Pair{n, 0.0});
        const Pair s = (Pair{scatter, scatter_lo} + Pair{other.scatter, other.scatter_lo}) + between;
        *this = {together, m.hi, m.lo, s.hi, s.lo};
    }
};

}  // namespace suffice
