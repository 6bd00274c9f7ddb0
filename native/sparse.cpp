#include "bind.hpp"

namespace suffice {

template <class Value, class Position>
Compressed<Value, Position> read_sparse(const Vector<Value>& value, const Vector<Position>& index,
                                        const Vector<Position>& start, Index rows, Index columns, bool transposed) {
    const Compressed<Value, Position> data{value.data(), index.data(), start.data(), rows, columns, transposed};
    const Index stored = std::min(value.shape(0), index.shape(0));
    if (static_cast<Index>(start.shape(0)) != data.lines() + 1 || !data.sound(stored)) {
        throw std::invalid_argument("the sparse matrix's indptr does not fit its entries");
    }
    return data;
}

template <class Cell, class Value, class Position>
bool count_sparse(Table out, Vector<Value> value, Vector<Position> index, Vector<Position> start, Index rows,
                  bool transposed, Vector<Index> code, Shares share, Vector<double> weight, Rule rule, int threads) {
    const auto data = read_sparse(value, index, start, rows, out.shape(1), transposed);
    const Groups groups = read_groups(rows, out.shape(0), code, share, weight);
    return count_into<Cell>(out, data, groups, rule, threads);
}

template <class Cell, class Value, class Position>
bool count_flags(Table out, Vector<Value> value, Vector<Position> index, Vector<Position> start, Index rows,
                 bool transposed, double threshold, Vector<Index> code, Shares share, Vector<double> weight, Rule rule,
                 int threads) {
    const auto data = read_sparse(value, index, start, rows, out.shape(1), transposed);
    const Groups groups = read_groups(rows, out.shape(0), code, share, weight);
    return count_into<Cell>(out, Above(data, threshold), groups, rule, threads);
}

template <class Out, class Value, class Position>
bool score_sparse(Out out, Vector<double> offset, Shares weight, Vector<Value> value, Vector<Position> index,
                  Vector<Position> start, Rule rule, int threads) {
    const auto data = read_sparse(value, index, start, out.shape(0), weight.shape(0), false);
    return score_into(out, offset, read_weights(weight), weight.shape(0), data, rule, threads);
}

template <class Out, class Value, class Position>
bool score_flags(Out out, Vector<double> offset, Shares weight, Vector<Value> value, Vector<Position> index,
                 Vector<Position> start, double threshold, Rule rule, int threads) {
    const auto data = read_sparse(value, index, start, out.shape(0), weight.shape(0), false);
    return score_into(out, offset, read_weights(weight), weight.shape(0), Above(data, threshold), rule, threads);
}

template <class Value, class Position>
bool score_risings(Scores out, Vector<double> offset, Shares shape, Shares logs, Vector<Value> value,
                   Vector<Position> index, Vector<Position> start, Rule rule, int threads) {
    const auto data = read_sparse(value, index, start, out.shape(0), shape.shape(0), false);
    const Risings risings = read_risings(shape, logs, offset.shape(0));
    return score_into(out, offset, risings, shape.shape(0), data, rule, threads);
}

template <class Out, class Value, class Position>
void bind_scores(nb::module_& m) {
    m.def("scores", &score_sparse<Out, Value, Position>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
          nb::arg("start").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("flag_scores", &score_flags<Out, Value, Position>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
          nb::arg("start").noconvert(), nb::arg("threshold"), nb::arg("rule"), nb::arg("threads"));
}

template <class Value, class Position>
void bind_value(nb::module_& m) {
    auto bind = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
              nb::arg("start").noconvert(), nb::arg("rows"), nb::arg("transposed"), nb::arg("code").noconvert(),
              nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    };
    bind("sums", &count_sparse<Sum, Value, Position>);
    bind("real_sums", &count_sparse<RealSum, Value, Position>);
    bind("poisson_sums", &count_sparse<PoissonSum, Value, Position>);
    bind("moments", &count_sparse<Moment, Value, Position>);
    auto bind_flags = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
              nb::arg("start").noconvert(), nb::arg("rows"), nb::arg("transposed"), nb::arg("threshold"),
              nb::arg("code").noconvert(), nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"),
              nb::arg("threads"));
    };
    bind_flags("flag_sums", &count_flags<Sum, Value, Position>);
    bind_flags("real_flag_sums", &count_flags<RealSum, Value, Position>);
    bind_scores<Scores, Value, Position>(m);
    bind_scores<Codes, Value, Position>(m);
    m.def("rising_scores", &score_risings<Value, Position>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("shape").noconvert(), nb::arg("logs").noconvert(), nb::arg("value").noconvert(),
          nb::arg("index").noconvert(), nb::arg("start").noconvert(), nb::arg("rule"), nb::arg("threads"));
}

// After `moments` of a sparse matrix: counts its absent entries as the zeros they are.
void absent_moments(Table out, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> class_weight,
                    int threads) {
    if (class_weight.shape(0) != out.shape(0) || class_weight.shape(1) != 2 || out.shape(2) * sizeof(double) != sizeof(Moment)) {
        throw std::invalid_argument("the weights must be pairs, one for each class of the table");
    }
    nb::gil_scoped_release release;
    add_absent(reinterpret_cast<const Pair*>(class_weight.data()), out.shape(0), out.shape(1), threads,
               reinterpret_cast<Moment*>(out.data()));
}

// Positions of 64 bits are rare: their values come as doubles, so that not every kernel is compiled once more for each type.
void bind_sparse(nb::module_& m) {
    bind_value<double, std::int32_t>(m);
    bind_value<float, std::int32_t>(m);
    bind_value<std::int64_t, std::int32_t>(m);
    bind_value<std::int32_t, std::int32_t>(m);
    bind_value<std::uint8_t, std::int32_t>(m);
    bind_value<double, std::int64_t>(m);
    m.def("absent_moments", &absent_moments, nb::arg("out").noconvert(), nb::arg("class_weight").noconvert(),
          nb::arg("threads"));
}

}  // namespace suffice
