// Turns documents in UTF-8 into tokens: words as Python's (?u)\b\w\w+\b finds them after str.lower(), or n-grams of words
// or characters.
//
// Letters and their lower case come from the running interpreter, as a table; this code knows nothing of Unicode.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "compiler.hpp"

namespace suffice {

using Byte = unsigned char;

// One entry per code point: the lower-case code point in the low 21 bits, and its flags.
struct Unicode {
    static constexpr std::uint32_t code = (1u << 21) - 1, word = 1u << 21, space = 1u << 22;
    static constexpr std::uint32_t count = 0x110000;
    const std::uint32_t* at;
    Byte lower_word[256];  // ASCII letters, digits and _ in lower case; 0 for every other byte
    bool lowers;           // A to Z

    explicit Unicode(const std::uint32_t* table) : at(table) {
        for (int b = 0; b < 256; ++b) {
            lower_word[b] = b < 128 && (table[b] & word) ? static_cast<Byte>(table[b] & code) : 0;
        }
        lowers = lower_word[0x41] == 0x61;  // A, a
    }
};

inline bool is_ascii(const Byte* p, std::size_t n) {
    std::uint64_t any = 0, chunk[4];
    std::size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        std::memcpy(chunk, p + i, 32);
        any |= (chunk[0] | chunk[1]) | (chunk[2] | chunk[3]);
    }
    for (; i < n; ++i) any |= p[i];
    return !(any & 0x8080808080808080u);
}

constexpr std::size_t slack = 16;  // bytes that may be read beyond a token

// Up to eight bytes of a text as one number, without branches.
inline std::uint64_t eight(const Byte* at, std::size_t bytes) {
    static constexpr std::uint64_t first[9] = {0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF,
                                               0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};
    std::uint64_t chunk;
    std::memcpy(&chunk, at, 8);
    return chunk & first[bytes];
}

// A hash of bytes, the same on every machine. It numbers the buckets of hashed models, so it must never change.
inline std::uint64_t hash_bytes(const Byte* p, std::size_t n) {
    std::uint64_t h = 0x9E3779B97F4A7C15u ^ n;
    for (; n > 16; n -= 16, p += 16) h = folded_product(h ^ eight(p, 8), 0xA0761D6478BD642Fu ^ eight(p + 8, 8));
    const std::size_t low = std::min<std::size_t>(n, 8);
    h = folded_product(h ^ eight(p, low), 0xA0761D6478BD642Fu ^ eight(p + 8, n - low));
    return folded_product(h, 0xE7037ED1A0B428DBu);
}

struct Token {
    std::uint32_t begin, length;  // in the text of the scratch
    std::uint64_t hash;
};

// The buffers into which a thread writes a document: its text in lower case, and the places of its tokens.
struct Scratch {
    static constexpr std::size_t many = 4096;
    std::vector<Byte> text;
    std::vector<Token> words;  // before n-grams are formed
    std::vector<Token> tokens = std::vector<Token>(many);
    std::size_t count = 0;  // current number of tokens, below `many`
    std::vector<std::uint32_t> letters;
    std::vector<std::uint32_t> turns = std::vector<std::uint32_t>(many + 64);  // where ASCII words begin and end

    std::string_view view(const Token& token) const {
        return {reinterpret_cast<const char*>(text.data()) + token.begin, token.length};
    }
};

// Receives the tokens of a document, part by part.
class Sink {
   public:
    virtual void take(std::span<const Token> tokens) = 0;

    // Prefetches the slot of a word that will be looked up.
    SUFFICE_INLINE void soon(std::uint64_t hash) const { prefetch(slots_ + (hash & mask_) * slot_bytes); }

   protected:
    static constexpr std::size_t slot_bytes = 8;

    // Sets the slots in which words are looked up from now on: one more than the mask.
    void look_in(const void* slots, std::size_t mask) {
        slots_ = static_cast<const char*>(slots);
        mask_ = mask;
    }
    ~Sink() = default;

   private:
    const char* slots_ = nullptr;
    std::size_t mask_ = 0;
};

class Vocabulary;

enum class Unit { word, characters, characters_in_words, whole };

// Words in `stop` are left out.
class Analyzer {
   public:
    Analyzer(const Unicode& unicode, Unit unit, int shortest, int longest, const Vocabulary& stop)
        : unicode_(unicode), unit_(unit), shortest_(shortest), longest_(longest), stop_(stop) {}

    // Passes the tokens of a document to the sink.
    void operator()(std::string_view document, Scratch& s, Sink& sink) const;

   private:
    void add(Scratch& s, std::size_t begin, std::size_t length, Sink& sink) const;
    bool stops(std::string_view word) const;
    void ascii_words(const Byte* p, std::size_t n, Scratch& s, Sink& sink) const;
    std::size_t find_turns(const Byte* p, std::size_t at, std::size_t end, Scratch& s, std::size_t count) const;
    void take_words(Scratch& s, std::size_t turns, Sink& sink) const;
    void words(const Byte* p, const Byte* end, Scratch& s, Sink& sink) const;
    void grams(Scratch& s, Sink& sink) const;
    void characters(const Byte* p, const Byte* end, Scratch& s, Sink& sink) const;
    void padded(Scratch& s, Sink& sink) const;

    const Unicode& unicode_;
    Unit unit_;
    int shortest_, longest_;
    const Vocabulary& stop_;
};

}  // namespace suffice
