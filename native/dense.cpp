#include "bind.hpp"
#include "scatter.hpp"

namespace suffice {

// The matrix as it is or, if there is a threshold, as ones above it and zeros elsewhere.
Dense read_flags(const Matrix& data, double threshold) {
    Dense dense = read_dense(data);
    dense.values.flags = true;
    dense.values.threshold = threshold;
    return dense;
}

template <class Cell>
bool count_dense(Table out, Matrix data, Vector<Index> code, Shares share, Vector<double> weight, Rule rule, int threads) {
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    return count_into<Cell>(out, read_dense(data), groups, rule, threads);
}

bool count_categories(Table out, Matrix data, Vector<Index> offset, Vector<Index> code, Shares share,
                      Vector<double> weight, Rule rule, int threads) {
    if (offset.shape(0) != data.shape(1) + 1) throw std::invalid_argument("one offset per column, and the end");
    for (std::size_t j = 0; j + 1 < offset.shape(0); ++j) {
        if (offset.data()[j] > offset.data()[j + 1]) throw std::invalid_argument("offsets must not fall");
    }
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    const OneHot ones(read_dense(data), offset.data(), false);
    return out.shape(2) == 1 ? count_into<Sum>(out, ones, groups, rule, threads)
                             : count_into<RealSum>(out, ones, groups, rule, threads);
}

template <class Cell>
bool count_flags(Table out, Matrix data, double threshold, Vector<Index> code, Shares share, Vector<double> weight,
                 Rule rule, int threads) {
    const Groups groups = read_groups(data.shape(0), out.shape(0), code, share, weight);
    return count_into<Cell>(out, read_flags(data, threshold), groups, rule, threads);
}

bool score_dense(Answers out, Vector<double> offset, Shares weight, Matrix data, Rule rule, int threads) {
    return score_into(out, offset, read_weights(weight), weight.shape(0), read_dense(data), rule, threads);
}

bool score_flags(Answers out, Vector<double> offset, Shares weight, Matrix data, double threshold, Rule rule,
                 int threads) {
    return score_into(out, offset, read_weights(weight), weight.shape(0), read_flags(data, threshold), rule, threads);
}

bool score_normals(Answers out, Vector<double> offset, Shares mean, Shares precision, Matrix data, Rule rule,
                   int threads) {
    if (mean.shape(0) != precision.shape(0) || mean.shape(1) != precision.shape(1)) {
        throw std::invalid_argument("means and precisions differ in shape");
    }
    const Bells bells{mean.data(), precision.data(), static_cast<Index>(mean.shape(1))};
    return score_into(out, offset, bells, mean.shape(0), read_dense(data), rule, threads);
}

bool score_risings(Answers out, Vector<double> offset, Shares shape, Shares logs, Matrix data, Rule rule, int threads) {
    const Risings risings = read_risings(shape, logs, offset.shape(0));
    return score_into(out, offset, risings, shape.shape(0), read_dense(data), rule, threads);
}

bool score_categories(Answers out, Vector<double> offset, Shares weight, Matrix data, Vector<Index> first, Rule rule,
                      int threads) {
    if (first.shape(0) != data.shape(1) + 1) throw std::invalid_argument("one offset per column, and the end");
    const OneHot ones(read_dense(data), first.data(), true);
    return score_into(out, offset, read_weights(weight), weight.shape(0), ones, rule, threads);
}

bool full_moments(Table n, nb::ndarray<double, nb::ndim<3>, nb::c_contig> mean,
                  nb::ndarray<double, nb::ndim<4>, nb::c_contig> scatter, Matrix data, Vector<Index> code,
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

void bind_dense_scores(nb::module_& m) {
    m.def("scores", &score_dense, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"), nb::arg("threads"));
    m.def("flag_scores", &score_flags, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("threshold"), nb::arg("rule"),
          nb::arg("threads"));
    m.def("normal_scores", &score_normals, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("mean").noconvert(), nb::arg("precision").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
    m.def("category_scores", &score_categories, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("data").noconvert(), nb::arg("first").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
    m.def("rising_scores", &score_risings, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("shape").noconvert(), nb::arg("logs").noconvert(), nb::arg("data").noconvert(), nb::arg("rule"),
          nb::arg("threads"));
}

void bind_dense(nb::module_& m) {
    auto bind = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("data").noconvert(), nb::arg("code").noconvert(),
              nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    };
    bind("sums", &count_dense<Sum>);
    bind("real_sums", &count_dense<RealSum>);
    bind("poisson_sums", &count_dense<PoissonSum>);
    bind("largest", &count_dense<Largest>);
    bind("moments", &count_dense<Moment>);
    auto bind_flags = [&](const char* name, auto function) {
        m.def(name, function, nb::arg("out").noconvert(), nb::arg("data").noconvert(), nb::arg("threshold"),
              nb::arg("code").noconvert(), nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"),
              nb::arg("threads"));
    };
    bind_flags("flag_sums", &count_flags<Sum>);
    bind_flags("real_flag_sums", &count_flags<RealSum>);
    m.def("category_sums", &count_categories, nb::arg("out").noconvert(), nb::arg("data").noconvert(),
          nb::arg("offset").noconvert(), nb::arg("code").noconvert(), nb::arg("share").noconvert(),
          nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
    bind_dense_scores(m);
    m.def("full_moments", &full_moments, nb::arg("n").noconvert(), nb::arg("mean").noconvert(),
          nb::arg("scatter").noconvert(), nb::arg("data").noconvert(), nb::arg("code").noconvert(),
          nb::arg("share").noconvert(), nb::arg("weight").noconvert(), nb::arg("rule"), nb::arg("threads"));
}

}  // namespace suffice
