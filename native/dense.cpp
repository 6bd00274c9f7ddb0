#include "bind.hpp"
#include "scatter.hpp"

namespace suffice {

template <class Cell, class Value>
bool count_dense(Table out, Matrix<Value> data, Vector<Index> code, Shares share, Vector<double> weight, Rule rule,
                 int threads) {
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    return count_into<Cell>(out, read_dense(data), groups, rule, threads);
}

template <class Value>
bool count_categories(Table out, Matrix<Value> data, Vector<Index> offset, Vector<Index> code, Shares share,
                      Vector<double> weight, Rule rule, int threads) {
    if (offset.shape(0) != data.shape(1) + 1) throw std::invalid_argument("one offset per column, and the end");
    for (std::size_t j = 0; j + 1 < offset.shape(0); ++j) {
        if (offset.data()[j] > offset.data()[j + 1]) throw std::invalid_argument("offsets must not fall");
    }
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    const Dense<Value> codes = read_dense(data);
    const OneHot<Value> ones{codes, offset.data(), codes.rows, codes.columns};
    return out.shape(2) == 1 ? count_into<Sum>(out, ones, groups, rule, threads)
                             : count_into<RealSum>(out, ones, groups, rule, threads);
}

template <class Value>
bool score_dense(Scores out, Shares weight, Matrix<Value> data, Rule rule, int threads) {
    return score_into(out, weight, read_dense(data), rule, threads);
}

template <class Value>
bool score_normals(Scores out, Shares mean, Shares precision, Matrix<Value> data, Rule rule, int threads) {
    const Dense<Value> rows = read_dense(data);
    if (static_cast<Index>(out.shape(0)) != rows.rows || static_cast<Index>(mean.shape(0)) != rows.columns ||
        mean.shape(0) != precision.shape(0) || mean.shape(1) != precision.shape(1) || out.shape(1) != mean.shape(1)) {
        throw std::invalid_argument("scores, means, precisions and rows differ in shape");
    }
    nb::gil_scoped_release release;
    const Bells bells{mean.data(), precision.data(), static_cast<Index>(mean.shape(1))};
    return score_rows(rows, bells, rule, threads, out.data());
}

template <class Value>
bool score_categories(Scores out, Shares weight, Matrix<Value> data, Vector<Index> offset, Rule rule, int threads) {
    if (offset.shape(0) != data.shape(1) + 1) throw std::invalid_argument("one offset per column, and the end");
    const Dense<Value> codes = read_dense(data);
    return score_into(out, weight, OneHot<Value>{codes, offset.data(), codes.rows, codes.columns}, rule, threads);
}

bool full_moments(Table n, nb::ndarray<double, nb::ndim<3>, nb::c_contig> mean,
                  nb::ndarray<double, nb::ndim<4>, nb::c_contig> scatter, Matrix<double> data, Vector<Index> code,
                  Shares share, Vector<double> weight, Rule rule, int threads) {
    const Index classes = n.shape(0), d = data.shape(1);
    if (static_cast<Index>(mean.size()) != classes * d * 2 || static_cast<Index>(scatter.size()) != classes * d * d * 2) {
        throw std::invalid_argument("the tables to fill have the wrong shape");
    }
    const Groups groups = read_groups(data.shape(0), classes, code, share, weight);
    const FullTable out{n.data(), reinterpret_cast<Pair*>(mean.data()), reinterpret_cast<Pair*>(scatter.data())};
    nb::gil_scoped_release release;
    return accumulate_full(read_dense(data), groups, rule, threads, out);
}

template <class Value>
void bind_value(nb::module_& m) {
    auto bind = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("data").noconvert(), nb::arg("code").noconvert(),
              nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    };
    bind("sums", &count_dense<Sum, Value>);
    bind("real_sums", &count_dense<RealSum, Value>);
    bind("poisson_sums", &count_dense<PoissonSum, Value>);
    bind("largest", &count_dense<Largest, Value>);
    bind("moments", &count_dense<Moment, Value>);
    m.def("scores", &score_dense<Value>, nb::arg("out").noconvert(), nb::arg("weight").noconvert(),
          nb::arg("data").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("normal_scores", &score_normals<Value>, nb::arg("out").noconvert(), nb::arg("mean").noconvert(),
          nb::arg("precision").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("category_scores", &score_categories<Value>, nb::arg("out").noconvert(), nb::arg("weight").noconvert(),
          nb::arg("data").noconvert(), nb::arg("offset").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("category_sums", &count_categories<Value>, nb::arg("out").noconvert(), nb::arg("data").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("code").noconvert(), nb::arg("share").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
}

void bind_dense(nb::module_& m) {
    bind_value<double>(m);
    bind_value<float>(m);
    bind_value<std::int64_t>(m);
    bind_value<std::int32_t>(m);
    bind_value<std::uint8_t>(m);
    m.def("full_moments", &full_moments, nb::arg("n").noconvert(), nb::arg("mean").noconvert(),
          nb::arg("scatter").noconvert(), nb::arg("data").noconvert(), nb::arg("code").noconvert(),
          nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
}

}  // namespace suffice
