// Residuals of words, by dual coordinate ascent, row by row: what a row demands for its own class is weighed against what
// the terms of its words already give (Shalev-Shwartz & Zhang 2013, for the softmax).
//
//     line_ic = base_ic + Σ_w x_iw · delta[w, c]        maximise  Σ weight · ln softmax_code(line) − ridge/2 · Σ delta²
//
// At the maximum  delta = 1/ridge · Σ_i weight_i x_i (one for the own class − q_i)  with q_i the probabilities of row i.
// The q_i are stored, and each visit of a row moves them towards the probabilities by the step that maximizes the dual
// function. Rows are visited one after another, in an order that depends only on their number, so threads do not matter.
#include <algorithm>
#include <numeric>
#include <vector>

#include "bind.hpp"
#include "exponents.hpp"

namespace suffice {
namespace {

using Terms = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct WordLine {
    const std::int32_t* word;
    const float* value;
    Index count;
};

constexpr double least_share = 1e-12;

constexpr Index ahead = 8;

// line_c += Σ_w x_w · delta[w, c]; `sums` is a buffer for a line.
SUFFICE_FOR_EACH_PROCESSOR
void gather(const WordLine& row, Index classes, const float* delta, float* sums, double* line) {
    std::fill_n(sums, classes, 0.0f);
    for (Index k = 0; k < row.count; ++k) {
        if (k + ahead < row.count) {
            const float* next = delta + row.word[k + ahead] * classes;
            for (Index c = 0; c < classes; c += 16) prefetch<true>(next + c);
        }
        const float* mine = delta + row.word[k] * classes;
        const float x = row.value[k];
        for (Index c = 0; c < classes; ++c) sums[c] += x * mine[c];
    }
    for (Index c = 0; c < classes; ++c) line[c] += static_cast<double>(sums[c]);
}

// delta[w, c] += x_w · step_c
SUFFICE_FOR_EACH_PROCESSOR
void scatter(const WordLine& row, Index classes, const float* step, float* delta) {
    for (Index k = 0; k < row.count; ++k) {
        float* mine = delta + row.word[k] * classes;
        const float x = row.value[k];
        for (Index c = 0; c < classes; ++c) mine[c] += x * step[c];
    }
}

// Scores → probabilities, in place.
SUFFICE_FOR_EACH_PROCESSOR
void softmax(Index classes, double* line) {
    const double most = *std::max_element(line, line + classes);
    for (Index c = 0; c < classes; ++c) line[c] = std::max(line[c] - most, least_power);
    for (Index c = 0; c < classes; ++c) line[c] = exp_below_zero(line[c]);
    double total = 0;
    for (Index c = 0; c < classes; ++c) total += line[c];
    for (Index c = 0; c < classes; ++c) line[c] /= total;
}

// Σ d_c · (ln p_c − ln(q_c + step·d_c)): the slope of the dual function along d, without the ridge.
SUFFICE_FOR_EACH_PROCESSOR
double rise(Index classes, const double* p, const double* q, const double* d, double step) {
    double lane[4] = {};
    for (Index c = 0; c < classes; ++c) {
        const double there = std::min(1.0, std::max(q[c] + step * d[c], least_share));
        const double here = std::min(1.0, std::max(p[c], least_share));
        lane[c & 3] += d[c] * (log_above_one(1.0 / there) - log_above_one(1.0 / here));
    }
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

// Returns the step at which the dual function stops rising, by bisection, since its slope decreases.
double best_step(Index classes, const double* p, const double* q, const double* d, double held) {
    double low = 0, high = 1;
    for (int k = 0; k < 6; ++k) {
        const double middle = (low + high) / 2;
        (rise(classes, p, q, d, middle) > middle * held ? low : high) = middle;
    }
    return (low + high) / 2;
}

void check(bool good) {
    if (!good) throw std::invalid_argument("rows, words and terms of residuals do not fit together");
}

// Moves terms and probabilities q, in place, until the changes that the rows of a round demand are below `enough`, or the
// rounds are over. Returns the number of rounds.
Index ascend(Vector<Index> start, Vector<std::int32_t> word, Vector<float> value, Shares base, Vector<Index> code,
             Vector<double> weight, double ridge, Terms delta, Terms q, double enough, Index most) {
    const Index rows = base.shape(0), classes = base.shape(1), words = delta.shape(0);
    check(static_cast<Index>(start.shape(0)) == rows + 1 && word.shape(0) == value.shape(0) &&
          static_cast<Index>(code.shape(0)) == rows && static_cast<Index>(weight.shape(0)) == rows && ridge > 0 &&
          static_cast<Index>(q.shape(0)) == rows && static_cast<Index>(q.shape(1)) == classes && classes > 0 &&
          static_cast<Index>(delta.shape(1)) == classes && start.data()[0] == 0 &&
          start.data()[rows] == static_cast<Index>(word.shape(0)));
    for (Index i = 0; i < rows; ++i) {
        check(start.data()[i] <= start.data()[i + 1] && code.data()[i] >= 0 && code.data()[i] < classes);
    }
    for (std::size_t k = 0; k < word.shape(0); ++k) check(word.data()[k] >= 0 && word.data()[k] < words);
    nb::gil_scoped_release release;
    std::vector<double> p(classes), mine(classes), d(classes), length(rows);
    std::vector<float> sums(classes), move(classes);
    for (Index i = 0; i < rows; ++i) {
        for (Index k = start.data()[i]; k < start.data()[i + 1]; ++k) {
            length[i] += static_cast<double>(value.data()[k]) * static_cast<double>(value.data()[k]);
        }
    }
    std::vector<Index> order(rows);
    std::iota(order.begin(), order.end(), Index{0});
    std::uint64_t state = 0x9e3779b97f4a7c15;
    for (Index round = 1; round <= most; ++round) {
        for (Index i = rows - 1; i > 0; --i) {  // a new order in each round, the same in every run
            state = state * 6364136223846793005u + 1442695040888963407u;
            std::swap(order[i], order[(state >> 33) % static_cast<std::uint64_t>(i + 1)]);
        }
        double asked = 0;
        for (const Index i : order) {
            const Index begin = start.data()[i], end = start.data()[i + 1];
            if (weight.data()[i] <= 0 || begin == end) continue;
            const WordLine row{word.data() + begin, value.data() + begin, end - begin};
            std::copy_n(base.data() + i * classes, classes, p.data());
            gather(row, classes, delta.data(), sums.data(), p.data());
            softmax(classes, p.data());
            float* kept = q.data() + i * classes;
            double squares = 0;
            for (Index c = 0; c < classes; ++c) {
                mine[c] = kept[c];
                d[c] = p[c] - mine[c];
                squares += d[c] * d[c];
            }
            if (squares < 1e-18) continue;
            asked += weight.data()[i] * rise(classes, p.data(), mine.data(), d.data(), 0.0);
            const double step = best_step(classes, p.data(), mine.data(), d.data(),
                                          weight.data()[i] * length[i] * squares / ridge);
            for (Index c = 0; c < classes; ++c) {
                const float next = static_cast<float>(mine[c] + step * d[c]);
                move[c] = static_cast<float>(-weight.data()[i] / ridge * (static_cast<double>(next) - mine[c]));
                kept[c] = next;
            }
            scatter(row, classes, move.data(), delta.data());
        }
        if (asked <= enough) return round;
    }
    return most;
}

}  // namespace

void bind_word_residuals(nb::module_& m) {
    m.def("ascend", &ascend, nb::arg("start").noconvert(), nb::arg("word").noconvert(), nb::arg("value").noconvert(),
          nb::arg("base").noconvert(), nb::arg("code").noconvert(), nb::arg("weight").noconvert(), nb::arg("ridge"),
          nb::arg("delta").noconvert(), nb::arg("q").noconvert(), nb::arg("enough"), nb::arg("most"),
          "Move residuals of words, and the probabilities they come from, towards the maximum; return the rounds taken.");
}

}  // namespace suffice
