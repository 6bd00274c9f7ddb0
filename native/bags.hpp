// Turns documents into words that are known, or become known on the way.
#pragma once

#include "text.hpp"

namespace suffice {

// Words known from a fit, for looking up the words of new documents.
struct Lexicon {
    Numbering numbering;

    Lexicon(Bytes bytes, Vector<Index> offset, int hash_bits) : numbering(hash_bits) {
        std::vector<char> all(bytes.shape(0) + slack);  // readable beyond the last word
        std::copy_n(reinterpret_cast<const char*>(bytes.data()), bytes.shape(0), all.data());
        const std::size_t words = offset.shape(0) ? offset.shape(0) - 1 : 0;
        for (std::size_t i = 0; i < words; ++i) {
            const Index begin = offset.data()[i], end = offset.data()[i + 1];
            if (begin < 0 || end < begin || end > static_cast<Index>(bytes.shape(0))) {
                throw std::invalid_argument("offsets do not fit their data");
            }
        }
        numbering.words.reserve(words, bytes.shape(0));
        std::vector<std::uint64_t> hash(words);
        const auto word = [&](std::size_t i) {
            const Index begin = offset.data()[i];
            return std::string_view(all.data() + begin, offset.data()[i + 1] - begin);
        };
        for (std::size_t i = 0; i < words; ++i) {
            hash[i] = hash_bytes(reinterpret_cast<const Byte*>(word(i).data()), word(i).size());
        }
        for (std::size_t i = 0; i < words; ++i) {
            if (i + ahead < words) numbering.words.expect(hash[i + ahead]);
            numbering.words.add(word(i), hash[i]);
        }
    }
};

// The words of one document: each once, with its count, or as often as it occurs.
class Bag {
   public:
    // number(text, hash, guess) is a word's number, or Vocabulary::none
    template <class Number>
    void fill(const Documents& documents, Index i, const Analyzer& analyze, Number number, bool once = true) {
        words.clear();
        ++document_;
        Use<Number> use(*this, number, once);
        documents.each(i, [&](std::string_view text) { analyze(text, scratch_, use); });
    }

    std::uint32_t count(std::uint32_t word) const { return counts_[word].within; }

    std::vector<std::uint32_t> words;

   private:
    template <class Number>
    class Use final : public Sink {
       public:
        Use(Bag& bag, Number& number, bool once) : bag_(bag), number_(number), once_(once) { look_on(); }
        void take(std::span<const Token> tokens) override {
            for (std::size_t k = 0; k < tokens.size(); ++k) bag_.guesses_[k] = number_.numbering.guess(tokens[k].hash);
            for (std::size_t k = 0; k < tokens.size(); ++k) {
                const std::uint32_t word = number_(bag_.scratch_.view(tokens[k]), tokens[k].hash, bag_.guesses_[k]);
                if (word == Vocabulary::none) continue;
                if (once_) {
                    bag_.add(word);
                } else {
                    bag_.words.push_back(word);
                }
            }
            look_on();
        }

       private:
        void look_on() { look_in(number_.numbering.slots(), number_.numbering.mask()); }

        Bag& bag_;
        Number& number_;
        bool once_;
    };

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
    std::vector<std::uint32_t> guesses_ = std::vector<std::uint32_t>(Scratch::many);
    Scratch scratch_;
    std::uint64_t document_ = 0;
};

struct Learn {
    Numbering& numbering;
    std::uint32_t operator()(std::string_view word, std::uint64_t hash, std::uint32_t guess) const {
        return numbering.add(word, hash, guess);
    }
};

struct LookUp {
    const Numbering& numbering;
    std::uint32_t operator()(std::string_view word, std::uint64_t hash, std::uint32_t guess) const {
        return numbering.find(word, hash, guess);
    }
};

constexpr Index documents_at_once = 256;

}  // namespace suffice
