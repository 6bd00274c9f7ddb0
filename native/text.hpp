// Shared by the bindings of text: documents in memory, and their tokenization.
#pragma once

#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "tally.hpp"

namespace suffice {

using Bytes = Vector<std::uint8_t>;

template <class Values>
nb::object to_numpy(Values&& values) {
    auto* owned = new Values(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Values*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, typename Values::value_type, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

template <class Value>
using Large = std::vector<Value, LargePages<Value>>;

// Documents in memory, with a reference to their owner.
struct Texts {
    std::vector<std::string_view> views;
    std::vector<nb::object> owners;
    Index bad = -1;  // index of the first item that is not a string

    std::size_t bytes() const {
        return std::accumulate(views.begin(), views.end(), std::size_t{0},
                               [](std::size_t sum, std::string_view v) { return sum + v.size(); });
    }
};

// The way in which documents become tokens.
struct Analysis {
    nb::object owner;
    Unicode unicode;
    Unit unit;
    int shortest, longest;
    Vocabulary stop;

    Analysis(Vector<std::uint32_t> table, const std::string& name, int least, int most, const Texts& stop_words)
        : owner(nb::cast(table)), unicode(table.data()), shortest(least), longest(most) {
        if (table.shape(0) != Unicode::count) throw std::invalid_argument("the table must have all code points");
        unit = name == "word"      ? Unit::word
               : name == "char"    ? Unit::characters
               : name == "char_wb" ? Unit::characters_in_words
               : name == "whole"   ? Unit::whole
                                   : throw std::invalid_argument("unknown unit");
        for (std::string_view word : stop_words.views) stop.add(word);
    }

    Analyzer analyzer() const { return {unicode, unit, shortest, longest, stop}; }
};

inline void check_sizes(const Texts& texts) {
    for (std::string_view text : texts.views) {
        if (text.size() > (std::size_t{1} << 30)) throw std::length_error("a document is longer than a gigabyte");
    }
}

// Documents made of several texts each (tokens found in Python): document i is texts start[i]..start[i + 1).
struct Documents {
    const Texts& texts;
    const Index* start;  // null: one text per document
    Index count;

    Documents(const Texts& all, const Vector<Index>& starts) : texts(all), start(nullptr), count(all.views.size()) {
        check_sizes(all);
        if (!starts.shape(0)) return;
        start = starts.data();
        count = static_cast<Index>(starts.shape(0)) - 1;
        for (Index i = 0; i < count; ++i) {
            if (start[i] < 0 || start[i + 1] < start[i]) throw std::invalid_argument("starts must not fall");
        }
        if (start[count] > static_cast<Index>(all.views.size())) throw std::invalid_argument("starts beyond the texts");
    }

    template <class Use>
    void each(Index i, Use use) const {
        if (!start) {
            use(texts.views[i]);
        } else {
            for (Index k = start[i]; k < start[i + 1]; ++k) use(texts.views[k]);
        }
    }

    // Documents are visited by class, in random memory order: prefetch the next one.
    void expect(Index i) const {
        if (!start) suffice::expect(texts.views[i].data(), static_cast<Index>(texts.views[i].size()));
    }

    std::size_t bytes(Index i) const {
        std::size_t sum = 0;
        each(i, [&](std::string_view text) { sum += text.size(); });
        return sum;
    }
};

// One function for each file, which binds its part.
void bind_texts(nb::module_& m);
void bind_text_counts(nb::module_& m);
void bind_text_matrix(nb::module_& m);
void bind_text_scores(nb::module_& m);

}  // namespace suffice
