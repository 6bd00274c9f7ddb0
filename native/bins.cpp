// Bins of numbers: which cuts between places in a row have the highest evidence, of all sets of cuts.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bind.hpp"

namespace suffice {
namespace {

// Σ_c ln a(a+1)…(a+n_c−1): small whole numbers are multiplied, with one logarithm for many of them.
double log_risings(double a, const double* n, Index classes) {
    constexpr double few = 48, large = 1e200, small = 1e-200;
    double sum = 0, product = 1, whole = 0;
    bool known = false;
    for (Index c = 0; c < classes; ++c) {
        if (n[c] == 0) continue;
        if (n[c] > few || n[c] != std::floor(n[c]) || !(a < 1e3)) {
            if (a >= 16) {
                sum += log_rising(a, n[c]);
                continue;
            }
            if (!known) whole = log_gamma(a);
            known = true;
            sum += log_gamma(a + n[c]) - whole;
            continue;
        }
        for (double r = 0; r < n[c]; ++r) {
            product *= a + r;
            if (product > large || product < small) {
                sum += std::log(product);
                product = 1;
            }
        }
    }
    return sum + std::log(product);
}

// Pieces of `places` from i up to j have the evidence Σ_c ln DirichletMultinomial, but for what all cuts share, less the
// price of a cut; `size` says what part of the prior each place has. Writes where the pieces of the best cuts begin, and
// returns how many there are, and their evidence.
nb::tuple best_cuts(Shares counts, Vector<double> size, double strength, double price,
                    nb::ndarray<Index, nb::ndim<1>, nb::c_contig> out) {
    const Index classes = counts.shape(0), places = counts.shape(1);
    if (static_cast<Index>(size.shape(0)) != places || static_cast<Index>(out.shape(0)) != places || places == 0 ||
        !(strength > 0)) {
        throw std::invalid_argument("counts, sizes and cuts do not fit together");
    }
    Index pieces = 0;
    std::vector<double> best(places + 1, 0.0);
    {
        nb::gil_scoped_release release;
        double total = 0;
        for (Index k = 0; k < places; ++k) total += size.data()[k];
        std::vector<double> gain((places + 1) * (places + 1)), inside(classes);
        for (Index i = 0; i < places; ++i) {
            std::fill(inside.begin(), inside.end(), 0.0);
            double mine = 0;
            for (Index j = i + 1; j <= places; ++j) {
                double rows = 0;
                for (Index c = 0; c < classes; ++c) rows += inside[c] += counts.data()[c * places + j - 1];
                mine += size.data()[j - 1];
                const double share = std::max(mine / total, std::numeric_limits<double>::min());
                gain[j * (places + 1) + i] =
                    log_risings(strength * share, inside.data(), classes) - rows * std::log(share) - price;
            }
        }
        std::vector<Index> back(places + 1, 0);
        for (Index end = 1; end <= places; ++end) {
            double highest = -std::numeric_limits<double>::infinity();
            for (Index begin = 0; begin < end; ++begin) {
                const double sum = best[begin] + gain[end * (places + 1) + begin];
                if (sum > highest) {
                    highest = sum;
                    back[end] = begin;
                }
            }
            best[end] = highest;
        }
        for (Index end = places; end > 0; end = back[end]) out.data()[pieces++] = back[end];
        std::reverse(out.data(), out.data() + pieces);
    }
    return nb::make_tuple(pieces, best[places]);
}

}  // namespace

void bind_bins(nb::module_& m) {
    m.def("best_cuts", &best_cuts, nb::arg("counts").noconvert(), nb::arg("size").noconvert(), nb::arg("strength"),
          nb::arg("price"), nb::arg("out").noconvert(),
          "Write where the bins of highest evidence begin; return how many there are, and their evidence.");
}

}  // namespace suffice
