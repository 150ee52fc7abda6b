// dtw_lanes.h: vectors of doubles for dynamic time warping, one type per instruction set. The flags
// with which the including file is compiled determine which types exist.
#pragma once

#include <cstddef>

#if defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

// Everything here has internal linkage, because one program contains these names compiled for
// several instruction sets.
namespace tare::stats {
namespace {

// A single double, for the rows that do not fill a vector.
struct OneLane {
  using Vector = double;
  static constexpr std::size_t kWidth = 1;

  static Vector Load(const double* from) { return *from; }
  static void Store(double* to, Vector v) { *to = v; }
  static Vector Set(double x) { return x; }
  static Vector Add(Vector a, Vector b) { return a + b; }
  static Vector Min(Vector a, Vector b) { return a < b ? a : b; }
  static Vector Distance(Vector a, Vector b) { return a < b ? b - a : a - b; }
  static Vector Square(Vector a, Vector b) { return (a - b) * (a - b); }
  // Returns `v` where |x| <= limit, otherwise `other`.
  static Vector Within(Vector x, double limit, Vector v, Vector other) {
    return Distance(x, 0) <= limit ? v : other;
  }
  // Moves every lane up by one and puts `x` into lane 0.
  static Vector ShiftIn(Vector, const double* x) { return *x; }
  static void StoreLast(double* to, Vector v) { *to = v; }
};

#if defined(__aarch64__)

struct WideLanes {
  using Vector = float64x2_t;
  static constexpr std::size_t kWidth = 2;
  static constexpr std::size_t kRows = 16;

  static Vector Load(const double* from) { return vld1q_f64(from); }
  static void Store(double* to, Vector v) { vst1q_f64(to, v); }
  static Vector Set(double x) { return vdupq_n_f64(x); }
  static Vector Add(Vector a, Vector b) { return vaddq_f64(a, b); }
  static Vector Min(Vector a, Vector b) { return vminq_f64(a, b); }
  static Vector Distance(Vector a, Vector b) { return vabdq_f64(a, b); }
  static Vector Square(Vector a, Vector b) {
    const Vector d = vsubq_f64(a, b);
    return vmulq_f64(d, d);
  }
  static Vector Within(Vector x, double limit, Vector v, Vector other) {
    return vbslq_f64(vcaleq_f64(x, vdupq_n_f64(limit)), v, other);
  }
  static Vector ShiftIn(Vector v, const double* x) { return vextq_f64(vld1q_dup_f64(x), v, 1); }
  static void StoreLast(double* to, Vector v) { vst1q_lane_f64(to, v, 1); }
};

#elif defined(__AVX512F__)

struct WideLanes {
  using Vector = __m512d;
  static constexpr std::size_t kWidth = 8;
  static constexpr std::size_t kRows = 8;

  static Vector Load(const double* from) { return _mm512_loadu_pd(from); }
  static void Store(double* to, Vector v) { _mm512_storeu_pd(to, v); }
  static Vector Set(double x) { return _mm512_set1_pd(x); }
  static Vector Add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector Min(Vector a, Vector b) { return _mm512_min_pd(a, b); }
  static Vector Distance(Vector a, Vector b) { return _mm512_abs_pd(_mm512_sub_pd(a, b)); }
  static Vector Square(Vector a, Vector b) {
    const Vector d = _mm512_sub_pd(a, b);
    return _mm512_mul_pd(d, d);
  }
  static Vector Within(Vector x, double limit, Vector v, Vector other) {
    const __mmask8 inside = _mm512_cmp_pd_mask(_mm512_abs_pd(x), Set(limit), _CMP_LE_OQ);
    return _mm512_mask_blend_pd(inside, other, v);
  }
  static Vector ShiftIn(Vector v, const double* x) {
    return __builtin_shufflevector(v, Set(*x), 8, 0, 1, 2, 3, 4, 5, 6);
  }
  static void StoreLast(double* to, Vector v) { _mm512_mask_storeu_pd(to - 7, 0x80, v); }
};

#elif defined(__AVX2__)

struct WideLanes {
  using Vector = __m256d;
  static constexpr std::size_t kWidth = 4;
  static constexpr std::size_t kRows = 8;

  static Vector Load(const double* from) { return _mm256_loadu_pd(from); }
  static void Store(double* to, Vector v) { _mm256_storeu_pd(to, v); }
  static Vector Set(double x) { return _mm256_set1_pd(x); }
  static Vector Add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector Min(Vector a, Vector b) { return _mm256_min_pd(a, b); }
  static Vector Abs(Vector a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
  static Vector Distance(Vector a, Vector b) { return Abs(_mm256_sub_pd(a, b)); }
  static Vector Square(Vector a, Vector b) {
    const Vector d = _mm256_sub_pd(a, b);
    return _mm256_mul_pd(d, d);
  }
  static Vector Within(Vector x, double limit, Vector v, Vector other) {
    return _mm256_blendv_pd(other, v, _mm256_cmp_pd(Abs(x), Set(limit), _CMP_LE_OQ));
  }
  static Vector ShiftIn(Vector v, const double* x) {
    return _mm256_blend_pd(_mm256_permute4x64_pd(v, 0x90), _mm256_broadcast_sd(x), 1);
  }
  static void StoreLast(double* to, Vector v) { _mm_storeh_pd(to, _mm256_extractf128_pd(v, 1)); }
};

#elif defined(__x86_64__)

struct WideLanes {
  using Vector = __m128d;
  static constexpr std::size_t kWidth = 2;
  static constexpr std::size_t kRows = 8;

  static Vector Load(const double* from) { return _mm_loadu_pd(from); }
  static void Store(double* to, Vector v) { _mm_storeu_pd(to, v); }
  static Vector Set(double x) { return _mm_set1_pd(x); }
  static Vector Add(Vector a, Vector b) { return _mm_add_pd(a, b); }
  static Vector Min(Vector a, Vector b) { return _mm_min_pd(a, b); }
  static Vector Abs(Vector a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
  static Vector Distance(Vector a, Vector b) { return Abs(_mm_sub_pd(a, b)); }
  static Vector Square(Vector a, Vector b) {
    const Vector d = _mm_sub_pd(a, b);
    return _mm_mul_pd(d, d);
  }
  static Vector Within(Vector x, double limit, Vector v, Vector other) {
    const Vector inside = _mm_cmple_pd(Abs(x), Set(limit));
    return _mm_or_pd(_mm_and_pd(inside, v), _mm_andnot_pd(inside, other));
  }
  static Vector ShiftIn(Vector v, const double* x) {
    return _mm_loadl_pd(_mm_unpacklo_pd(v, v), x);
  }
  static void StoreLast(double* to, Vector v) { _mm_storeh_pd(to, v); }
};

#else

struct WideLanes : OneLane {
  static constexpr std::size_t kRows = 8;
};

#endif

}  // namespace
}  // namespace tare::stats
