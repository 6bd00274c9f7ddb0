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
    const OneHot<Value> ones(codes, offset.data(), false);
    return out.shape(2) == 1 ? count_into<Sum>(out, ones, groups, rule, threads)
                             : count_into<RealSum>(out, ones, groups, rule, threads);
}

// Flags: values above the threshold count as ones, the others as zeros.
template <class Cell, class Value>
bool count_flags(Table out, Matrix<Value> data, double threshold, Vector<Index> code, Shares share,
                 Vector<double> weight, Rule rule, int threads) {
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    return count_into<Cell>(out, Above(read_dense(data), threshold), groups, rule, threads);
}

template <class Out, class Value>
bool score_dense(Out out, Vector<double> offset, Shares weight, Matrix<Value> data, Rule rule, int threads) {
    return score_into(out, offset, read_weights(weight), weight.shape(0), read_dense(data), rule, threads);
}

template <class Out, class Value>
bool score_flags(Out out, Vector<double> offset, Shares weight, Matrix<Value> data, double threshold, Rule rule,
                 int threads) {
    return score_into(out, offset, read_weights(weight), weight.shape(0), Above(read_dense(data), threshold), rule,
                      threads);
}

template <class Out, class Value>
bool score_normals(Out out, Vector<double> offset, Shares mean, Shares precision, Matrix<Value> data, Rule rule,
                   int threads) {
    if (mean.shape(0) != precision.shape(0) || mean.shape(1) != precision.shape(1)) {
        throw std::invalid_argument("means and precisions differ in shape");
    }
    const Bells bells{mean.data(), precision.data(), static_cast<Index>(mean.shape(1))};
    return score_into(out, offset, bells, mean.shape(0), read_dense(data), rule, threads);
}

template <class Value>
bool score_risings(Scores out, Vector<double> offset, Shares shape, Shares logs, Matrix<Value> data, Rule rule,
                   int threads) {
    const Risings risings = read_risings(shape, logs, offset.shape(0));
    return score_into(out, offset, risings, shape.shape(0), read_dense(data), rule, threads);
}

template <class Out, class Value>
bool score_categories(Out out, Vector<double> offset, Shares weight, Matrix<Value> data, Vector<Index> first, Rule rule,
                      int threads) {
    if (first.shape(0) != data.shape(1) + 1) throw std::invalid_argument("one offset per column, and the end");
    const OneHot<Value> ones(read_dense(data), first.data(), true);
    return score_into(out, offset, read_weights(weight), weight.shape(0), ones, rule, threads);
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

template <class Out, class Value>
void bind_scores(nb::module_& m) {
    m.def("scores", &score_dense<Out, Value>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("flag_scores", &score_flags<Out, Value>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("threshold"), nb::arg("rule"),
          nb::arg("threads"));
    m.def("normal_scores", &score_normals<Out, Value>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("mean").noconvert(), nb::arg("precision").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
    m.def("category_scores", &score_categories<Out, Value>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("first").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
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
    bind_scores<Scores, Value>(m);
    bind_scores<Codes, Value>(m);
    m.def("rising_scores", &score_risings<Value>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("shape").noconvert(), nb::arg("logs").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
    m.def("flag_sums", &count_flags<Sum, Value>, nb::arg("out").noconvert(), nb::arg("data").noconvert(),
          nb::arg("threshold"), nb::arg("code").noconvert(), nb::arg("share").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("real_flag_sums", &count_flags<RealSum, Value>, nb::arg("out").noconvert(), nb::arg("data").noconvert(),
          nb::arg("threshold"), nb::arg("code").noconvert(), nb::arg("share").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
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
