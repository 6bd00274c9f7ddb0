// Words and their numbers, in order of first occurrence.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pages.hpp"
#include "tokens.hpp"

namespace suffice {

// A slot of the hash table holds the number of a word and half of its hash, so that few other words are compared. The
// beginnings of words are stored in the order of their numbers: frequent words, which occur early, share cache lines. If a
// word is given with its hash, `slack` bytes beyond its end must be readable.
class Vocabulary {
   public:
    static constexpr std::uint32_t none = ~0u;

    Vocabulary() : slots_(1024) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
    std::string_view operator[](std::uint32_t id) const {
        return {reinterpret_cast<const char*>(bytes_.data()) + begin_[id], begin_[id + 1] - begin_[id]};
    }
    std::uint64_t hash(std::uint32_t id) const { return hashes_[id]; }

    // Reserves room for a number of words and their total bytes, so that nothing moves while they are added.
    void reserve(std::size_t words, std::size_t bytes) {
        std::size_t slots = slots_.size();
        while (words * 2 >= slots) slots *= 2;
        if (size() == 0 && slots > slots_.size()) slots_.assign(slots, {});
        hashes_.reserve(words);
        openings_.reserve(words);
        begin_.reserve(words + 1);
        bytes_.reserve(bytes + slack);
    }

    // Looking up many words in steps that do not wait for memory: announce a word; …
    void expect(std::uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }

    const void* slots() const { return slots_.data(); }
    std::size_t mask() const { return slots_.size() - 1; }

    // … guess its number by half of its hash; …
    std::uint32_t guess(std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = hash & mask;
        while (slots_[i].tag != tag(hash) && slots_[i].id != none) i = (i + 1) & mask;
        prefetch(openings_.data() + (slots_[i].id != none ? slots_[i].id : 0));
        return slots_[i].id;
    }

    // … and check the guess.
    std::uint32_t find(std::string_view word, std::uint64_t hash, std::uint32_t guessed) const {
        return guessed == none || is(guessed, word) ? guessed : find(word, hash);
    }

    // Returns the number of a word, adding it if it is unknown.
    std::uint32_t add(std::string_view word, std::uint64_t hash, std::uint32_t guessed) {
        return guessed != none && is(guessed, word) ? guessed : add(word, hash);
    }

    std::uint32_t find(std::string_view word, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            const Slot& slot = slots_[i];
            if (slot.id == none || (slot.tag == tag(hash) && is(slot.id, word))) return slot.id;
        }
    }

    std::uint32_t add(std::string_view word, std::uint64_t hash) {
        const std::uint32_t known = find(word, hash);
        return known != none ? known : make(word, hash);
    }

    std::uint32_t find(std::string_view word) const {
        const std::vector<char> room = roomy(word);
        return find({room.data(), word.size()}, hash_of(room, word.size()));
    }

    std::uint32_t add(std::string_view word) {
        const std::vector<char> room = roomy(word);
        return add({room.data(), word.size()}, hash_of(room, word.size()));
    }

   private:
    struct Slot {
        std::uint32_t tag = 0, id = none;
    };
    struct Opening {
        char bytes[15];  // most words are not longer
        std::uint8_t length;
    };
    static_assert(sizeof(Opening) == slack && sizeof(Slot) == 8);

    static std::uint32_t tag(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }
    static std::uint8_t short_length(std::size_t n) { return static_cast<std::uint8_t>(std::min<std::size_t>(n, 0xFF)); }

    std::uint32_t make(std::string_view word, std::uint64_t hash) {
        const std::size_t end = begin_.back() + word.size();
        if (size() == none - 1 || end + slack > none) throw std::length_error("more than 4 GB of words");
        if (hashes_.size() * 2 >= slots_.size()) grow();
        Opening opening{{}, short_length(word.size())};
        std::memcpy(opening.bytes, word.data(), std::min(word.size(), sizeof opening.bytes));
        openings_.push_back(opening);
        bytes_.resize(begin_.back());
        bytes_.insert(bytes_.end(), word.begin(), word.end());
        bytes_.resize(end + slack);
        begin_.push_back(static_cast<std::uint32_t>(end));
        hashes_.push_back(hash);
        put(size() - 1);
        return size() - 1;
    }

    void put(std::uint32_t id) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = hashes_[id] & mask;
        while (slots_[i].id != none) i = (i + 1) & mask;
        slots_[i] = {tag(hashes_[id]), id};
    }

    void grow() {
        slots_.assign(slots_.size() * 2, {});
        for (std::uint32_t id = 0; id < size(); ++id) put(id);
    }

    // Copies a word, with readable bytes beyond its end.
    static std::vector<char> roomy(std::string_view word) {
        std::vector<char> room;
        room.reserve(word.size() + slack);
        room.assign(word.begin(), word.end());
        room.resize(word.size() + slack);
        return room;
    }
    static std::uint64_t hash_of(const std::vector<char>& room, std::size_t n) {
        return hash_bytes(reinterpret_cast<const Byte*>(room.data()), n);
    }

    bool is(std::uint32_t id, std::string_view word) const {
        const Opening& known = openings_[id];
        if (known.length != short_length(word.size())) return false;
        if (word.size() <= sizeof known.bytes) return same(known.bytes, word.data(), word.size());
        return (*this)[id] == word;
    }

    // Compares sixteen bytes at once; both words are readable that far beyond their end.
    static bool same(const char* a, const char* b, std::size_t n) {
#ifdef SUFFICE_SSE2
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
        const auto differ = ~static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)));
        return (differ & ((1u << n) - 1)) == 0;
#else
        return std::memcmp(a, b, n) == 0;
#endif
    }

    std::vector<Slot, LargePages<Slot>> slots_;
    std::vector<Opening, LargePages<Opening>> openings_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> begin_{0};
    std::vector<Byte> bytes_;  // readable beyond the last word
};

}  // namespace suffice
