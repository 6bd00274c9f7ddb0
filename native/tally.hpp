// Counts the words of documents by class, without a document-term matrix.
//
// Documents are visited class by class, so that each word needs only one current count; when the class changes, the counts
// are stored as (word, count) pairs. So memory grows with the pairs that occur, not with words × classes.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <span>
#include <utility>

#include "threads.hpp"
#include "tokens.hpp"
#include "vocabulary.hpp"

namespace suffice {

// Words numbered by a growing vocabulary, or by their hash alone.
class Numbering {
   public:
    explicit Numbering(int hash_bits) : bits_(hash_bits) {}

    // The slots in which words will be looked up, if any.
    const void* slots() const { return words.slots(); }
    std::size_t mask() const { return bits_ ? 0 : words.mask(); }

    // Looking up many words in steps, as in Vocabulary.
    std::uint32_t guess(std::uint64_t hash) const { return bits_ ? bucket(hash) : words.guess(hash); }
    std::uint32_t find(std::string_view word, std::uint64_t hash, std::uint32_t guessed) const {
        return bits_ ? guessed : words.find(word, hash, guessed);
    }
    std::uint32_t add(std::string_view word, std::uint64_t hash, std::uint32_t guessed) {
        return bits_ ? guessed : words.add(word, hash, guessed);
    }
    std::size_t size() const { return bits_ ? std::size_t{1} << bits_ : words.size(); }
    bool hashed() const { return bits_ > 0; }

    Vocabulary words;

   private:
    std::uint32_t bucket(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> (64 - bits_)); }

    int bits_;
};

// A word in documents of one class: its total count, and the number of documents.
struct Pairing {
    std::uint32_t word;
    double tokens, documents;
};

// Number of documents of one class in which a word occurs exactly `value` ≥ 2 times.
struct Repeat {
    std::uint32_t word, value;
    double documents;
};

// Number of documents of one class with a given number of tokens.
struct Length {
    std::uint64_t tokens;
    double documents;
};

using Pairings = std::vector<Pairing, LargePages<Pairing>>;

struct ClassTally {
    Pairings pairings;
    std::vector<Repeat> repeats;
    std::vector<Length> lengths;
};

inline auto key(const Pairing& p) { return p.word; }
inline auto key(const Repeat& r) { return std::pair(r.word, r.value); }
inline auto key(const Length& l) { return l.tokens; }
inline void take(Pairing& a, const Pairing& b) { a.tokens += b.tokens, a.documents += b.documents; }
inline void take(Repeat& a, const Repeat& b) { a.documents += b.documents; }
inline void take(Length& a, const Length& b) { a.documents += b.documents; }

// Merges records into the known ones, sorted by key, with distinct keys.
template <class Records>
void gather(Records& known, Records& fresh) {
    using Record = typename Records::value_type;
    if (fresh.empty()) return;
    auto before = [](const Record& a, const Record& b) { return key(a) < key(b); };
    std::stable_sort(fresh.begin(), fresh.end(), before);
    const auto middle = static_cast<std::ptrdiff_t>(known.size());
    known.insert(known.end(), fresh.begin(), fresh.end());
    std::inplace_merge(known.begin(), known.begin() + middle, known.end(), before);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < known.size(); ++i) {
        if (key(known[kept]) == key(known[i])) {
            take(known[kept], known[i]);
        } else {
            known[++kept] = known[i];
        }
    }
    known.resize(kept + 1);
    fresh.clear();
}

// Merges pairings that cover a good part of all words: spreads them over a table of all words, and reads it in order. The
// table is kept from class to class. each(visit) calls visit(word, tokens, documents).
class Spread {
   public:
    template <class Each>
    void operator()(Pairings& known, std::size_t width, Each each) {
        if (sum_.size() < width) sum_.resize(width);
        std::size_t met = 0;
        each([&](std::uint32_t word, double tokens, double documents) {
            auto& cell = sum_[word];
            met += cell[1] == 0;
            cell[0] += tokens;
            cell[1] += documents;
        });
        known.reserve(met);
        for (std::uint32_t word = 0; word < width; ++word) {
            if (sum_[word][1] > 0) known.push_back({word, sum_[word][0], sum_[word][1]});
            sum_[word] = {0.0, 0.0};
        }
    }

   private:
    std::vector<std::array<double, 2>, LargePages<std::array<double, 2>>> sum_;
};

constexpr std::size_t ahead = 16;  // tokens whose words are prefetched

// The counts of one thread.
class Tally {
   public:
    Tally(int hash_bits, std::size_t classes, bool bursts)
        : numbering(hash_bits), classes_(classes), bursts_(bursts) {}

    Numbering numbering;

    // A document begins, has one or more parts, and ends.
    void begin(double weight, bool weighed) {
        weight_ = weight;
        weighed_ = weighed;
        length_ = 0;
        ++number_;
    }

    void part(const Analyzer& analyze, std::string_view text) {
        Use use(*this);
        analyze(text, scratch_, use);
    }

    void end() {
        for (const std::uint32_t word : here_) {
            if (bursts_ && within_[word] > 1) repeats_.push_back({word, within_[word], weight_});
            if (weighed_) {
                if (word >= sums_.size()) sums_.resize(std::max<std::size_t>(word + 1, 2 * sums_.size()));
                sums_[word][0] += weight_ * within_[word];
                sums_[word][1] += weight_;
            }
        }
        here_.clear();
        if (bursts_) lengths_.push_back({length_, weight_});
    }

    // Stores the counts of a class.
    void put_away(std::size_t group) {
        ClassTally& tally = classes_[group];
        pairings_ += met_count_;
        const std::size_t held = tally.pairings.size();
        if (held + met_count_ > tally.pairings.capacity()) {  // grows by a quarter, not twofold: this is most of the memory
            tally.pairings.reserve(held + std::max(met_count_, held / 4));
        }
        for (std::size_t k = 0; k < met_count_; ++k) {
            const std::uint32_t word = met_[k];
            if (k + ahead < met_count_) prefetch<true>(&counts_[met_[k + ahead]]);
            Count& count = counts_[word];
            if (weighed_) {
                tally.pairings.push_back({word, sums_[word][0], sums_[word][1]});
                sums_[word] = {0.0, 0.0};
            } else {
                tally.pairings.push_back({word, static_cast<double>(count.tokens), static_cast<double>(count.documents)});
            }
            count.tokens = count.documents = 0;
        }
        met_count_ = 0;
        gather(tally.repeats, repeats_);
        gather(tally.lengths, lengths_);
        if (pairings_ > needed_ + needed_ / 4 + many) compact();
    }

    // Merges the pairings of a word and class that several batches counted.
    void compact() {
        needed_ = 0;
        Spread spread;
        for (ClassTally& tally : classes_) {
            Pairings all;
            std::swap(all, tally.pairings);
            if (all.size() >= numbering.size() / 8) {
                spread(tally.pairings, numbering.size(), [&](auto visit) {
                    for (const Pairing& p : all) visit(p.word, p.tokens, p.documents);
                });
            } else {
                gather(tally.pairings, all);
            }
            needed_ += tally.pairings.size();
        }
        pairings_ = needed_;
    }

    const ClassTally& of(std::size_t group) const { return classes_[group]; }

    void grow(std::size_t classes) { classes_.resize(classes); }

   private:
    // Counts within the current class. Documents with a weight other than one are summed elsewhere.
    struct Count {
        std::uint32_t tokens, documents, document;
    };

    class Use final : public Sink {
       public:
        explicit Use(Tally& tally) : tally_(tally) { look_in(tally.numbering.slots(), tally.numbering.mask()); }
        void take(std::span<const Token> tokens) override {
            tally_.add(tokens);
            look_in(tally_.numbering.slots(), tally_.numbering.mask());
        }

       private:
        Tally& tally_;
    };

    void add(std::span<const Token> tokens) {
        if (met_.size() < met_count_ + tokens.size()) met_.resize(2 * (met_count_ + tokens.size()));
        if (counts_.size() < numbering.size() + tokens.size()) {
            counts_.resize(numbering.hashed() ? numbering.size() + tokens.size() : 2 * (numbering.size() + tokens.size()));
        }
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            guesses_[k] = numbering.guess(tokens[k].hash);
            if (guesses_[k] != Vocabulary::none) prefetch<true>(&counts_[guesses_[k]]);
        }
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            const std::uint32_t word = numbering.add(scratch_.view(tokens[k]), tokens[k].hash, guesses_[k]);
            Count& count = counts_[word];
            // no branches: whether a word is new cannot be predicted
            met_[met_count_] = word;
            met_count_ += count.tokens == 0;
            const bool again = count.document == number_;
            ++count.tokens;
            count.documents += !again;
            count.document = number_;
            if (bursts_ || weighed_) within(word, again);
        }
        length_ += tokens.size();
    }

    // Counts the word in the current document.
    void within(std::uint32_t word, bool again) {
        if (word >= within_.size()) within_.resize(std::max<std::size_t>(word + 1, 2 * within_.size()));
        within_[word] = again ? within_[word] + 1 : 1;
        if (!again) here_.push_back(word);
    }

    std::vector<ClassTally> classes_;
    static constexpr std::size_t many = std::size_t{1} << 20;
    std::size_t pairings_ = 0, needed_ = 0;  // pairings held now, and after the last merge
    std::vector<Count, LargePages<Count>> counts_;
    std::vector<std::uint32_t> guesses_ = std::vector<std::uint32_t>(Scratch::many);
    std::vector<std::uint32_t> met_, here_, within_;
    std::size_t met_count_ = 0;
    std::vector<Repeat> repeats_;
    std::vector<Length> lengths_;
    Scratch scratch_;
    std::uint64_t length_ = 0;
    std::uint32_t number_ = 0;
    double weight_ = 1;
    std::vector<std::array<double, 2>> sums_;  // weighted tokens and documents
    bool bursts_, weighed_ = false;
};

// All counts: words sorted by their bytes, and for each class its pairings, sorted by word.
struct Words {
    std::vector<std::string_view> words;
    std::vector<ClassTally> classes;
};

// Sorts the numbers `ids` by the bytes of their words, first by eight bytes at once.
template <class Words>
std::vector<std::uint32_t> sorted_words(const Words& words, int threads) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys(words.size());
    for (std::uint32_t id = 0; id < words.size(); ++id) {
        const std::string_view word = words[id];
        Byte first[8] = {};
        std::memcpy(first, word.data(), std::min<std::size_t>(8, word.size()));
        std::uint64_t key = 0;
        for (const Byte b : first) key = key << 8 | b;
        keys[id] = {key, id};
    }
    auto before = [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : words[a.second] < words[b.second];
    };
    const Index parts = threads, size = static_cast<Index>(keys.size());
    auto cut = [&](Index part) { return keys.begin() + size * std::min(part, parts) / parts; };
    parallel_for(parts, threads, [&](Index part) { std::sort(cut(part), cut(part + 1), before); });
    for (Index width = 1; width < parts; width *= 2) {
        for (Index part = 0; part + width < parts; part += 2 * width) {
            std::inplace_merge(cut(part), cut(part + width), cut(part + 2 * width), before);
        }
    }
    std::vector<std::uint32_t> order(keys.size());
    std::transform(keys.begin(), keys.end(), order.begin(), [](const auto& key) { return key.second; });
    return order;
}

// Joins the counts of several threads. The first tally's vocabulary takes in the words of the others.
inline Words join(std::vector<Tally>& tallies, std::size_t classes, int threads) {
    std::vector<std::vector<std::uint32_t>> rank(tallies.size());
    Words out;
    std::size_t width = tallies[0].numbering.size();
    if (!tallies[0].numbering.hashed()) {
        auto& all = tallies[0].numbering.words;
        for (std::size_t t = 0; t < tallies.size(); ++t) {
            const auto& own = tallies[t].numbering.words;
            rank[t].resize(own.size());
            for (std::uint32_t id = 0; id < own.size(); ++id) {
                if (t && id + ahead < own.size()) all.expect(own.hash(id + ahead));
                rank[t][id] = t ? all.add(own[id], own.hash(id)) : id;
            }
        }
        const std::vector<std::uint32_t> order = sorted_words(all, threads);
        width = order.size();
        std::vector<std::uint32_t> place(width);
        out.words.resize(width);
        for (std::uint32_t k = 0; k < width; ++k) {
            place[order[k]] = k;
            out.words[k] = all[order[k]];
        }
        for (auto& numbers : rank) {
            for (auto& id : numbers) id = place[id];
        }
    }
    out.classes.resize(classes);
    parallel_for_with<Spread>(static_cast<Index>(classes), threads, [&](Index group, Spread& spread) {
        auto rank_of = [&](std::size_t t, std::uint32_t word) { return rank[t].empty() ? word : rank[t][word]; };
        ClassTally all;
        std::size_t pairings = 0;
        for (std::size_t t = 0; t < tallies.size(); ++t) {
            const ClassTally& own = tallies[t].of(group);
            for (const Repeat& r : own.repeats) all.repeats.push_back({rank_of(t, r.word), r.value, r.documents});
            all.lengths.insert(all.lengths.end(), own.lengths.begin(), own.lengths.end());
            pairings += own.pairings.size();
        }
        auto each_pairing = [&](auto visit) {
            for (std::size_t t = 0; t < tallies.size(); ++t) {
                for (const Pairing& p : tallies[t].of(group).pairings) visit(rank_of(t, p.word), p.tokens, p.documents);
            }
        };
        ClassTally& joined = out.classes[group];
        gather(joined.repeats, all.repeats);
        gather(joined.lengths, all.lengths);
        if (pairings >= width / 8) {
            spread(joined.pairings, width, each_pairing);
        } else {
            each_pairing([&](std::uint32_t w, double t, double d) { all.pairings.push_back({w, t, d}); });
            gather(joined.pairings, all.pairings);
        }
    });
    return out;
}

}  // namespace suffice
