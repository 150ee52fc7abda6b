// streams_a64.cc: copy, triad and streaming stores in AArch64 assembly.
#include "machine/microbenchmark/streams.h"

#if defined(__aarch64__)

namespace tare::microbenchmark {

// Repeats BODY for each 64 bytes of an iteration of 512, at tare_offset bytes from the pointers.
#define TARE_STREAM(NAME, BODY)                                                                \
  TARE_MICROBENCHMARK void NAME(const Arrays& arrays) {                                        \
    std::byte* a = arrays.a.data();                                                            \
    std::byte* b = arrays.b.data();                                                            \
    std::byte* c = arrays.c.data();                                                            \
    std::uint64_t iterations = arrays.a.size() / 512;                                          \
    asm volatile(                                                                              \
        "fmov v16.2d, #3.0\n"                                                                  \
        "movi v17.2d, #0\n"                                                                    \
        ".p2align 6\n"                                                                         \
        "1:\n"                                                                                 \
        ".set tare_offset, 0\n"                                                                \
        ".rept 8\n" BODY                                                                       \
        ".set tare_offset, tare_offset + 64\n"                                                 \
        ".endr\n"                                                                              \
        "add %[a], %[a], #512\n"                                                               \
        "add %[b], %[b], #512\n"                                                               \
        "add %[c], %[c], #512\n"                                                               \
        "subs %[iterations], %[iterations], #1\n"                                              \
        "b.ne 1b\n"                                                                            \
        : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [iterations] "+&r"(iterations)             \
        :                                                                                      \
        : "x9", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "cc", "memory"); \
  }

// Loads both pairs of a line before storing them: faster in the second-level cache than
// alternating.
TARE_STREAM(tare_copy_16,
            "ldp q0, q1, [%[a], #tare_offset]\n"
            "ldp q2, q3, [%[a], #tare_offset + 32]\n"
            "stp q0, q1, [%[b], #tare_offset]\n"
            "stp q2, q3, [%[b], #tare_offset + 32]\n")

TARE_STREAM(tare_copy_streaming_16,
            "ldp q0, q1, [%[a], #tare_offset]\n"
            "ldp q2, q3, [%[a], #tare_offset + 32]\n"
            "stnp q0, q1, [%[b], #tare_offset]\n"
            "stnp q2, q3, [%[b], #tare_offset + 32]\n")

TARE_STREAM(tare_triad_16,
            "ldp q0, q1, [%[b], #tare_offset]\n"
            "ldp q2, q3, [%[b], #tare_offset + 32]\n"
            "ldp q4, q5, [%[c], #tare_offset]\n"
            "ldp q6, q7, [%[c], #tare_offset + 32]\n"
            "fmla v0.2d, v4.2d, v16.2d\n"
            "fmla v1.2d, v5.2d, v16.2d\n"
            "fmla v2.2d, v6.2d, v16.2d\n"
            "fmla v3.2d, v7.2d, v16.2d\n"
            "stp q0, q1, [%[a], #tare_offset]\n"
            "stp q2, q3, [%[a], #tare_offset + 32]\n")

TARE_STREAM(tare_store_streaming_16,
            "stnp q17, q17, [%[a], #tare_offset]\n"
            "stnp q17, q17, [%[a], #tare_offset + 32]\n")

TARE_STREAM(tare_store_streaming_64,
            "add x9, %[a], #tare_offset\n"
            "dc zva, x9\n")

namespace {

// Whether `dc zva` is permitted and clears 64 bytes (Arm ARM, DCZID_EL0).
bool ClearsLinesOf64() {
  std::uint64_t dczid = 0;
  asm("mrs %0, dczid_el0" : "=r"(dczid));
  return (dczid & 0x1f) == 4;
}

}  // namespace

std::vector<Stream> AllStreams() {
  return {
      {"copy", 2, {"tare_copy_16", 16, 32, 32}, tare_copy_16},
      {"triad", 3, {"tare_triad_16", 16, 64, 32}, tare_triad_16},
      {"copy streaming", 2, {"tare_copy_streaming_16", 16, 32, 32}, tare_copy_streaming_16},
      {"store streaming", 1, {"tare_store_streaming_16", 16, 0, 32}, tare_store_streaming_16},
      {"store streaming", 1, {"tare_store_streaming_64", 64, 0, 8}, tare_store_streaming_64},
  };
}

std::vector<Stream> Streams() {
  // On Neoverse V1, stnp and `dc zva` are equally fast in memory (64 GB/s), and `dc zva` is twice
  // as fast in the caches (166 against 83 GB/s): it needs no data.
  const std::string_view slower =
      ClearsLinesOf64() ? "tare_store_streaming_16" : "tare_store_streaming_64";
  std::vector<Stream> streams = AllStreams();
  std::erase_if(streams, [&](const Stream& stream) { return stream.loop.symbol == slower; });
  return streams;
}

}  // namespace tare::microbenchmark

#endif
