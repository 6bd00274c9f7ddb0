#include "stream.hpp"

#include "compiler.hpp"

namespace suffice {

SUFFICE_FOR_EACH_PROCESSOR
void add_values(double* __restrict total, const double* __restrict x, double w, Index count) {
    for (Index j = 0; j < count; ++j) total[j] += w * x[j];
}

SUFFICE_FOR_EACH_PROCESSOR
void add_deviations(double* __restrict lost, double* __restrict scatter, double* __restrict rest,
                    const double* __restrict mean, const double* __restrict x, double w, Index count) {
    for (Index j = 0; j < count; ++j) {
        const double d = x[j] - mean[j];
        lost[j] += w * d;
        const Pair sum = two_sum(scatter[j], w * (d * d));
        scatter[j] = sum.hi;
        rest[j] += sum.lo;
    }
}

}  // namespace suffice
