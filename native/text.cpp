// Documents in, arrays out. Strings are looked at while the interpreter is held, and counted while it is free.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>

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

// Documents somewhere in memory, and what keeps them there.
struct Texts {
    std::vector<std::string_view> views;
    std::vector<nb::object> owners;
    Index bad = -1;  // the first that is no string

    std::size_t bytes() const {
        return std::accumulate(views.begin(), views.end(), std::size_t{0},
                               [](std::size_t sum, std::string_view v) { return sum + v.size(); });
    }
};

// Letters whose lower case depends on their neighbours, or is several letters: Python itself lowers what holds them.
bool holds_any(std::string_view text, const std::vector<std::string>& patterns) {
    if (patterns.empty() || is_ascii(reinterpret_cast<const Byte*>(text.data()), text.size())) return false;
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& p) { return memmem(text.data(), text.size(), p.data(), p.size()); });
}

std::vector<std::string> read_patterns(const nb::list& patterns) {
    std::vector<std::string> out;
    for (nb::handle p : patterns) out.emplace_back(nb::cast<nb::bytes>(p).c_str(), nb::cast<nb::bytes>(p).size());
    return out;
}

nb::object utf8(PyObject* text) {
    PyObject* bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    if (!bytes) nb::raise_python_error();
    return nb::steal(bytes);
}

void add_text(Texts& out, nb::object text, const std::vector<std::string>& patterns, bool ours) {
    if (PyUnicode_IS_ASCII(text.ptr())) {
        out.views.emplace_back(static_cast<const char*>(PyUnicode_DATA(text.ptr())), PyUnicode_GET_LENGTH(text.ptr()));
        if (ours) out.owners.push_back(text);
        return;
    }
    nb::object bytes = utf8(text.ptr());
    std::string_view view(PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr()));
    if (holds_any(view, patterns)) {
        bytes = utf8(text.attr("lower")().ptr());
        view = {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
    }
    out.views.push_back(view);
    out.owners.push_back(std::move(bytes));
}

Texts texts_of_list(nb::list documents, nb::list patterns) {
    Texts out;
    const auto special = read_patterns(patterns);
    out.views.reserve(documents.size());
    out.owners.push_back(documents);
    for (std::size_t i = 0; i < documents.size(); ++i) {
        nb::object text = documents[i];
        if (!PyUnicode_Check(text.ptr())) {
            out.bad = static_cast<Index>(i);
            return out;
        }
        add_text(out, text, special, false);
    }
    return out;
}

// The strings of an Arrow array, read in place.
template <class Offset>
Texts texts_of_arrow(Bytes data, Vector<Offset> offset, nb::list patterns, int threads) {
    Texts out;
    const auto special = read_patterns(patterns);
    const auto* all = reinterpret_cast<const char*>(data.data());
    const Index size = data.shape(0), count = static_cast<Index>(offset.shape(0)) - 1;
    out.owners.push_back(nb::cast(data));
    out.owners.push_back(nb::cast(offset));
    out.views.resize(count);
    for (Index i = 0; i < count; ++i) {
        const Index begin = offset.data()[i], end = offset.data()[i + 1];
        if (begin < 0 || end < begin || end > size) throw std::invalid_argument("offsets do not fit their data");
        out.views[i] = {all + begin, static_cast<std::size_t>(end - begin)};
    }
    std::vector<char> held(count, 0);
    {
        nb::gil_scoped_release release;
        constexpr Index at_once = 1024;
        parallel_for((count + at_once - 1) / at_once, threads, [&](Index part) {
            const Index end = std::min(count, (part + 1) * at_once);
            for (Index i = part * at_once; i < end; ++i) held[i] = holds_any(out.views[i], special);
        });
    }
    for (Index i = 0; i < count; ++i) {
        if (!held[i]) continue;
        Texts lowered;
        const auto bytes = static_cast<Py_ssize_t>(out.views[i].size());
        PyObject* text = PyUnicode_DecodeUTF8(out.views[i].data(), bytes, "replace");
        if (!text) nb::raise_python_error();
        add_text(lowered, nb::steal(text), special, true);
        out.views[i] = lowered.views[0];
        out.owners.push_back(lowered.owners[0]);
    }
    return out;
}

// How documents become tokens.
struct Analysis {
    nb::object owner;
    Unicode unicode;
    Unit unit;
    int shortest, longest;
    Vocabulary<> stop;

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

    auto analyzer() const {
        auto stops = [this](std::string_view word) {
            if (stop.size() == 0) return false;
            return stop.find(word) != Vocabulary<>::none;
        };
        return Analyzer(unicode, unit, shortest, longest, stops);
    }
};

void check_sizes(const Texts& texts) {
    for (std::string_view text : texts.views) {
        if (text.size() > (std::size_t{1} << 30)) throw std::length_error("a document is longer than a gigabyte");
    }
}

// Documents made of several texts each (tokens found elsewhere): document i is texts start[i]..start[i + 1).
struct Documents {
    const Texts& texts;
    const Index* start;  // null: one text a document
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

    // Documents are taken by class, from all over memory: tell the processor which comes next.
    void expect(Index i) const {
        if (!start) suffice::expect(texts.views[i].data(), static_cast<Index>(texts.views[i].size()));
    }

    std::size_t bytes(Index i) const {
        std::size_t sum = 0;
        each(i, [&](std::string_view text) { sum += text.size(); });
        return sum;
    }
};

class TextCounter {
   public:
    TextCounter(Index classes, int hash_bits, bool bursts) : classes_(classes), bits_(hash_bits), bursts_(bursts) {
        if (classes < 1 || hash_bits < 0 || hash_bits > 30) throw std::invalid_argument("classes or hash bits");
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
        // no longer than a gigabyte or two: within a run, counts have 32 bits
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
        Large<Index> word(start[classes]);
        Large<double> tokens(start[classes]), documents(start[classes]);
        std::vector<Index> repeat_word(repeat_start[classes]), value(repeat_start[classes]);
        std::vector<Index> length(length_start[classes]);
        std::vector<double> repeats(repeat_start[classes]), lengths(length_start[classes]);
        parallel_for(static_cast<Index>(classes), threads, [&](Index group) {
            const ClassTally& tally = words.classes[group];
            Index at = start[group];
            for (const Pairing& p : tally.pairings) {
                word[at] = p.word;
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

// Words known from a fit, to look up those of new documents.
struct Lexicon {
    Numbering<> numbering;

    Lexicon(Bytes bytes, Vector<Index> offset, int hash_bits) : numbering(hash_bits) {
        const auto* all = reinterpret_cast<const char*>(bytes.data());
        for (std::size_t i = 0; i + 1 < offset.shape(0); ++i) {
            const Index begin = offset.data()[i], end = offset.data()[i + 1];
            if (begin < 0 || end < begin || end > static_cast<Index>(bytes.shape(0))) {
                throw std::invalid_argument("offsets do not fit their data");
            }
            numbering.words.add({all + begin, static_cast<std::size_t>(end - begin)});
        }
    }
};

// Two sorted lists of words, merged: the words of both, and the place of each word of either among them.
nb::tuple merge_words(Bytes a, Vector<Index> a_offset, Bytes b, Vector<Index> b_offset) {
    auto word = [](const Bytes& bytes, const Vector<Index>& offset, std::size_t i) {
        const Index begin = offset.data()[i], end = offset.data()[i + 1];
        if (begin < 0 || end < begin || end > static_cast<Index>(bytes.shape(0))) {
            throw std::invalid_argument("offsets do not fit their data");
        }
        return std::string_view(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
    };
    std::vector<std::uint8_t> bytes;
    std::vector<Index> offset{0}, a_place, b_place;
    const std::size_t n = a_offset.shape(0) - 1, m = b_offset.shape(0) - 1;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        const int order = i == n ? 1 : j == m ? -1 : word(a, a_offset, i).compare(word(b, b_offset, j));
        const std::string_view next = order <= 0 ? word(a, a_offset, i) : word(b, b_offset, j);
        if (order <= 0) a_place.push_back(offset.size() - 1), ++i;
        if (order >= 0) b_place.push_back(offset.size() - 1), ++j;
        bytes.insert(bytes.end(), next.begin(), next.end());
        offset.push_back(static_cast<Index>(bytes.size()));
    }
    return nb::make_tuple(to_numpy(std::move(bytes)), to_numpy(std::move(offset)), to_numpy(std::move(a_place)),
                          to_numpy(std::move(b_place)));
}

// The words of one document: each once, with how often it occurs, or as often as it occurs.
class Bag {
   public:
    // number(text, hash) is a word's number, or Vocabulary<>::none
    template <class Analyze, class Number>
    void fill(const Documents& documents, Index i, const Analyze& analyze, Number number, bool once = true) {
        words.clear();
        ++document_;
        documents.each(i, [&](std::string_view text) {
            analyze(text, scratch_, [&](const std::vector<Token>& tokens) {
                for (std::size_t k = 0; k < std::min(ahead, tokens.size()); ++k) number.numbering.expect(tokens[k].hash);
                for (std::size_t k = 0; k < tokens.size(); ++k) {
                    const Token& token = tokens[k];
                    if (k + ahead < tokens.size()) number.numbering.expect(tokens[k + ahead].hash);
                    const std::uint32_t word = number(scratch_.view(token), token.hash);
                    if (word == Vocabulary<>::none) continue;
                    if (once) {
                        add(word);
                    } else {
                        words.push_back(word);
                    }
                }
            });
        });
    }

    std::uint32_t count(std::uint32_t word) const { return counts_[word].within; }

    std::vector<std::uint32_t> words;

   private:
    struct Count {
        std::uint64_t document = 0;
        std::uint32_t within = 0;
    };

    void add(std::uint32_t word) {
        if (word >= counts_.size()) counts_.resize(std::max<std::size_t>(word + 1, counts_.size() * 2));
        Count& count = counts_[word];
        if (count.document != document_) {
            count = {document_, 0};
            words.push_back(word);
        }
        ++count.within;
    }

    std::vector<Count> counts_;
    Scratch scratch_;
    std::uint64_t document_ = 0;
};

struct Learn {
    Numbering<>& numbering;
    std::uint32_t operator()(std::string_view word, std::uint64_t hash) const { return numbering(word, hash).number; }
};

struct LookUp {
    const Numbering<>& numbering;
    std::uint32_t operator()(std::string_view word, std::uint64_t hash) const { return numbering.known(word, hash); }
};

// A matrix of documents × words in compressed rows, part by part.
struct Part {
    std::vector<Index> size;
    std::vector<std::uint32_t> word;
    std::vector<double> count;
    Index worker;
};

constexpr Index documents_at_once = 256;

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

// Parts in a row; `rank[worker]` renumbers the words of that worker, if there is one. Words of a row are sorted.
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

// The matrix of documents whose words are not known yet, and those words, sorted.
nb::tuple learn(const Texts& texts, Vector<Index> starts, const Analysis& analysis, int threads) {
    const Documents documents(texts, starts);
    std::vector<Numbering<>> own(threads, Numbering<>(0));
    std::vector<std::vector<std::uint32_t>> rank(threads);
    std::vector<std::uint8_t> bytes;
    std::vector<Index> offset{0};
    std::vector<Part> parts;
    {
        nb::gil_scoped_release release;
        parts = bags(documents, analysis, threads, threads, [&](Index worker) { return Learn{own[worker]}; });
        Vocabulary<> all;
        for (int t = 0; t < threads; ++t) {
            const Vocabulary<>& words = own[t].words;
            for (std::uint32_t id = 0; id < words.size(); ++id) rank[t].push_back(all.add(words[id], words.hash(id)).id);
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

// Weights of words, sparse in the classes: a document's scores are
//     offset_c + scale_c · (Σ_w x_w·base_w + n·slope_c + Σ_w x_w·value_wc),   n = Σ_w x_w over the words known
class TextWeights {
   public:
    TextWeights(Vector<Index> start, Vector<std::int32_t> klass, Vector<double> value, Vector<double> base,
                Vector<double> slope, Vector<double> scale, bool present, const Lexicon& lexicon)
        : presence(present), slopes(slope.data(), slope.data() + slope.shape(0)),
          scales(scale.data(), scale.data() + scale.shape(0)) {
        const std::size_t words = lexicon.numbering.size();
        if (start.shape(0) != words + 1 || base.shape(0) != words || klass.shape(0) != value.shape(0) ||
            slope.shape(0) != scale.shape(0)) {
            throw std::invalid_argument("weights differ in shape from the words");
        }
        for (std::size_t w = 0; w <= words; ++w) {
            const Index at = start.data()[w];
            if (at < (w ? lines_[w - 1].start : 0) || at > static_cast<Index>(klass.shape(0))) {
                throw std::invalid_argument("starts must rise to the number of weights");
            }
            lines_.push_back({at, w < words ? base.data()[w] : 0.0});
        }
        for (std::size_t k = 0; k < klass.shape(0); ++k) {
            if (klass.data()[k] < 0 || klass.data()[k] >= static_cast<std::int32_t>(slope.shape(0))) {
                throw std::out_of_range("a class is out of range");
            }
            weights_.push_back({value.data()[k], klass.data()[k]});
        }
    }

    bool presence;  // x is 0 or 1, not how often the word occurs
    std::vector<double> slopes, scales;

    // Adds the words to the line, class by class, and says what they add to all classes alike.
    double add(const std::vector<std::uint32_t>& words, double* line) const {
        double base = 0;
        for (std::size_t k = 0; k < words.size(); ++k) {
            if (k + 16 < words.size()) __builtin_prefetch(&lines_[words[k + 16]]);
            if (k + 8 < words.size()) __builtin_prefetch(weights_.data() + lines_[words[k + 8]].start);
            base += lines_[words[k]].base;
            const Weight* end = weights_.data() + lines_[words[k] + 1].start;
            for (const Weight* w = weights_.data() + lines_[words[k]].start; w < end; ++w) line[w->klass] += w->value;
        }
        return base;
    }

   private:
    struct Line {
        Index start;
        double base;
    };
    struct Weight {
        double value;
        std::int32_t klass;
    };

    std::vector<Line, LargePages<Line>> lines_;
    std::vector<Weight, LargePages<Weight>> weights_;
};

template <class Out>
void score_texts(Out out, Vector<double> offset, const Texts& texts, Vector<Index> starts, const Analysis& analysis,
                 const Lexicon& lexicon, const TextWeights& weights, int threads) {
    const Documents documents(texts, starts);
    auto done = finish(out);
    done.classes = offset.shape(0);
    if (static_cast<Index>(out.shape(0)) != documents.count || offset.shape(0) != weights.slopes.size() ||
        (out.ndim() == 2 && static_cast<Index>(out.shape(1)) != done.classes)) {
        throw std::invalid_argument("scores, classes and documents differ in number");
    }
    nb::gil_scoped_release release;
    const auto analyze = analysis.analyzer();
    const Index parts = (documents.count + documents_at_once - 1) / documents_at_once;
    std::atomic<Index> taken{0};
    parallel_for(std::min<Index>(threads, parts), threads, [&](Index) {
        Bag bag;
        std::vector<double> line(done.classes);
        for (Index k; (k = taken.fetch_add(1)) < parts;) {
            const Index end = std::min(documents.count, (k + 1) * documents_at_once);
            for (Index i = k * documents_at_once; i < end; ++i) {
                std::fill(line.begin(), line.end(), 0.0);
                bag.fill(documents, i, analyze, LookUp{lexicon.numbering}, weights.presence);
                const double base = weights.add(bag.words, line.data()), n = static_cast<double>(bag.words.size());
                for (Index c = 0; c < done.classes; ++c) {
                    line[c] = offset.data()[c] + weights.scales[c] * (base + n * weights.slopes[c] + line[c]);
                }
                done(i, line.data());
            }
        }
    });
}

void bind_text(nb::module_& m) {
    nb::class_<Texts>(m, "Texts", "Documents somewhere in memory.")
        .def_static("of_list", &texts_of_list, nb::arg("documents"), nb::arg("patterns"))
        .def_static("of_arrow", &texts_of_arrow<std::int32_t>, nb::arg("data").noconvert(),
                    nb::arg("offset").noconvert(), nb::arg("patterns"), nb::arg("threads"))
        .def_static("of_arrow", &texts_of_arrow<std::int64_t>, nb::arg("data").noconvert(),
                    nb::arg("offset").noconvert(), nb::arg("patterns"), nb::arg("threads"))
        .def("part",
             [](nb::handle self, Index begin, Index end) {
                 const auto& all = nb::cast<const Texts&>(self);
                 if (begin < 0 || end < begin || end > static_cast<Index>(all.views.size())) {
                     throw std::out_of_range("no such part");
                 }
                 return Texts{{all.views.begin() + begin, all.views.begin() + end}, {nb::borrow(self)}, -1};
             })
        .def_ro("bad", &Texts::bad)
        .def_prop_ro("size", &Texts::bytes)
        .def("__len__", [](const Texts& t) { return t.views.size(); });
    nb::class_<Analysis>(m, "Analysis", "How documents become tokens.")
        .def(nb::init<Vector<std::uint32_t>, const std::string&, int, int, const Texts&>(), nb::arg("table").noconvert(),
             nb::arg("unit"), nb::arg("shortest"), nb::arg("longest"), nb::arg("stop_words"));
    nb::class_<TextCounter>(m, "TextCounter", "Counts of words by class.")
        .def(nb::init<Index, int, bool>(), nb::arg("classes"), nb::arg("hash_bits"), nb::arg("bursts"))
        .def("add", &TextCounter::add, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"),
             nb::arg("code").noconvert(), nb::arg("weight").noconvert(), nb::arg("threads"))
        .def("result", &TextCounter::result, nb::arg("threads"));
    nb::class_<Lexicon>(m, "Lexicon", "Words known from a fit.")
        .def(nb::init<Bytes, Vector<Index>, int>(), nb::arg("bytes").noconvert(), nb::arg("offset").noconvert(),
             nb::arg("hash_bits"));
    nb::class_<TextWeights>(m, "TextWeights", "Weights of words, sparse in the classes.")
        .def(nb::init<Vector<Index>, Vector<std::int32_t>, Vector<double>, Vector<double>, Vector<double>, Vector<double>,
                      bool, const Lexicon&>(),
             nb::arg("start").noconvert(), nb::arg("klass").noconvert(), nb::arg("value").noconvert(),
             nb::arg("base").noconvert(), nb::arg("slope").noconvert(), nb::arg("scale").noconvert(),
             nb::arg("presence"), nb::arg("lexicon"));
    m.def("merge_words", &merge_words, nb::arg("a").noconvert(), nb::arg("a_offset").noconvert(),
          nb::arg("b").noconvert(), nb::arg("b_offset").noconvert());
    m.def("look_up", &look_up, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"),
          nb::arg("lexicon"), nb::arg("threads"));
    m.def("learn", &learn, nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"), nb::arg("threads"));
    m.def("text_scores", &score_texts<Scores>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"), nb::arg("lexicon"), nb::arg("weights"),
          nb::arg("threads"));
    m.def("text_scores", &score_texts<Codes>, nb::arg("out").noconvert(), nb::arg("offset").noconvert(),
          nb::arg("texts"), nb::arg("starts").noconvert(), nb::arg("analysis"), nb::arg("lexicon"), nb::arg("weights"),
          nb::arg("threads"));
}

}  // namespace suffice
