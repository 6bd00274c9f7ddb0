// Counts the words of texts by class, with the interpreter released.
#include "text.hpp"

namespace suffice {

class TextCounter {
   public:
    TextCounter(Index classes, int hash_bits, bool bursts) : classes_(classes), bits_(hash_bits), bursts_(bursts) {
        if (classes < 1 || hash_bits < 0 || hash_bits > 30) throw std::invalid_argument("classes or hash bits");
    }

    // Adds classes, with codes after the existing ones.
    void grow(Index classes) {
        if (classes < classes_) throw std::invalid_argument("classes");
        classes_ = classes;
        for (Tally& tally : tallies_) tally.grow(static_cast<std::size_t>(classes));
    }

    void add(const Texts& texts, Vector<Index> starts, const Analysis& analysis, Vector<Index> code,
             Vector<double> weight, int threads) {
        const Documents documents(texts, starts);
        if (static_cast<Index>(code.shape(0)) != documents.count ||
            (weight.shape(0) && static_cast<Index>(weight.shape(0)) != documents.count)) {
            throw std::invalid_argument("labels or weights differ in length from the documents");
        }
        for (Index i = 0; i < documents.count; ++i) {
            if (code.data()[i] < 0 || code.data()[i] >= classes_) throw std::out_of_range("a label is out of range");
            // sums of fractions depend on their order: one thread keeps it
            if (weight.shape(0) && weight.data()[i] != std::floor(weight.data()[i])) threads = 1;
        }
        nb::gil_scoped_release release;
        run(documents, analysis, code.data(), weight.shape(0) ? weight.data() : nullptr, threads);
    }

    nb::dict result(int threads) {
        while (tallies_.empty()) tallies_.emplace_back(bits_, classes_, bursts_);
        Words words;
        {
            nb::gil_scoped_release release;
            words = join(tallies_, classes_, threads);
        }
        return arrays(words, threads);
    }

   private:
    struct Run {
        Index group, begin, end;
    };

    void run(const Documents& documents, const Analysis& analysis, const Index* code, const double* weight,
             int threads) {
        std::vector<Index> start(classes_ + 1, 0), order(documents.count);
        std::size_t bytes = 0;
        for (Index i = 0; i < documents.count; ++i) {
            ++start[code[i] + 1];
            bytes += documents.bytes(i);
        }
        std::partial_sum(start.begin(), start.end(), start.begin());
        std::vector<Index> next(start.begin(), start.end() - 1);
        for (Index i = 0; i < documents.count; ++i) order[next[code[i]]++] = i;
        // at most a gigabyte or two: within a run, counts have 32 bits
        const std::size_t most = std::min<std::size_t>(bytes / (threads * 4) + (1 << 18), std::size_t{1} << 30);
        const std::vector<Run> runs = cut(documents, order, start, most);
        const Index workers = std::min<Index>(threads, runs.size());
        while (static_cast<Index>(tallies_.size()) < workers) tallies_.emplace_back(bits_, classes_, bursts_);
        std::atomic<std::size_t> taken{0};
        const auto analyze = analysis.analyzer();
        parallel_for(workers, threads, [&](Index worker) {
            Tally& tally = tallies_[worker];
            for (std::size_t k; (k = taken.fetch_add(1)) < runs.size();) {
                for (Index at = runs[k].begin; at < runs[k].end; ++at) {
                    const double w = weight ? weight[order[at]] : 1.0;
                    if (at + 2 < runs[k].end) documents.expect(order[at + 2]);
                    if (w == 0) continue;
                    tally.begin(w, weight != nullptr);
                    documents.each(order[at], [&](std::string_view text) { tally.part(analyze, text); });
                    tally.end();
                }
                tally.put_away(runs[k].group);
            }
        });
    }

    static std::vector<Run> cut(const Documents& documents, const std::vector<Index>& order,
                                const std::vector<Index>& start, std::size_t most) {
        std::vector<Run> runs;
        for (std::size_t group = 0; group + 1 < start.size(); ++group) {
            std::size_t bytes = 0;
            Index begin = start[group];
            for (Index at = begin; at < start[group + 1]; ++at) {
                bytes += documents.bytes(order[at]);
                if (bytes > most) {
                    runs.push_back({static_cast<Index>(group), begin, at + 1});
                    begin = at + 1;
                    bytes = 0;
                }
            }
            if (begin < start[group + 1]) runs.push_back({static_cast<Index>(group), begin, start[group + 1]});
        }
        return runs;
    }

    static nb::dict arrays(const Words& words, int threads) {
        nb::dict out;
        std::vector<std::uint8_t> bytes;
        std::vector<Index> offset{0};
        for (std::string_view word : words.words) {
            bytes.insert(bytes.end(), word.begin(), word.end());
            offset.push_back(static_cast<Index>(bytes.size()));
        }
        out["bytes"] = to_numpy(std::move(bytes));
        out["offset"] = to_numpy(std::move(offset));
        const std::size_t classes = words.classes.size();
        std::vector<Index> start(classes + 1, 0), repeat_start(classes + 1, 0), length_start(classes + 1, 0);
        for (std::size_t group = 0; group < classes; ++group) {
            const ClassTally& tally = words.classes[group];
            start[group + 1] = start[group] + static_cast<Index>(tally.pairings.size());
            repeat_start[group + 1] = repeat_start[group] + static_cast<Index>(tally.repeats.size());
            length_start[group + 1] = length_start[group] + static_cast<Index>(tally.lengths.size());
        }
        Unset<std::int32_t> word(start[classes]);
        Unset<double> tokens(start[classes]), documents(start[classes]);
        std::vector<Index> repeat_word(repeat_start[classes]), value(repeat_start[classes]);
        std::vector<Index> length(length_start[classes]);
        std::vector<double> repeats(repeat_start[classes]), lengths(length_start[classes]);
        parallel_for(static_cast<Index>(classes), threads, [&](Index group) {
            const ClassTally& tally = words.classes[group];
            Index at = start[group];
            for (const Pairing& p : tally.pairings) {
                word[at] = static_cast<std::int32_t>(p.word);
                tokens[at] = p.tokens;
                documents[at++] = p.documents;
            }
            at = repeat_start[group];
            for (const Repeat& r : tally.repeats) {
                repeat_word[at] = r.word;
                value[at] = r.value;
                repeats[at++] = r.documents;
            }
            at = length_start[group];
            for (const Length& l : tally.lengths) {
                length[at] = static_cast<Index>(l.tokens);
                lengths[at++] = l.documents;
            }
        });
        out["start"] = to_numpy(std::move(start));
        out["word"] = to_numpy(std::move(word));
        out["tokens"] = to_numpy(std::move(tokens));
        out["documents"] = to_numpy(std::move(documents));
        out["repeat_start"] = to_numpy(std::move(repeat_start));
        out["repeat_word"] = to_numpy(std::move(repeat_word));
        out["repeat_value"] = to_numpy(std::move(value));
        out["repeats"] = to_numpy(std::move(repeats));
        out["length_start"] = to_numpy(std::move(length_start));
        out["length"] = to_numpy(std::move(length));
        out["lengths"] = to_numpy(std::move(lengths));
        return out;
    }

    Index classes_;
    int bits_;
    bool bursts_;
    std::vector<Tally> tallies_;
};

// Counts of words by class that were counted elsewhere, and the place of each of their words in the union; no places if
// words stay where they are.
struct Counted {
    Vector<Index> place, start;
    Vector<std::int32_t> word;
    Vector<double> tokens, documents;

    Counted(nb::handle part, Index classes, Index width)
        : place(nb::cast<Vector<Index>>(part[0])), start(nb::cast<Vector<Index>>(part[1])),
          word(nb::cast<Vector<std::int32_t>>(part[2])), tokens(nb::cast<Vector<double>>(part[3])),
          documents(nb::cast<Vector<double>>(part[4])) {
        const Index* first = start.data();
        const std::size_t pairs = word.shape(0);
        if (static_cast<Index>(start.shape(0)) != classes + 1 || first[0] != 0 || first[classes] != static_cast<Index>(pairs) ||
            !std::is_sorted(first, first + classes + 1) || tokens.shape(0) != pairs || documents.shape(0) != pairs) {
            throw std::invalid_argument("pairs of words and classes do not fit together");
        }
        auto within = [](auto values, Index most) {
            return std::all_of(values.data(), values.data() + values.shape(0), [&](Index v) { return v >= 0 && v < most; });
        };
        if (!within(place, width) || !within(word, place.shape(0) ? static_cast<Index>(place.shape(0)) : width)) {
            throw std::out_of_range("a word is out of range");
        }
    }

    Index pairs(Index group) const { return start.data()[group + 1] - start.data()[group]; }

    template <class Visit>
    void each(Index group, Visit visit) const {
        const Index* places = place.shape(0) ? place.data() : nullptr;
        for (Index k = start.data()[group]; k < start.data()[group + 1]; ++k) {
            const Index at = places ? places[word.data()[k]] : word.data()[k];
            visit(static_cast<std::uint32_t>(at), tokens.data()[k], documents.data()[k]);
        }
    }
};

// Returns the sum of several counts: (start, word, tokens, documents).
nb::tuple add_counts(nb::list given, Index classes, Index width, int threads) {
    std::vector<Counted> parts;
    for (nb::handle part : given) parts.emplace_back(part, classes, width);
    std::vector<Pairings> sums(classes);
    std::vector<Index> start(classes + 1, 0);
    Large<std::int32_t> word;
    Large<double> tokens, documents;
    {
        nb::gil_scoped_release release;
        parallel_for_with<Spread>(classes, threads, [&](Index group, Spread& spread) {
            auto each = [&](auto visit) {
                for (const Counted& part : parts) part.each(group, visit);
            };
            Index pairs = 0;
            for (const Counted& part : parts) pairs += part.pairs(group);
            if (pairs >= width / 8) {
                spread(sums[group], width, each);
            } else {
                Pairings all;
                all.reserve(pairs);
                each([&](std::uint32_t w, double t, double d) { all.push_back({w, t, d}); });
                gather(sums[group], all);
                std::erase_if(sums[group], [](const Pairing& p) { return !(p.documents > 0); });  // as `spread` does
            }
        });
        for (Index group = 0; group < classes; ++group) {
            start[group + 1] = start[group] + static_cast<Index>(sums[group].size());
        }
        word.resize(start[classes]), tokens.resize(start[classes]), documents.resize(start[classes]);
        parallel_for(classes, threads, [&](Index group) {
            Index at = start[group];
            for (const Pairing& p : sums[group]) {
                word[at] = static_cast<std::int32_t>(p.word);
                tokens[at] = p.tokens;
                documents[at++] = p.documents;
            }
        });
    }
    return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(word)), to_numpy(std::move(tokens)),
                          to_numpy(std::move(documents)));
}

void bind_text_counts(nb::module_& m) {
    m.def("add_counts", &add_counts, nb::arg("parts"), nb::arg("classes"), nb::arg("width"), nb::arg("threads"));
    nb::class_<TextCounter>(m, "TextCounter", "Counts of words by class.")
        .def(nb::init<Index, int, bool>(), nb::arg("classes"), nb::arg("hash_bits"), nb::arg("bursts"))
        .def("grow", &TextCounter::grow, nb::arg("classes"))
        .def("add", &TextCounter::add, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"),
             nb::arg("code").noconvert(), nb::arg("weight").noconvert(), nb::arg("threads"))
        .def("result", &TextCounter::result, nb::arg("threads"));
}

}  // namespace suffice
