// Words and their numbers, in the order in which they were first met.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "pages.hpp"
#include "tokens.hpp"

namespace suffice {

struct Nothing {};

// Beside each word stands something of the caller's, so that finding the word brings it into the cache.
template <class Beside = Nothing>
class Vocabulary {
   public:
    static constexpr std::uint32_t none = ~0u;

    Vocabulary() : slots_(1024, Slot{0, none}) {}

    std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
    std::string_view operator[](std::uint32_t id) const {
        return {reinterpret_cast<const char*>(bytes_.data()) + words_[id].begin, words_[id].length};
    }
    std::uint64_t hash(std::uint32_t id) const { return words_[id].hash; }
    Beside& beside(std::uint32_t id) { return words_[id].beside; }

    // Where a word is given with its hash, `slack` bytes beyond its end must be readable.
    // Words that will soon be asked for: first where their numbers are, then, these at hand, the words themselves.
    void expect_slot(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
    void expect_word(std::uint64_t hash) const {
        for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            const Slot slot = slots_[i];
            if (slot.tag == static_cast<std::uint32_t>(hash >> 32)) __builtin_prefetch(&words_[slot.id], 1);
            if (slot.id == none || slot.tag == static_cast<std::uint32_t>(hash >> 32)) return;
        }
    }

    std::uint32_t find(std::string_view word, std::uint64_t hash) const {
        for (std::size_t i = hash & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
            const Slot slot = slots_[i];
            if (slot.id == none) return none;
            if (slot.tag == static_cast<std::uint32_t>(hash >> 32) && is(slot.id, word, hash)) return slot.id;
        }
    }

    std::uint32_t find(std::string_view word) const {
        const std::vector<char> room = roomy(word);
        return find({room.data(), word.size()}, hash_of(room, word.size()));
    }

    std::uint32_t add(std::string_view word, std::uint64_t hash) {
        const std::uint32_t known = find(word, hash);
        if (known != none) return known;
        if (size() == none - 1) throw std::length_error("more than 2**32 words");
        if (words_.size() * 5 >= slots_.size() * 2) grow();
        const auto id = size();
        Word fresh{hash, end_, static_cast<std::uint32_t>(word.size()), {}, {}};
        std::memcpy(fresh.opening, word.data(), std::min(word.size(), sizeof fresh.opening));
        words_.push_back(fresh);
        bytes_.resize(fresh.begin);
        bytes_.insert(bytes_.end(), word.begin(), word.end());
        bytes_.resize(bytes_.size() + slack);
        end_ = fresh.begin + word.size();
        place(hash, id);
        return id;
    }

    std::uint32_t add(std::string_view word) {
        const std::vector<char> room = roomy(word);
        return add({room.data(), word.size()}, hash_of(room, word.size()));
    }

   private:
    struct Slot {
        std::uint32_t tag, id;
    };
    struct alignas(64) Word {  // a line of the cache
        std::uint64_t hash;
        std::size_t begin;
        std::uint32_t length;
        char opening[20];  // most words are no longer
        [[no_unique_address]] Beside beside;  // (and room to read beyond the opening)
    };

    // A word from elsewhere, with room to read beyond its end.
    static std::vector<char> roomy(std::string_view word) {
        std::vector<char> room(word.size() + slack);
        std::memcpy(room.data(), word.data(), word.size());
        return room;
    }
    static std::uint64_t hash_of(const std::vector<char>& room, std::size_t n) {
        return hash_bytes(reinterpret_cast<const Byte*>(room.data()), n);
    }

    bool is(std::uint32_t id, std::string_view word, std::uint64_t hash) const {
        const Word& known = words_[id];
        if (known.hash != hash || known.length != word.size()) return false;
        if (word.size() <= sizeof known.opening) return same(known.opening, word.data(), word.size());
        return std::memcmp(bytes_.data() + known.begin, word.data(), word.size()) == 0;
    }

    // Eight bytes at a time; both have room for that beyond their end.
    static bool same(const char* a, const char* b, std::size_t n) {
        std::uint64_t x, y;
        for (; n > 8; n -= 8, a += 8, b += 8) {
            std::memcpy(&x, a, 8);
            std::memcpy(&y, b, 8);
            if (x != y) return false;
        }
        std::memcpy(&x, a, 8);
        std::memcpy(&y, b, 8);
        return n == 0 || (x ^ y) << (64 - 8 * n) == 0;
    }

    void place(std::uint64_t hash, std::uint32_t id) {
        std::size_t i = hash & (slots_.size() - 1);
        while (slots_[i].id != none) i = (i + 1) & (slots_.size() - 1);
        slots_[i] = {static_cast<std::uint32_t>(hash >> 32), id};
    }

    void grow() {
        slots_.assign(slots_.size() * 2, Slot{0, none});
        for (std::uint32_t id = 0; id < size(); ++id) place(words_[id].hash, id);
    }

    std::vector<Slot, LargePages<Slot>> slots_;
    std::vector<Word, LargePages<Word>> words_;
    std::vector<Byte> bytes_;  // with room to read beyond the last word
    std::size_t end_ = 0;
};

}  // namespace suffice
