// A number as the unevaluated sum of two doubles, about 32 significant digits.
#pragma once

#include <cmath>

namespace suffice {

struct Pair {
    double hi, lo;
};

inline Pair two_sum(double a, double b) {
    const double s = a + b, bb = s - a;
    return {s, (a - (s - bb)) + (b - bb)};
}

inline Pair quick_two_sum(double a, double b) {  // |a| >= |b|
    const double s = a + b;
    return {s, b - (s - a)};
}

inline Pair two_product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};  // exact, with or without a fused multiply-add instruction
}

inline Pair operator+(Pair a, Pair b) {
    Pair s = two_sum(a.hi, b.hi);
    const Pair t = two_sum(a.lo, b.lo);
    s = quick_two_sum(s.hi, s.lo + t.hi);
    return quick_two_sum(s.hi, s.lo + t.lo);
}

inline Pair operator-(Pair a, Pair b) { return a + Pair{-b.hi, -b.lo}; }

inline Pair operator*(Pair a, Pair b) {
    const Pair p = two_product(a.hi, b.hi);
    return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline Pair quotient(Pair a, Pair b) {
    const double q = a.hi / b.hi;
    const Pair rest = a - Pair{q, 0.0} * b;
    return quick_two_sum(q, rest.hi / b.hi);
}

}  // namespace suffice
