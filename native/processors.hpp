// Inner loops compiled for several processors; the one that runs is chosen when the library is loaded. Every sum is added up
// in the same order by all of them, so the bits are the same.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__)
#define SUFFICE_FOR_EACH_PROCESSOR __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define SUFFICE_FOR_EACH_PROCESSOR
#endif

#define SUFFICE_INLINE __attribute__((always_inline)) inline
