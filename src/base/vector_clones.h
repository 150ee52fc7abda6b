// vector_clones.h: functions that are compiled twice, for processors with AVX2 and for all others.
#pragma once

// The function that chooses runs too early for sanitizers.
#if defined(__x86_64__) && defined(NDEBUG) && !defined(TARE_SANITIZED)
#define TARE_VECTOR_CLONES [[gnu::target_clones("avx2", "default")]]
#else
#define TARE_VECTOR_CLONES
#endif
