// Everything specific to a compiler, processor or system, in one place. Each has a plain C++ alternative with the same
// bits. SUFFICE_PLAIN_CPP compiles only the plain code, to test it.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if !defined(_WIN32)
#include <pthread.h>
#endif

#if !defined(SUFFICE_PLAIN_CPP)
#if defined(__GNUC__)
#define SUFFICE_GNU  // gcc, or clang, which supports the same extensions
#endif
#if defined(__SSE2__) || defined(_M_X64) && !defined(_M_ARM64EC)
#define SUFFICE_SSE2
#include <emmintrin.h>
#endif
#endif

// Sums are rounded once, in the order written: to double, or to float where evidence and residuals of words are summed.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "compile without -ffast-math, /fp:fast and the like: the results must not depend on the compiler"
#endif
static_assert(std::numeric_limits<double>::is_iec559);
#if defined(__GNUC__)
static_assert(FLT_EVAL_METHOD == 0, "doubles must be computed as doubles; on 32-bit x86: -msse2 -mfpmath=sse");
#endif
static_assert(std::endian::native == std::endian::little, "hashes of words are written for this order of bytes");

// Always inlined.
#if defined(SUFFICE_GNU)
#define SUFFICE_INLINE __attribute__((always_inline)) inline
#define SUFFICE_INLINE_LAMBDA __attribute__((always_inline))
#else
#if defined(_MSC_VER)
#define SUFFICE_INLINE __forceinline
#else
#define SUFFICE_INLINE inline
#endif
#define SUFFICE_INLINE_LAMBDA
#endif

// Inner loops compiled for several processors; the version is chosen when the library is loaded. All of them add in the
// same order, so the bits are the same.
#if defined(SUFFICE_GNU) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define SUFFICE_FOR_EACH_PROCESSOR __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SUFFICE_FOR_EACH_PROCESSOR
#endif

namespace suffice {

// Two, four or eight numbers side by side; each is computed on its own.
#if defined(SUFFICE_GNU)
typedef double Two __attribute__((vector_size(16)));
typedef double Four __attribute__((vector_size(32)));
typedef double Eight __attribute__((vector_size(64)));
#else
template <int count>
struct Pack {
    double at[count];

    double operator[](int i) const { return at[i]; }

    template <class Function>
    static SUFFICE_INLINE Pack each(Function function) {
        Pack out;
        for (int i = 0; i < count; ++i) out.at[i] = function(i);
        return out;
    }
    friend SUFFICE_INLINE Pack operator+(const Pack& a, const Pack& b) {
        return each([&](int i) { return a.at[i] + b.at[i]; });
    }
    friend SUFFICE_INLINE Pack operator-(const Pack& a, const Pack& b) {
        return each([&](int i) { return a.at[i] - b.at[i]; });
    }
    friend SUFFICE_INLINE Pack operator*(const Pack& a, const Pack& b) {
        return each([&](int i) { return a.at[i] * b.at[i]; });
    }
    friend SUFFICE_INLINE Pack operator-(const Pack& a, double b) {
        return each([&](int i) { return a.at[i] - b; });
    }
    friend SUFFICE_INLINE Pack operator-(double a, const Pack& b) {
        return each([&](int i) { return a - b.at[i]; });
    }
    friend SUFFICE_INLINE Pack operator*(const Pack& a, double b) {
        return each([&](int i) { return a.at[i] * b; });
    }
    friend SUFFICE_INLINE Pack operator*(double a, const Pack& b) {
        return each([&](int i) { return a * b.at[i]; });
    }
    SUFFICE_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
    SUFFICE_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
    SUFFICE_INLINE Pack& operator-=(double b) { return *this = *this - b; }
};
using Two = Pack<2>;
using Four = Pack<4>;
using Eight = Pack<8>;
#endif

// Prefetches memory for reading, or also for writing.
template <bool written = false>
SUFFICE_INLINE void prefetch([[maybe_unused]] const void* place) {
#if defined(SUFFICE_GNU)
    __builtin_prefetch(place, written);
#elif defined(SUFFICE_SSE2)
    _mm_prefetch(static_cast<const char*>(place), _MM_HINT_T0);
#endif
}

// The two halves of a 128-bit product, combined by XOR.
SUFFICE_INLINE std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(SUFFICE_GNU) && defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#elif defined(_MSC_VER) && !defined(SUFFICE_PLAIN_CPP) && (defined(_M_X64) || defined(_M_ARM64))
    return a * b ^ __umulh(a, b);
#else
    const std::uint64_t low = 0xFFFFFFFFu, a0 = a & low, a1 = a >> 32, b0 = b & low, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & low);
    return a * b ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

// ln |Γ(x)|. lgamma may store the sign in a global variable; threads need the reentrant version.
inline double log_gamma(double x) {
#if defined(SUFFICE_GNU) && defined(__GLIBC__)
    int sign;
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

// Returns whether a text contains some bytes.
inline bool holds(std::string_view text, std::string_view bytes) {
#if defined(SUFFICE_GNU) && defined(__GLIBC__)
    return ::memmem(text.data(), text.size(), bytes.data(), bytes.size()) != nullptr;
#else
    return text.find(bytes) != std::string_view::npos;
#endif
}

// Registers a function that every forked child calls, on systems that fork.
inline void in_every_child([[maybe_unused]] void (*call)()) {
#if !defined(_WIN32)
    pthread_atfork(nullptr, nullptr, call);
#endif
}

}  // namespace suffice
