// Scores of counts whose parameters are integrated out: Σ ln a(a+1)…(a+x−1) over the entries x > 0 of a row.
#pragma once

#include <cmath>

#include "compiler.hpp"
#include "score.hpp"

namespace suffice {

// ln Γ(z) − ((z−½) ln z − z + ½ ln 2π), for z ≥ 16
inline double stirling_tail(double z) {
    const double y = 1 / (z * z);
    return (1.0 / 12 - y * (1.0 / 360 - y * (1.0 / 1260 - y * (1.0 / 1680 - y / 1188)))) / z;
}

// ln Γ(a+n) − ln Γ(a), accurately even if both are huge and nearly equal
inline double log_rising(double a, double n) {
    if (a >= 16) {
        const double end = a + n;
        return (a - 0.5) * std::log1p(n / a) + n * std::log(end) - n + (stirling_tail(end) - stirling_tail(a));
    }
    return log_gamma(a + n) - log_gamma(a);
}

// Tables of a and of ln a, one line per cell. Most words occur once and need only the second.
struct Risings {
    static constexpr int few = 24;  // factors that are multiplied before one logarithm is taken
    const double* shape;
    const double* logs;
    Index width, classes;

    void add(const Index* cells, Index first, const double* values, Index count, double* line) const {
        for (Index k = 0; k < count; ++k) {
            const double x = values ? values[k] : 1.0;
            if (x == 0) continue;
            const Index at = (cells ? cells[k] : first + k) * width;
            for (Index c = 0; c < width; ++c) line[c] += logs[at + c];
            if (x != 1) repeat(shape + at, x, line);
        }
    }

    // all factors but the first
    void repeat(const double* a, double x, double* line) const {
        const bool product = x <= few && x == std::floor(x);
        for (Index c = 0; c < classes; ++c) {
            double p = a[c] + 1;
            for (int r = 2; product && r < x; ++r) p *= a[c] + r;
            line[c] += product && p < HUGE_VAL ? std::log(p) : log_rising(a[c] + 1, x - 1);
        }
    }
};

}  // namespace suffice
