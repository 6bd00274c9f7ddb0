#include "tokens.hpp"

#include <bit>

#include "vocabulary.hpp"

namespace suffice {
namespace {

// ASCII bytes in lower case (if wanted), and which of them belong to words: letters, digits and _.
struct Ascii {
#ifdef SUFFICE_SSE2
    static constexpr int bytes = 16;

    static std::uint64_t read(const Byte* from, Byte* to, bool lower) {
        const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        const __m128i small = _mm_or_si128(raw, _mm_and_si128(within(raw, 'A', 'Z'), _mm_set1_epi8(0x20)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), lower ? small : raw);
        __m128i word = _mm_or_si128(within(small, 'a', 'z'), within(raw, '0', '9'));
        word = _mm_or_si128(word, _mm_cmpeq_epi8(raw, _mm_set1_epi8('_')));
        return static_cast<std::uint64_t>(_mm_movemask_epi8(word));
    }

   private:
    static __m128i within(__m128i x, char least, char most) {
        return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8(static_cast<char>(least - 1))),
                             _mm_cmplt_epi8(x, _mm_set1_epi8(static_cast<char>(most + 1))));
    }
#else
    static constexpr int bytes = 8;

    // Each byte is below 128, so sums and differences of eight bytes at once do not carry into neighbours.
    static std::uint64_t read(const Byte* from, Byte* to, bool lower) {
        std::uint64_t raw;
        std::memcpy(&raw, from, 8);
        const std::uint64_t small = raw | within(raw, 'A', 'Z') >> 2;
        std::memcpy(to, lower ? &small : &raw, 8);
        const std::uint64_t word = within(small, 'a', 'z') | within(raw, '0', '9') | within(raw, '_', '_');
        return (word >> 7) * 0x0102040810204080u >> 56;  // the top bits of eight bytes, side by side
    }

   private:
    static std::uint64_t within(std::uint64_t x, std::uint64_t least, std::uint64_t most) {
        constexpr std::uint64_t ones = 0x0101010101010101u;
        return (x + ones * (0x80 - least)) & ~(x + ones * (0x7F - most)) & ones * 0x80;
    }
#endif
};

// Returns the code point at p and its length; an invalid UTF-8 byte stands for itself alone, as U+FFFD.
std::uint32_t decode(const Byte* p, const Byte* end, int& length) {
    auto tail = [&](int k) { return p + k < end && (p[k] & 0xC0) == 0x80 ? std::uint32_t{p[k]} & 0x3F : ~0u; };
    length = 1;
    if (p[0] < 0x80) return p[0];
    const std::uint32_t a = tail(1);
    if (p[0] >= 0xC2 && p[0] < 0xE0 && a != ~0u) {
        length = 2;
        return (std::uint32_t{p[0]} & 0x1F) << 6 | a;
    }
    const std::uint32_t b = a != ~0u ? tail(2) : ~0u;
    if (p[0] >= 0xE0 && p[0] < 0xF0 && b != ~0u) {
        length = 3;
        return (std::uint32_t{p[0]} & 0x0F) << 12 | a << 6 | b;
    }
    const std::uint32_t c = b != ~0u ? tail(3) : ~0u;
    if (p[0] >= 0xF0 && p[0] < 0xF5 && c != ~0u) {
        const std::uint32_t all = (std::uint32_t{p[0]} & 0x07) << 18 | a << 12 | b << 6 | c;
        if (all < Unicode::count) {
            length = 4;
            return all;
        }
    }
    return 0xFFFD;
}

int encode(std::uint32_t c, Byte* out) {
    if (c < 0x80) return out[0] = static_cast<Byte>(c), 1;
    if (c < 0x800) {
        out[0] = static_cast<Byte>(0xC0 | c >> 6);
        out[1] = static_cast<Byte>(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = static_cast<Byte>(0xE0 | c >> 12);
        out[1] = static_cast<Byte>(0x80 | (c >> 6 & 0x3F));
        out[2] = static_cast<Byte>(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = static_cast<Byte>(0xF0 | c >> 18);
    out[1] = static_cast<Byte>(0x80 | (c >> 12 & 0x3F));
    out[2] = static_cast<Byte>(0x80 | (c >> 6 & 0x3F));
    out[3] = static_cast<Byte>(0x80 | (c & 0x3F));
    return 4;
}

void flush(Scratch& s, Sink& sink) {
    if (s.count) sink.take(std::span<const Token>(s.tokens.data(), s.count));
    s.count = 0;
}

}  // namespace

SUFFICE_INLINE bool Analyzer::stops(std::string_view word) const {
    return stop_.size() > 0 && stop_.find(word) != Vocabulary::none;
}

void Analyzer::operator()(std::string_view document, Scratch& s, Sink& sink) const {
    const std::size_t room = document.size() * 3 + 96;  // an invalid byte becomes U+FFFD, of three bytes
    if (s.text.size() < room) s.text.resize(room);
    const auto* p = reinterpret_cast<const Byte*>(document.data());
    const Byte* end = p + document.size();
    if (unit_ == Unit::whole) {
        std::memcpy(s.text.data(), p, document.size());
        add(s, 0, document.size(), sink);
    } else if (unit_ != Unit::word) {
        characters(p, end, s, sink);
    } else if (shortest_ == 1 && longest_ == 1 && is_ascii(p, document.size())) {
        ascii_words(p, document.size(), s, sink);
    } else {
        words(p, end, s, sink);
    }
    flush(s, sink);
}

inline void Analyzer::add(Scratch& s, std::size_t begin, std::size_t length, Sink& sink) const {
    const std::uint64_t hash = hash_bytes(s.text.data() + begin, length);
    sink.soon(hash);
    s.tokens[s.count++] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(length), hash};
    if (s.count == Scratch::many) flush(s, sink);
}

// Finds words of plain ASCII, which stay in the text. The first step lowers the text and marks where words begin and end,
// the second one reads the words, because reading back at once what was just written in parts would stall.
void Analyzer::ascii_words(const Byte* p, std::size_t n, Scratch& s, Sink& sink) const {
    std::size_t open = 0;  // one if a word has begun but not ended
    for (std::size_t at = 0; at < n; at += Scratch::many) {
        const std::size_t end = std::min(n, at + Scratch::many);
        std::size_t turns = find_turns(p, at, end, s, open);
        if (end == n && turns % 2) s.turns[turns++] = static_cast<std::uint32_t>(n);
        take_words(s, turns, sink);
        open = turns % 2;
        if (open) s.turns[0] = s.turns[turns - 1];
    }
}

// Writes where words begin and end after the first `count` marks, 64 bytes at a time; returns the new number of marks.
std::size_t Analyzer::find_turns(const Byte* p, std::size_t at, std::size_t end, Scratch& s, std::size_t count) const {
    Byte last[64] = {};
    std::uint64_t before = count;  // whether the byte before belongs to a word
    for (; at < end; at += 64) {
        const Byte* from = p + at;
        if (at + 64 > end) {
            std::memcpy(last, from, end - at);
            from = last;
        }
        std::uint64_t word = 0;
        for (int k = 0; k < 64; k += Ascii::bytes) {
            word |= Ascii::read(from + k, s.text.data() + at + k, unicode_.lowers) << k;
        }
        std::uint64_t turns = word ^ (word << 1 | before);
        const std::size_t next = count + std::popcount(turns);
        while (count < next) {  // eight at a time: their number is hard to predict, and surplus writes do no harm
            for (int k = 0; k < 8; ++k, turns &= turns - 1) {
                s.turns[count + k] = static_cast<std::uint32_t>(at + std::countr_zero(turns));
            }
            count += 8;
        }
        count = next;
        before = word >> 63;
    }
    return count;
}

void Analyzer::take_words(Scratch& s, std::size_t turns, Sink& sink) const {
    if (s.count + turns / 2 > Scratch::many) flush(s, sink);
    const Byte* text = s.text.data();
    Token* token = s.tokens.data() + s.count;
    for (std::size_t k = 0; k + 1 < turns; k += 2) {
        const std::uint32_t begin = s.turns[k], length = s.turns[k + 1] - begin;
        const std::uint64_t hash = hash_bytes(text + begin, length);
        *token = {begin, length, hash};
        sink.soon(hash);
        token += length >= 2 && !stops(s.view(*token));
    }
    s.count = static_cast<std::size_t>(token - s.tokens.data());
}

// Words side by side, separated by spaces, so that n consecutive words are one stretch of text.
void Analyzer::words(const Byte* p, const Byte* end, Scratch& s, Sink& sink) const {
    Byte* text = s.text.data();
    std::size_t at = 0, n = 0, continued = 0;  // continuation bytes are not characters of their own
    const bool alone = shortest_ == 1 && longest_ == 1;
    s.words.clear();
    for (;;) {
        while (p < end) {
            const Byte c = unicode_.lower_word[*p];
            if (!c) break;
            text[at + n++] = c;
            ++p;
        }
        if (p < end && *p >= 0x80) {
            int length;
            const std::uint32_t entry = unicode_.at[decode(p, end, length)];
            p += length;
            if (entry & Unicode::word) {
                const int bytes = encode(entry & Unicode::code, text + at + n);
                n += bytes;
                continued += bytes - 1;
                continue;
            }
        } else if (p < end) {
            ++p;
        }
        if (n - continued >= 2 && !stops(std::string_view(reinterpret_cast<char*>(text) + at, n))) {
            if (alone) {
                add(s, at, n, sink);
                if (s.count == 0) {
                    at = 0;  // the word was passed on: its place is free again
                    n = 0;
                }
            } else {
                s.words.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(n), 0});
            }
            at += n;
            if (n) text[at++] = ' ';
        }
        n = continued = 0;
        if (p >= end) break;
    }
    if (!alone) grams(s, sink);
}

void Analyzer::grams(Scratch& s, Sink& sink) const {
    for (std::size_t n = shortest_; n <= static_cast<std::size_t>(longest_) && n <= s.words.size(); ++n) {
        for (std::size_t i = 0; i + n <= s.words.size(); ++i) {
            const Token& last = s.words[i + n - 1];
            add(s, s.words[i].begin, last.begin + last.length - s.words[i].begin, sink);
        }
    }
}

// Two or more whitespace characters become one space; then n consecutive characters, or n within words between spaces.
void Analyzer::characters(const Byte* p, const Byte* end, Scratch& s, Sink& sink) const {
    Byte* text = s.text.data();
    std::size_t at = 0;
    s.letters.clear();
    auto letter = [&](std::uint32_t c) {
        s.letters.push_back(static_cast<std::uint32_t>(at));
        at += encode(c, text + at);
    };
    const bool within = unit_ == Unit::characters_in_words;
    auto close = [&] {
        if (s.letters.size() > 1) {
            letter(' ');
            s.letters.push_back(static_cast<std::uint32_t>(at));
            padded(s, sink);
        }
        s.letters.clear();
        letter(' ');
    };
    if (within) letter(' ');
    while (p < end) {
        int length;
        const std::uint32_t entry = unicode_.at[decode(p, end, length)];
        p += length;
        if (!(entry & Unicode::space)) {
            letter(entry & Unicode::code);
            continue;
        }
        bool more = false;
        while (p < end) {
            int next;
            if (!(unicode_.at[decode(p, end, next)] & Unicode::space)) break;
            p += next;
            more = true;
        }
        if (within) {
            close();
        } else {
            letter(more ? ' ' : entry & Unicode::code);
        }
    }
    if (within) {
        close();
        return;
    }
    s.letters.push_back(static_cast<std::uint32_t>(at));
    const std::size_t count = s.letters.size() - 1;
    for (std::size_t n = shortest_; n <= static_cast<std::size_t>(longest_) && n <= count; ++n) {
        for (std::size_t i = 0; i + n <= count; ++i) add(s, s.letters[i], s.letters[i + n] - s.letters[i], sink);
    }
}

// One word between its spaces; if it is shorter than n characters, it counts once as a whole, and not for longer n.
void Analyzer::padded(Scratch& s, Sink& sink) const {
    const std::size_t count = s.letters.size() - 1;
    for (std::size_t n = shortest_; n <= static_cast<std::size_t>(longest_); ++n) {
        const std::size_t width = std::min(n, count);
        for (std::size_t i = 0; i + width <= count; ++i) {
            add(s, s.letters[i], s.letters[i + width] - s.letters[i], sink);
        }
        if (n >= count) break;
    }
}

}  // namespace suffice
