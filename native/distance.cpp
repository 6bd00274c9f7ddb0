// Squared distances of rows from the means of classes, each in units of the class's own shape: |(x − m)·root|².
//
// Eight rows lie side by side, and eight coordinates are computed at a time, so that all sums stay in registers. Every
// coordinate is summed over the columns in order: the bits are the same on every processor, and with any number of threads.
#include <cstring>
#include <vector>

#include "bind.hpp"
#include "compiler.hpp"

namespace suffice {
namespace {

constexpr Index rows_at_once = 8, axes_at_once = 8, block = 512;

SUFFICE_INLINE void load(Eight& some, const double* at) { std::memcpy(&some, at, sizeof(some)); }

// The transformation of rows: for each body its mean, and its axes, eight of them side by side for each column.
struct Bodies {
    const double* middle;         // bodies × d
    const double* turned;         // classes × rank: transformed means of classes that share a body; or empty
    Index bodies, classes, d, rank;
    std::vector<double> axes;     // bodies × blocks × d × 8, padded with zero axes
    std::vector<Index> length;    // bodies × blocks: columns up to the last one that is nonzero in any axis

    Index blocks() const { return (rank + axes_at_once - 1) / axes_at_once; }

    void pack(const double* given) {
        axes.assign(bodies * blocks() * d * axes_at_once, 0.0);
        length.assign(bodies * blocks(), 0);
        for (Index body = 0; body < bodies; ++body) {
            for (Index k = 0; k < rank; ++k) {
                const Index place = body * blocks() + k / axes_at_once;
                for (Index j = 0; j < d; ++j) {
                    const double value = given[(body * rank + k) * d + j];
                    axes[(place * d + j) * axes_at_once + k % axes_at_once] = value;
                    if (value != 0) length[place] = std::max(length[place], j + 1);
                }
            }
        }
    }
};

// z_k = Σ_j (x_j − m_j)·axis_kj of eight rows; `away` is d × 8
SUFFICE_INLINE void turn(const Bodies& all, Index body, const double* away, double* z) {
    for (Index k = 0; k < all.blocks(); ++k) {
        const Index place = body * all.blocks() + k, most = all.length[place];
        const double* axes = all.axes.data() + place * all.d * axes_at_once;
        Eight sum[axes_at_once] = {};
        for (Index j = 0; j < most; ++j) {
            Eight x;
            load(x, away + j * rows_at_once);
            for (Index q = 0; q < axes_at_once; ++q) sum[q] += x * axes[j * axes_at_once + q];
        }
        for (Index q = 0; q < axes_at_once; ++q) {
            std::memcpy(z + (k * axes_at_once + q) * rows_at_once, &sum[q], sizeof(Eight));
        }
    }
}

// Writes the distances of eight rows, x as d × 8, to a table of classes × 8.
SUFFICE_FOR_EACH_PROCESSOR
void measure(const Bodies& all, const double* x, double* away, double* z, double* out) {
    for (Index body = 0; body < all.bodies; ++body) {
        for (Index j = 0; j < all.d; ++j) {
            Eight part;
            load(part, x + j * rows_at_once);
            part -= all.middle[body * all.d + j];
            std::memcpy(away + j * rows_at_once, &part, sizeof(part));
        }
        turn(all, body, away, z);
        const Index classes = all.turned ? all.classes : 1;
        for (Index c = 0; c < classes; ++c) {
            Eight sum = {};
            for (Index k = 0; k < all.rank; ++k) {
                Eight part;
                load(part, z + k * rows_at_once);
                if (all.turned) part -= all.turned[c * all.rank + k];
                sum += part * part;
            }
            std::memcpy(out + (all.turned ? c : body) * rows_at_once, &sum, sizeof(sum));
        }
    }
}

bool all_distances(const Dense& data, const Bodies& all, const Rule& rule, int threads, double* out) {
    std::atomic<bool> good{true};
    const Index blocks = (data.rows + block - 1) / block;
    if (data.rows * all.d * all.bodies < (1 << 16)) threads = 1;
    parallel_for(blocks, threads, [&](Index b) {
        std::vector<double> x(all.d * rows_at_once), away(all.d * rows_at_once);
        std::vector<double> z(all.blocks() * axes_at_once * rows_at_once);
        std::vector<double> found(all.classes * rows_at_once);
        const Index end = std::min(data.rows, (b + 1) * block);
        for (Index first = b * block; first < end; first += rows_at_once) {
            const Index some = std::min(rows_at_once, end - first);
            bool held = true;
            for (Index r = 0; r < some; ++r) {
                held &= data.row(first + r, rule, [&](Index j, double value) { x[j * rows_at_once + r] = value; });
            }
            if (!held) good = false;
            measure(all, x.data(), away.data(), z.data(), found.data());
            for (Index r = 0; r < some; ++r) {
                for (Index c = 0; c < all.classes; ++c) {
                    out[(first + r) * all.classes + c] = found[c * rows_at_once + r];
                }
            }
        }
    });
    return good;
}

using Axes = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Plane = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace

void bind_distance(nb::module_& m) {
    m.def(
        "distances",
        [](const Scores& out, const Plane& middle, const Axes& axes, const Plane& turned, const Matrix& rows,
           const Rule& rule, int threads) {
            const auto data = read_dense(rows);
            const Index bodies = axes.shape(0), rank = axes.shape(1), d = axes.shape(2), classes = out.shape(1);
            const bool shared = turned.shape(0) > 0;
            if (d != data.columns || static_cast<Index>(out.shape(0)) != data.rows ||
                static_cast<Index>(middle.shape(0)) != bodies || static_cast<Index>(middle.shape(1)) != d ||
                (shared ? bodies != 1 || static_cast<Index>(turned.shape(0)) != classes ||
                              static_cast<Index>(turned.shape(1)) != rank
                        : bodies != classes)) {
                throw std::invalid_argument("distances, axes and rows differ in shape");
            }
            Bodies all{middle.data(), shared ? turned.data() : nullptr, bodies, classes, d, rank, {}, {}};
            all.pack(axes.data());
            nb::gil_scoped_release release;
            return all_distances(data, all, rule, threads, out.data());
        },
        nb::arg("out").noconvert(), nb::arg("middle").noconvert(), nb::arg("axes").noconvert(),
        nb::arg("turned").noconvert(),
        nb::arg("data").noconvert(), nb::arg("rule"), nb::arg("threads"));
}

}  // namespace suffice
