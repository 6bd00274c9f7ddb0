// What a cell of a table stores about the values counted into it: doubles only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler.hpp"
#include "pairs.hpp"

namespace suffice {

struct Sum {
    static constexpr bool two_passes = false;
    double total;

    void add(double x, double w) { total += w * x; }
    void merge(const Sum& other) { total += other.total; }
};

// A sum of real weights with about 32 digits: rounding errors are kept beside it.
struct RealSum {
    static constexpr bool two_passes = false;
    double total, lost;

    void add(double x, double w) { gather({w * x, 0.0}); }
    void merge(const RealSum& other) { gather({other.total, other.lost}); }

   private:
    void gather(Pair part) {
        const Pair sum = Pair{total, lost} + part;
        *this = {sum.hi, sum.lo};
    }
};

// ln x! of whole numbers, from a table as far as it reaches.
inline double log_factorial(double x) {
    static const auto table = [] {
        std::array<double, 1024> t{};
        for (int i = 0; i < 1024; ++i) t[i] = log_gamma(i + 1.0);
        return t;
    }();
    return x >= 0 && x < 1024 ? table[static_cast<int>(x)] : log_gamma(x + 1.0);
}

struct PoissonSum {
    static constexpr bool two_passes = false;
    RealSum total, log_factorials;

    void add(double x, double w) {
        total.add(x, w);
        if (x > 1) log_factorials.add(log_factorial(x), w);
    }
    void merge(const PoissonSum& other) {
        total.merge(other.total);
        log_factorials.merge(other.log_factorials);
    }
};

// Zero if empty, since values are positive. Rows of weight zero do not count.
struct Largest {
    static constexpr bool two_passes = false;
    double value;

    void add(double x, double w) {
        if (w > 0) value = std::max(value, x);
    }
    void merge(const Largest& other) { value = std::max(value, other.value); }
};

// Weight, mean and scatter Σw(x−mean)², all as pairs. A block is read twice, first for its mean, then for the scatter about
// it, so that a mean of 1e8 costs no digits of a spread of 1. Rounding errors of sums of squares are kept, too: the error
// of a scatter is a few of its last bits, however many rows it sums.
struct Moment {
    static constexpr bool two_passes = true;
    Pair n, mean, scatter;

    void add(double x, double w) {
        n = n + Pair{w, 0.0};
        mean.hi += w * x;
    }
    void add_weighed(double x, double w) { mean.hi += w * x; }  // n is known from the rows
    void centre() { mean.hi = n.hi > 0 ? mean.hi / n.hi : 0.0; }
    void add_again(double x, double w) {
        const double d = x - mean.hi;
        mean.lo += w * d;
        const Pair sum = two_sum(scatter.hi, w * (d * d));
        scatter = {sum.hi, scatter.lo + sum.lo};
    }
    void finish() {
        if (!(n.hi > 0)) return;
        scatter = two_sum(scatter.hi - mean.lo * mean.lo / n.hi, scatter.lo);
        if (scatter.hi <= 0) scatter = {0.0, 0.0};
        mean = two_sum(mean.hi, mean.lo / n.hi);
    }
    void merge(const Moment& other) {
        if (!(other.n.hi > 0)) return;
        if (!(n.hi > 0)) {
            *this = other;
            return;
        }
        const Pair together = n + other.n, part = quotient(other.n, together);
        const Pair delta = other.mean - mean;
        scatter = scatter + other.scatter + (delta * delta) * (part * n);
        mean = mean + delta * part;
        n = together;
    }
};

}  // namespace suffice
