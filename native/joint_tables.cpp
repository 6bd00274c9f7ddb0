// Joint values of two or three columns: their counts by class, and rows scored by the lines of their joint values.
#include "joint_sets.hpp"

namespace suffice {
namespace {

// Counts rows by class and joint value of each set, in consecutive tables of classes × joint values. Each table is counted
// in the order of rows, a few sets at a time, so that columns are read from the cache.
struct Tables {
    const Code* codes;
    const Index* label;    // nullptr for a single class
    const double* weight;  // nullptr for weights of one
    Index rows, classes;

    template <Index width, bool labelled, bool weighed>
    void add(const Set& set, Index first, Index last, double* out) const {
        std::array<const Code*, 3> column{};
        for (Index k = 0; k < width; ++k) column[k] = codes + set.column[k] * rows;
        for (Index i = first; i < last; ++i) {
            Code lacks = column[0][i] | column[1][i];
            Index place = labelled ? label[i] : 0;
            for (Index k = 0; k < width; ++k) place = place * set.size[k] + column[k][i];
            if constexpr (width == 3) lacks |= column[2][i];
            if (lacks < 0) continue;
            out[place] += weighed ? weight[i] : 1.0;
        }
    }

    template <Index width>
    void add(const Set& set, Index first, Index last, double* out) const {
        if (label) {
            weight ? add<width, true, true>(set, first, last, out) : add<width, true, false>(set, first, last, out);
        } else {
            weight ? add<width, false, true>(set, first, last, out) : add<width, false, false>(set, first, last, out);
        }
    }

    void count(const std::vector<Set>& sets, const std::vector<Index>& offset, int threads, double* out) const {
        constexpr Index some = 8, block = Index{1} << 12;
        const Index count = static_cast<Index>(sets.size());
        if (count * rows < (Index{1} << 15)) threads = 1;
        parallel_for((count + some - 1) / some, threads, [&](Index part) {
            for (Index first = 0; first < rows; first += block) {
                const Index last = std::min(rows, first + block);
                for (Index s = part * some; s < std::min(count, (part + 1) * some); ++s) {
                    sets[s].width == 2 ? add<2>(sets[s], first, last, out + offset[s])
                                       : add<3>(sets[s], first, last, out + offset[s]);
                }
            }
        });
    }
};

// Adds to each row the line of its joint value in each set; lines are joint values × classes.
struct JointLines {
    const Code* codes;
    Index rows, classes;

    template <Index width>
    void add(const Set& set, const double* lines, Index first, Index last, double* out) const {
        std::array<const Code*, 3> column{};
        for (Index k = 0; k < width; ++k) column[k] = codes + set.column[k] * rows;
        for (Index i = first; i < last; ++i) {
            Code lacks = column[0][i] | column[1][i];
            Index place = column[0][i] * set.size[1] + column[1][i];
            if constexpr (width == 3) {
                lacks |= column[2][i];
                place = place * set.size[2] + column[2][i];
            }
            if (lacks < 0) continue;
            const double* line = lines + place * classes;
            double* mine = out + i * classes;
            for (Index c = 0; c < classes; ++c) mine[c] += line[c];
        }
    }

    void add_all(const std::vector<Set>& sets, const std::vector<Index>& offset, const double* lines, int threads,
                 double* out) const {
        constexpr Index block = Index{1} << 10;
        const Index parts = (rows + block - 1) / block;
        if (rows * static_cast<Index>(sets.size()) < (Index{1} << 15)) threads = 1;
        parallel_for(parts, threads, [&](Index part) {
            const Index first = part * block, last = std::min(rows, first + block);
            for (std::size_t s = 0; s < sets.size(); ++s) {
                sets[s].width == 2 ? add<2>(sets[s], lines + offset[s], first, last, out)
                                   : add<3>(sets[s], lines + offset[s], first, last, out);
            }
        });
    }
};

}  // namespace

void bind_joint_tables(nb::module_& m) {
    using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    m.def(
        "joint_tables",
        [](const Out& out, const CodeTable& codes, const Vector<Index>& sizes, const Vector<Index>& label,
           const Vector<double>& weight, const SetTable& sets, Index classes, int threads) {
            const Index rows = codes.shape(1);
            const std::vector<Set> all = read_sets(sets, sizes);
            const std::vector<Index> offset = offsets(all, classes);
            check_sets(codes.shape(0) == sizes.shape(0) && static_cast<Index>(out.shape(0)) == offset.back() &&
                  inside(codes, sizes) && (weight.shape(0) == 0 || static_cast<Index>(weight.shape(0)) == rows) &&
                  (label.shape(0) == 0 ? classes == 1 || rows == 0 : static_cast<Index>(label.shape(0)) == rows) &&
                  std::all_of(label.data(), label.data() + label.shape(0), [&](Index c) { return c >= 0 && c < classes; }));
            const Tables tables{codes.data(), label.shape(0) ? label.data() : nullptr,
                                weight.shape(0) ? weight.data() : nullptr, rows, classes};
            nb::gil_scoped_release release;
            tables.count(all, offset, threads, out.data());
        },
        nb::arg("out").noconvert(), nb::arg("codes").noconvert(), nb::arg("sizes").noconvert(),
        nb::arg("label").noconvert(), nb::arg("weight").noconvert(), nb::arg("sets").noconvert(), nb::arg("classes"),
        nb::arg("threads"));
    m.def(
        "add_joint_lines",
        [](const Scores& out, const CodeTable& codes, const Vector<Index>& sizes, const SetTable& sets,
           const Vector<double>& lines, int threads) {
            const Index rows = codes.shape(1), classes = out.shape(1);
            const std::vector<Set> all = read_sets(sets, sizes);
            const std::vector<Index> offset = offsets(all, classes);
            check_sets(codes.shape(0) == sizes.shape(0) && static_cast<Index>(out.shape(0)) == rows && inside(codes, sizes) &&
                  static_cast<Index>(lines.shape(0)) == offset.back());
            nb::gil_scoped_release release;
            JointLines{codes.data(), rows, classes}.add_all(all, offset, lines.data(), threads, out.data());
        },
        nb::arg("out").noconvert(), nb::arg("codes").noconvert(), nb::arg("sizes").noconvert(),
        nb::arg("sets").noconvert(), nb::arg("lines").noconvert(), nb::arg("threads"));
}

}  // namespace suffice
