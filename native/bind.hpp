// Converts numpy arrays to the views of the kernels. Every function releases the interpreter while it counts.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "accumulate.hpp"
#include "rising.hpp"
#include "score.hpp"

namespace nb = nanobind;

namespace suffice {

// Matrices and lists of any type that `Numbers` reads; other types are refused when they are read.
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using List = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Value>
using Vector = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shares = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Empty labels mean a single class; empty shares mean hard labels; empty weights mean ones.
inline Groups read_groups(Index rows, Index classes, const Vector<Index>& code, const Shares& share,
                          const Vector<double>& weight) {
    auto fits = [&](Index length) { return length == 0 || length == rows; };
    if (!fits(code.shape(0)) || !fits(share.shape(0)) || !fits(weight.shape(0))) {
        throw std::invalid_argument("labels or weights differ in length from the rows");
    }
    if (share.shape(0) && static_cast<Index>(share.shape(1)) != classes) {
        throw std::invalid_argument("shares differ in width from the classes");
    }
    if (!code.shape(0) && !share.shape(0) && classes != 1 && rows > 0) {
        throw std::invalid_argument("rows without labels make one class");
    }
    for (std::size_t i = 0; i < code.shape(0); ++i) {
        if (code.data()[i] < 0 || code.data()[i] >= classes) throw std::out_of_range("a label is out of range");
    }
    return {code.shape(0) ? code.data() : nullptr, share.shape(0) ? share.data() : nullptr,
            weight.shape(0) ? weight.data() : nullptr, rows, classes};
}

template <class Array>
Numbers read_numbers(const Array& data) {
    const nb::dlpack::dtype type = data.dtype();
    const auto known = type == nb::dtype<double>()         ? Numbers::Type::f64
                       : type == nb::dtype<float>()        ? Numbers::Type::f32
                       : type == nb::dtype<std::int64_t>() ? Numbers::Type::i64
                       : type == nb::dtype<std::int32_t>() ? Numbers::Type::i32
                       : type == nb::dtype<std::uint8_t>() ? Numbers::Type::u8
                                                           : throw nb::type_error("numbers of an unknown type");
    return {data.data(), known};
}

inline Dense read_dense(const Matrix& data) {
    return {{read_numbers(data)}, static_cast<Index>(data.shape(0)), static_cast<Index>(data.shape(1)), data.stride(0),
            data.stride(1)};
}

// Returns the rows of `out` as cells, after checking that they fit.
template <class Cell, class Data>
bool count_into(const Table& out, const Data& data, const Groups& groups, const Rule& rule, int threads) {
    static_assert(sizeof(Cell) % sizeof(double) == 0);
    if (static_cast<Index>(out.shape(0)) != groups.classes || static_cast<Index>(out.shape(1)) != data.cells() ||
        out.shape(2) * sizeof(double) != sizeof(Cell)) {
        throw std::invalid_argument("the table to fill has the wrong shape");
    }
    nb::gil_scoped_release release;
    return accumulate(data, groups, rule, threads, reinterpret_cast<Cell*>(out.data()));
}

// A table of scores, rows × classes, to fill.
using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// A table of scores, or the best class of each row.
using Answers = nb::ndarray<nb::c_contig, nb::device::cpu>;

inline Finish read_answers(const Answers& out, Index rows, Index classes) {
    const bool all = out.ndim() == 2 && out.dtype() == nb::dtype<double>();
    if (!all && (out.ndim() != 1 || out.dtype() != nb::dtype<Index>())) throw nb::type_error("neither scores nor classes");
    if (static_cast<Index>(out.shape(0)) != rows || (all && static_cast<Index>(out.shape(1)) != classes)) {
        throw std::invalid_argument("scores, weights and rows differ in shape");
    }
    return {all ? static_cast<double*>(out.data()) : nullptr, all ? nullptr : static_cast<Index*>(out.data()), classes};
}

template <class Data, class Terms>
bool score_into(const Answers& out, const Vector<double>& offset, const Terms& terms, Index lines, const Data& data,
                const Rule& rule, int threads) {
    const Finish finish = read_answers(out, data.rows, offset.shape(0));
    if (lines != data.cells() || terms.width != padded(finish.classes)) {
        throw std::invalid_argument("scores, weights and rows differ in shape");
    }
    nb::gil_scoped_release release;
    return score_rows(data, terms, offset.data(), rule, threads, finish);
}

inline Weights read_weights(const Shares& weight) { return {weight.data(), static_cast<Index>(weight.shape(1))}; }

inline Risings read_risings(const Shares& shape, const Shares& logs, Index classes) {
    if (shape.shape(0) != logs.shape(0) || shape.shape(1) != logs.shape(1)) {
        throw std::invalid_argument("shapes and their logarithms differ in shape");
    }
    return {shape.data(), logs.data(), static_cast<Index>(shape.shape(1)), classes};
}

void bind_dense(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_evidence(nb::module_& m);
void bind_distance(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_rows(nb::module_& m);
void bind_joint(nb::module_& m);
void bind_joint_tables(nb::module_& m);
void bind_residuals(nb::module_& m);
void bind_word_residuals(nb::module_& m);
void bind_bins(nb::module_& m);

}  // namespace suffice
