// Rows whose words are weighted, and the counts of these words by class: nothing here depends on a pseudo-count.
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "bind.hpp"
#include "lanes.hpp"

namespace suffice {

// Some classes score a row without it, or without its group. For each such pair of row and class (held_*), the arrays hold,
// for each entry of the row, the amount to remove from the class's count of the word; the class's remaining total; and the
// change of the prior.
class EvidenceRows {
   public:
    EvidenceRows(Vector<Index> start, Vector<std::int32_t> word, Vector<double> count, Vector<Index> code, Vector<Index> line,
                 Vector<std::int32_t> klass, Vector<double> met, Vector<double> total, Vector<Index> held_start,
                 Vector<std::int32_t> held_class, Vector<Index> held_at, Vector<double> held_amount,
                 Vector<double> held_total, Vector<double> held_prior, int threads)
        : start(start), code(code), line(line), klass(klass), met(met), total(total), held_start(held_start),
          held_class(held_class), held_at(held_at), held_total(held_total), held_prior(held_prior),
          rows(code.shape(0)), words(line.shape(0) - 1), classes(total.shape(0)), width(float_width(classes)),
          word(word.data(), word.data() + word.shape(0)), count(count.data(), count.data() + count.shape(0)) {
        check(line.shape(0) > 0 && rising(start, rows, word.shape(0)) && rising(line, words, klass.shape(0)) &&
              rising(held_start, rows, held_class.shape(0)) && count.shape(0) == word.shape(0) &&
              met.shape(0) == klass.shape(0) && held_at.shape(0) == held_class.shape(0) &&
              held_total.shape(0) == held_class.shape(0) && held_prior.shape(0) == held_class.shape(0) &&
              rows < Index{1} << 31);
        check(inside(word, words) && inside(code, classes) && inside(klass, classes) && inside(held_class, classes));
        for (Index i = 0; i < rows; ++i) {
            for (Index e = held_start.data()[i]; e < held_start.data()[i + 1]; ++e) {
                const Index at = held_at.data()[e], length = start.data()[i + 1] - start.data()[i];
                check(at >= 0 && at + length <= static_cast<Index>(held_amount.shape(0)));
            }
        }
        this->word.resize(word.shape(0) + ahead, 0);
        leave_out(held_amount, threads);
    }

    static void check(bool good) {
        if (!good) throw std::invalid_argument("rows, words and classes of evidence do not fit together");
    }

    // The words of a block of rows, their places, and the entries of classes that score these rows without them.
    struct ByWord {
        std::vector<std::int32_t> words;
        std::vector<Index> begin, held_begin;  // per word, and one past the end
        std::vector<Place> places, held;       // held: the pair, and the count of the word
        std::vector<Index> held_entry;         // index of the class's remaining count
        Index first_row = 0, first_pair = 0;
    };

    // Rows per block: few enough that the classes' requests of a block stay in the cache.
    Index block() const { return std::max<Index>(64, (Index{1} << 20) / width); }

    // The entries of each block of rows, sorted by word; computed once.
    const std::vector<ByWord>& by_word() const {
        std::call_once(placed_, [&] { place(); });
        return blocks_;
    }

    // Returns whether all removed amounts were counted.
    bool learned() const { return learned_; }

    Vector<Index> start, code, line;
    Vector<std::int32_t> klass;
    Vector<double> met, total;
    Vector<Index> held_start;
    Vector<std::int32_t> held_class;
    Vector<Index> held_at;
    Vector<double> held_total, held_prior;
    Index rows, words, classes, width;
    std::vector<std::int32_t> word;  // padded, so that prefetching may read ahead
    std::vector<float> count;
    std::vector<double> held_left;

   private:
    static bool rising(const Vector<Index>& start, Index lines, std::size_t entries) {
        if (static_cast<Index>(start.shape(0)) != lines + 1 || start.data()[0] != 0) return false;
        for (Index i = 0; i < lines; ++i) {
            if (start.data()[i] > start.data()[i + 1]) return false;
        }
        return start.data()[lines] == static_cast<Index>(entries);
    }

    template <class Number>
    static bool inside(const Vector<Number>& numbers, Index end) {
        return std::all_of(numbers.data(), numbers.data() + numbers.shape(0), [&](Number x) { return x >= 0 && x < end; });
    }

    // Subtracts the removed amounts from the counts of each pair's words, and drops rounding errors.
    void leave_out(const Vector<double>& amount, int threads) {
        constexpr Index part = 512;
        constexpr double rounding = 1e-12;
        held_left.resize(amount.shape(0));
        const Index parts = (rows + part - 1) / part;
        std::vector<char> good(parts, 1);
        parallel_for(parts, held_left.size() < 1 << 16 ? 1 : threads, [&](Index p) {
            for (Index i = p * part; i < std::min(rows, (p + 1) * part); ++i) {
                for (Index e = held_start.data()[i]; e < held_start.data()[i + 1]; ++e) {
                    const Index at = held_at.data()[e] - start.data()[i];
                    for (Index k = start.data()[i]; k < start.data()[i + 1]; ++k) {
                        const double there = counted(word[k], held_class.data()[e]), rest = there - amount.data()[at + k];
                        if (rest < -rounding * there) good[p] = 0;
                        held_left[at + k] = rest <= rounding * there ? 0.0 : rest;
                    }
                }
            }
        });
        learned_ = std::all_of(good.begin(), good.end(), [](char one) { return one; });
    }

    double counted(Index w, std::int32_t c) const {
        const std::int32_t *begin = klass.data() + line.data()[w], *end = klass.data() + line.data()[w + 1];
        const std::int32_t* found = std::lower_bound(begin, end, c);
        return found < end && *found == c ? met.data()[found - klass.data()] : 0.0;
    }

    void place() const {
        std::vector<Index> here(words + 1), held(words + 1);
        for (Index first = 0; first < rows; first += block()) {
            const Index last = std::min(rows, first + block());
            ByWord& mine = blocks_.emplace_back();
            mine.first_row = first;
            mine.first_pair = held_start.data()[first];
            std::fill(here.begin(), here.end(), 0);
            std::fill(held.begin(), held.end(), 0);
            each_entry(first, last, [&](Index, Index k) { ++here[word[k]]; }, [&](Index, Index k, Index) { ++held[word[k]]; });
            Index at = 0, held_at = 0;
            for (Index w = 0; w < words; ++w) {
                if (!here[w]) continue;
                mine.words.push_back(static_cast<std::int32_t>(w));
                mine.begin.push_back(at);
                mine.held_begin.push_back(held_at);
                at += std::exchange(here[w], at);
                held_at += std::exchange(held[w], held_at);
            }
            mine.begin.push_back(at);
            mine.held_begin.push_back(held_at);
            mine.places.resize(at + ahead);
            mine.held.resize(held_at);
            mine.held_entry.resize(held_at);
            each_entry(
                first, last,
                [&](Index i, Index k) { mine.places[here[word[k]]++] = {static_cast<std::int32_t>(i - first), count[k]}; },
                [&](Index e, Index k, Index entry) {
                    const Index to = held[word[k]]++;
                    mine.held[to] = {static_cast<std::int32_t>(e - mine.first_pair), count[k]};
                    mine.held_entry[to] = entry;
                });
        }
    }

    // entry(row, k) for each entry of some rows, and pair(e, k, index of its count) for each pair of an entry.
    template <class Entry, class Pair>
    void each_entry(Index first, Index last, Entry entry, Pair pair) const {
        for (Index i = first; i < last; ++i) {
            const Index begin = start.data()[i], end = start.data()[i + 1];
            for (Index k = begin; k < end; ++k) entry(i, k);
            for (Index e = held_start.data()[i]; e < held_start.data()[i + 1]; ++e) {
                for (Index k = begin; k < end; ++k) pair(e, k, held_at.data()[e] + k - begin);
            }
        }
    }

    bool learned_ = true;
    mutable std::once_flag placed_;
    mutable std::vector<ByWord> blocks_;
};

}  // namespace suffice
