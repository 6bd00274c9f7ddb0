// Joint columns (sets of two or three columns, by number), and codes of the columns' values, −1 for missing.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <vector>

#include "bind.hpp"

namespace suffice {

using Code = std::int32_t;
using CodeTable = nb::ndarray<const Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using SetTable = nb::ndarray<const Index, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void check_sets(bool good) {
    if (!good) throw std::invalid_argument("rows, columns and sets of columns do not fit together");
}

inline bool inside(const CodeTable& codes, const Vector<Index>& sizes) {
    const Index rows = codes.shape(1);
    for (std::size_t j = 0; j < codes.shape(0); ++j) {
        for (const Code* code = codes.data() + j * rows; code < codes.data() + (j + 1) * rows; ++code) {
            if (*code < -1 || *code >= sizes.data()[j]) return false;
        }
    }
    return true;
}

// Two or three columns; if there are two, the third has a single value.
struct Set {
    Index width;
    std::array<Index, 3> column, size;

    Index cells() const { return size[0] * size[1] * size[2]; }
};

// Sets × 3 columns, the third −1 if there are two.
inline std::vector<Set> read_sets(const SetTable& sets, const Vector<Index>& sizes) {
    const Index columns = sizes.shape(0);
    check_sets(sets.shape(1) == 3);
    std::vector<Set> out;
    for (std::size_t s = 0; s < sets.shape(0); ++s) {
        Set set{3, {}, {1, 1, 1}};
        for (Index k = 0; k < 3; ++k) {
            const Index j = sets.data()[s * 3 + k];
            if (k == 2 && j == -1) {
                set.width = 2;
                continue;
            }
            check_sets(j >= 0 && j < columns);
            set.column[k] = j;
            set.size[k] = sizes.data()[j];
        }
        check_sets(set.cells() <= std::numeric_limits<Code>::max());
        out.push_back(set);
    }
    return out;
}

// Returns where the table of each set begins, for a number of classes, and where the last one ends.
inline std::vector<Index> offsets(const std::vector<Set>& sets, Index classes) {
    std::vector<Index> out{0};
    for (const Set& set : sets) out.push_back(out.back() + classes * set.cells());
    return out;
}

}  // namespace suffice
