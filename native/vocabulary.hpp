// Words and their numbers, in the order in which they were first met.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pages.hpp"
#include "tokens.hpp"

namespace suffice {

struct Nothing {
    char none[12];
};

// Words lie in the hash table itself, with twelve bytes of the caller's beside each: to find a word takes one access to memory
// that is far away, not several. Where a word is given with its hash, `slack` bytes beyond its end must be readable.
template <class Beside = Nothing>
class Vocabulary {
   public:
    static constexpr std::uint32_t none = ~0u;

    struct Entry {
        std::uint32_t tag, id;
        std::uint8_t length;  // up to what fits
        char opening[11];     // most words are no longer
        Beside beside;        // (and room to read beyond the opening)
    };
    static_assert(sizeof(Entry) == 32);

    Vocabulary() : slots_(1024, empty()) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
    std::string_view operator[](std::uint32_t id) const {
        return {reinterpret_cast<const char*>(bytes_.data()) + begin_[id], begin_[id + 1] - begin_[id]};
    }
    std::uint64_t hash(std::uint32_t id) const { return hashes_[id]; }
    Beside& beside(std::uint32_t id) { return slots_[place_[id]].beside; }

    // Room for so many words, of so many bytes in all: then nothing moves while they are added.
    void reserve(std::size_t words, std::size_t bytes) {
        std::size_t slots = slots_.size();
        while (words * 2 >= slots) slots *= 2;
        if (size() == 0 && slots > slots_.size()) slots_.assign(slots, empty());
        hashes_.reserve(words);
        place_.reserve(words);
        begin_.reserve(words + 1);
        bytes_.reserve(bytes + slack);
    }

    // Prefetch a word that will soon be looked up.
    void expect(std::uint64_t hash) const { prefetch<true>(&slots_[hash & (slots_.size() - 1)]); }

    // Prefetch what stands beside a word: first its place, then, with the place at hand, the slot itself.
    void expect_place(std::uint32_t id) const { prefetch(&place_[id]); }
    void expect_beside(std::uint32_t id) const { prefetch<true>(&slots_[place_[id]]); }

    std::uint32_t find(std::string_view word, std::uint64_t hash) const { return slots_[look(word, hash)].id; }

    std::uint32_t find(std::string_view word) const {
        const std::vector<char> room = roomy(word);
        return find({room.data(), word.size()}, hash_of(room, word.size()));
    }

    // The word's entry, made if there is none; it stays where it is until the next one is made.
    Entry& add(std::string_view word, std::uint64_t hash) {
        const std::size_t known = look(word, hash);
        return slots_[known].id != none ? slots_[known] : make(word, hash);
    }

    Entry& add(std::string_view word) {
        const std::vector<char> room = roomy(word);
        return add({room.data(), word.size()}, hash_of(room, word.size()));
    }

   private:
    static Entry empty() { return {0, none, 0, {}, {}}; }
    static std::uint8_t short_length(std::size_t n) { return static_cast<std::uint8_t>(std::min<std::size_t>(n, 0xFF)); }

    // Where the word is, or would be.
    std::size_t look(std::string_view word, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            const Entry& entry = slots_[i];
            if (entry.id == none) return i;
            if (entry.tag == static_cast<std::uint32_t>(hash >> 32) && is(entry, word)) return i;
        }
    }

    Entry& make(std::string_view word, std::uint64_t hash) {
        const std::size_t end = begin_.back() + word.size();
        if (size() == none - 1 || end + slack > none) throw std::length_error("more than 4 GB of words");
        if (hashes_.size() * 2 >= slots_.size()) grow();
        Entry fresh{static_cast<std::uint32_t>(hash >> 32), size(), short_length(word.size()), {}, {}};
        std::memcpy(fresh.opening, word.data(), std::min(word.size(), sizeof fresh.opening));
        hashes_.push_back(hash);
        place_.push_back(0);
        bytes_.resize(begin_.back());
        bytes_.insert(bytes_.end(), word.begin(), word.end());
        bytes_.resize(end + slack);
        begin_.push_back(static_cast<std::uint32_t>(end));
        return put(fresh, hash);
    }

    Entry& put(const Entry& entry, std::uint64_t hash) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = hash & mask;
        while (slots_[i].id != none) i = (i + 1) & mask;
        place_[entry.id] = static_cast<std::uint32_t>(i);
        return slots_[i] = entry;
    }

    void grow() {
        std::vector<Entry, LargePages<Entry>> before(slots_.size() * 2, empty());
        std::swap(before, slots_);
        for (const Entry& entry : before) {
            if (entry.id != none) put(entry, hashes_[entry.id]);
        }
    }

    // A word from elsewhere, with room to read beyond its end.
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

    bool is(const Entry& known, std::string_view word) const {
        if (known.length != short_length(word.size())) return false;
        if (word.size() <= sizeof known.opening) return same(known.opening, word.data(), word.size());
        return (*this)[known.id] == word;
    }

    // Sixteen bytes at once; both have room for that beyond their end.
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

    std::vector<Entry, LargePages<Entry>> slots_;
    std::vector<std::uint64_t> hashes_;
    std::vector<std::uint32_t> begin_{0}, place_;
    std::vector<Byte> bytes_;  // with room to read beyond the last word
};

}  // namespace suffice
