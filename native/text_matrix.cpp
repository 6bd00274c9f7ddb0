// Turns texts into matrices of documents × words, for methods that need them.
#include "bags.hpp"

namespace suffice {

// A matrix of documents × words in compressed rows, part by part.
struct Part {
    std::vector<Index> size;
    std::vector<std::uint32_t> word;
    std::vector<double> count;
    Index worker;
};

template <class MakeNumber>
std::vector<Part> bags(const Documents& documents, const Analysis& analysis, int threads, Index workers,
                       MakeNumber make_number) {
    std::vector<Part> parts((documents.count + documents_at_once - 1) / documents_at_once);
    const auto analyze = analysis.analyzer();
    std::atomic<std::size_t> taken{0};
    parallel_for(workers, threads, [&](Index worker) {
        Bag bag;
        auto number = make_number(worker);
        for (std::size_t k; (k = taken.fetch_add(1)) < parts.size();) {
            Part& part = parts[k];
            part.worker = worker;
            const Index end = std::min<Index>(documents.count, (k + 1) * documents_at_once);
            for (Index i = k * documents_at_once; i < end; ++i) {
                bag.fill(documents, i, analyze, number);
                part.size.push_back(bag.words.size());
                for (const std::uint32_t word : bag.words) {
                    part.word.push_back(word);
                    part.count.push_back(bag.count(word));
                }
            }
        }
    });
    return parts;
}

// Joins consecutive parts; `rank[worker]`, if given, renumbers the words of that worker. Words of a row are sorted.
nb::tuple matrix(const std::vector<Part>& parts, const std::vector<std::vector<std::uint32_t>>& rank) {
    std::vector<Index> start{0}, index;
    std::vector<double> count;
    {
        nb::gil_scoped_release release;
        std::vector<std::pair<std::uint32_t, double>> row;
        for (const Part& part : parts) {
            std::size_t at = 0;
            for (const Index size : part.size) {
                row.clear();
                for (Index k = 0; k < size; ++k, ++at) {
                    const std::uint32_t word = part.word[at];
                    row.emplace_back(rank.empty() ? word : rank[part.worker][word], part.count[at]);
                }
                std::sort(row.begin(), row.end());
                for (const auto& [word, times] : row) {
                    index.push_back(word);
                    count.push_back(times);
                }
                start.push_back(static_cast<Index>(index.size()));
            }
        }
    }
    return nb::make_tuple(to_numpy(std::move(count)), to_numpy(std::move(index)), to_numpy(std::move(start)));
}

nb::tuple look_up(const Texts& texts, Vector<Index> starts, const Analysis& analysis, const Lexicon& lexicon,
                  int threads) {
    const Documents documents(texts, starts);
    std::vector<Part> parts;
    {
        nb::gil_scoped_release release;
        parts = bags(documents, analysis, threads, threads, [&](Index) { return LookUp{lexicon.numbering}; });
    }
    return matrix(parts, {});
}

// Returns the matrix of documents whose words are not known yet, and the sorted words.
nb::tuple learn(const Texts& texts, Vector<Index> starts, const Analysis& analysis, int threads) {
    const Documents documents(texts, starts);
    std::vector<Numbering> own(threads, Numbering(0));
    std::vector<std::vector<std::uint32_t>> rank(threads);
    std::vector<std::uint8_t> bytes;
    std::vector<Index> offset{0};
    std::vector<Part> parts;
    {
        nb::gil_scoped_release release;
        parts = bags(documents, analysis, threads, threads, [&](Index worker) { return Learn{own[worker]}; });
        Vocabulary all;
        for (int t = 0; t < threads; ++t) {
            const Vocabulary& words = own[t].words;
            for (std::uint32_t id = 0; id < words.size(); ++id) rank[t].push_back(all.add(words[id], words.hash(id)));
        }
        const std::vector<std::uint32_t> order = sorted_words(all, threads);
        std::vector<std::uint32_t> place(order.size());
        for (std::uint32_t k = 0; k < order.size(); ++k) {
            place[order[k]] = k;
            bytes.insert(bytes.end(), all[order[k]].begin(), all[order[k]].end());
            offset.push_back(static_cast<Index>(bytes.size()));
        }
        for (auto& numbers : rank) {
            for (auto& id : numbers) id = place[id];
        }
    }
    return nb::make_tuple(matrix(parts, rank), to_numpy(std::move(bytes)), to_numpy(std::move(offset)));
}

void bind_text_matrix(nb::module_& m) {
    nb::class_<Lexicon>(m, "Lexicon", "Words known from a fit.")
        .def(nb::init<Bytes, Vector<Index>, int>(), nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(),
             nb::arg("hash_bits"));
    m.def("look_up", &look_up, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"),
          nb::arg("lexicon"), nb::arg("threads"));
    m.def("learn", &learn, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"), nb::arg("threads"));
}

}  // namespace suffice
