#include "bind.hpp"

namespace suffice {

// A sparse matrix as scipy gives it: values, indices and line starts, the last two of one type.
Compressed read_sparse(const List& value, const List& index, const List& start, Index rows, Index columns,
                       bool transposed) {
    const Numbers::Type kind = read_numbers(index).type;
    if (kind != read_numbers(start).type || (kind != Numbers::Type::i32 && kind != Numbers::Type::i64)) {
        throw nb::type_error("indices and line starts must be whole numbers of one type");
    }
    const bool wide = kind == Numbers::Type::i64;
    const Compressed data{{read_numbers(value)}, {index.data(), wide}, {start.data(), wide}, rows, columns, transposed};
    const Index stored = std::min(value.shape(0), index.shape(0));
    if (static_cast<Index>(start.shape(0)) != data.lines() + 1 || !data.sound(stored)) {
        throw std::invalid_argument("the sparse matrix's indptr does not fit its entries");
    }
    return data;
}

Compressed flags(Compressed data, double threshold) {
    data.values.flags = true;
    data.values.threshold = threshold;
    return data;
}

template <class Cell>
bool count_sparse(Table out, List value, List index, List start, Index rows, bool transposed, Vector<Index> code,
                  Shares share, Vector<double> weight, Rule rule, int threads) {
    const Compressed data = read_sparse(value, index, start, rows, out.shape(1), transposed);
    return count_into<Cell>(out, data, read_groups(rows, out.shape(0), code, share, weight), rule, threads);
}

template <class Cell>
bool count_flags(Table out, List value, List index, List start, Index rows, bool transposed, double threshold,
                 Vector<Index> code, Shares share, Vector<double> weight, Rule rule, int threads) {
    const Compressed data = flags(read_sparse(value, index, start, rows, out.shape(1), transposed), threshold);
    return count_into<Cell>(out, data, read_groups(rows, out.shape(0), code, share, weight), rule, threads);
}

bool score_sparse(Answers out, Vector<double> offset, Shares weight, List value, List index, List start, Rule rule,
                  int threads) {
    const Compressed data = read_sparse(value, index, start, out.shape(0), weight.shape(0), false);
    return score_into(out, offset, read_weights(weight), weight.shape(0), data, rule, threads);
}

bool score_flags(Answers out, Vector<double> offset, Shares weight, List value, List index, List start,
                 double threshold, Rule rule, int threads) {
    const Compressed data = flags(read_sparse(value, index, start, out.shape(0), weight.shape(0), false), threshold);
    return score_into(out, offset, read_weights(weight), weight.shape(0), data, rule, threads);
}

bool score_risings(Answers out, Vector<double> offset, Shares shape, Shares logs, List value, List index, List start,
                   Rule rule, int threads) {
    const Compressed data = read_sparse(value, index, start, out.shape(0), shape.shape(0), false);
    return score_into(out, offset, read_risings(shape, logs, offset.shape(0)), shape.shape(0), data, rule, threads);
}

// To be called after `moments` of a sparse matrix: counts its absent entries as zeros.
void absent_moments(Table out, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> class_weight,
                    int threads) {
    if (class_weight.shape(0) != out.shape(0) || class_weight.shape(1) != 2 || out.shape(2) * sizeof(double) != sizeof(Moment)) {
        throw std::invalid_argument("the weights must be pairs, one for each class of the table");
    }
    nb::gil_scoped_release release;
    add_absent(reinterpret_cast<const Pair*>(class_weight.data()), out.shape(0), out.shape(1), threads,
               reinterpret_cast<Moment*>(out.data()));
}

void bind_sparse_sums(nb::module_& m) {
    auto bind = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
              nb::arg("start").noconvert(), nb::arg("rows"), nb::arg("transposed"), nb::arg("code").noconvert(),
              nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    };
    bind("sums", &count_sparse<Sum>);
    bind("real_sums", &count_sparse<RealSum>);
    bind("poisson_sums", &count_sparse<PoissonSum>);
    bind("moments", &count_sparse<Moment>);
    auto bind_flags = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
              nb::arg("start").noconvert(), nb::arg("rows"), nb::arg("transposed"), nb::arg("threshold"),
              nb::arg("code").noconvert(), nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"),
              nb::arg("threads"));
    };
    bind_flags("flag_sums", &count_flags<Sum>);
    bind_flags("real_flag_sums", &count_flags<RealSum>);
}

void bind_sparse(nb::module_& m) {
    bind_sparse_sums(m);
    m.def("scores", &score_sparse, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
          nb::arg("start").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("flag_scores", &score_flags, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("value").noconvert(), nb::arg("index").noconvert(),
          nb::arg("start").noconvert(), nb::arg("threshold"), nb::arg("rule"), nb::arg("threads"));
    m.def("rising_scores", &score_risings, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("shape").noconvert(), nb::arg("logs").noconvert(), nb::arg("value").noconvert(),
          nb::arg("index").noconvert(), nb::arg("start").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("absent_moments", &absent_moments, nb::arg("out").noconvert(), nb::arg("class_weight").noconvert(),
          nb::arg("threads"));
}

}  // namespace suffice
