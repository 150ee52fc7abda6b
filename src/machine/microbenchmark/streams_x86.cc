// streams_x86.cc: copy, triad and streaming stores in x86-64 assembly.
#include "machine/microbenchmark/streams.h"

#if defined(__x86_64__)

#include <cpuid.h>

#include "machine/microbenchmark/memory_loop.h"

namespace tare::microbenchmark {

// For each width: 3 and 0 in vector registers 14 and 15.
#define TARE_BEGIN_16             \
  "movq %[three], %%xmm14\n"      \
  "punpcklqdq %%xmm14, %%xmm14\n" \
  "pxor %%xmm15, %%xmm15\n"
#define TARE_BEGIN_32               \
  "vmovq %[three], %%xmm14\n"       \
  "vpbroadcastq %%xmm14, %%ymm14\n" \
  "vpxor %%xmm15, %%xmm15, %%xmm15\n"
#define TARE_BEGIN_64                \
  "vpbroadcastq %[three], %%zmm14\n" \
  "vpxor %%xmm15, %%xmm15, %%xmm15\n"

// Repeats BODY for each element of an iteration of 512 bytes, at tare_offset bytes from the
// pointers. Streaming stores complete before the function returns.
#define TARE_STREAM(NAME, BYTES, COUNT, BODY, END)                                          \
  TARE_MICROBENCHMARK void NAME(const Arrays& arrays) {                                     \
    std::byte* a = arrays.a.data();                                                         \
    std::byte* b = arrays.b.data();                                                         \
    std::byte* c = arrays.c.data();                                                         \
    std::uint64_t iterations = arrays.a.size() / 512;                                       \
    asm volatile(TARE_BEGIN_##BYTES                                                         \
                 ".p2align 6\n"                                                             \
                 "1:\n"                                                                     \
                 ".set tare_offset, 0\n"                                                    \
                 ".rept " #COUNT "\n" BODY ".set tare_offset, tare_offset + " #BYTES        \
                 "\n"                                                                       \
                 ".endr\n"                                                                  \
                 "addq $512, %[a]\n"                                                        \
                 "addq $512, %[b]\n"                                                        \
                 "addq $512, %[c]\n"                                                        \
                 "decq %[iterations]\n"                                                     \
                 "jnz 1b\n" END                                                             \
                 : [a] "+&r"(a), [b] "+&r"(b), [c] "+&r"(c), [iterations] "+&r"(iterations) \
                 : [three] "r"(3.0)                                                         \
                 : "xmm0", "xmm1", "xmm14", "xmm15", "cc", "memory");                       \
  }

#define TARE_STREAMS_VEX(BYTES, COUNT, R)                 \
  TARE_STREAM(tare_copy_##BYTES, BYTES, COUNT,            \
              "vmovaps tare_offset(%[a]), %%" R           \
              "0\n"                                       \
              "vmovaps %%" R "0, tare_offset(%[b])\n",    \
              "vzeroupper\n")                             \
  TARE_STREAM(tare_copy_streaming_##BYTES, BYTES, COUNT,  \
              "vmovaps tare_offset(%[a]), %%" R           \
              "0\n"                                       \
              "vmovntps %%" R "0, tare_offset(%[b])\n",   \
              "sfence\n vzeroupper\n")                    \
  TARE_STREAM(tare_triad_##BYTES, BYTES, COUNT,           \
              "vmovapd tare_offset(%[c]), %%" R           \
              "0\n"                                       \
              "vmovapd tare_offset(%[b]), %%" R           \
              "1\n"                                       \
              "vmulpd %%" R "14, %%" R "0, %%" R          \
              "0\n"                                       \
              "vaddpd %%" R "1, %%" R "0, %%" R           \
              "0\n"                                       \
              "vmovapd %%" R "0, tare_offset(%[a])\n",    \
              "vzeroupper\n")                             \
  TARE_STREAM(tare_store_streaming_##BYTES, BYTES, COUNT, \
              "vmovntps %%" R "15, tare_offset(%[a])\n", "sfence\n vzeroupper\n")

TARE_STREAM(tare_copy_16, 16, 32,
            "movaps tare_offset(%[a]), %%xmm0\n"
            "movaps %%xmm0, tare_offset(%[b])\n",
            "")
TARE_STREAM(tare_copy_streaming_16, 16, 32,
            "movaps tare_offset(%[a]), %%xmm0\n"
            "movntps %%xmm0, tare_offset(%[b])\n",
            "sfence\n")
TARE_STREAM(tare_triad_16, 16, 32,
            "movapd tare_offset(%[c]), %%xmm0\n"
            "movapd tare_offset(%[b]), %%xmm1\n"
            "mulpd %%xmm14, %%xmm0\n"
            "addpd %%xmm1, %%xmm0\n"
            "movapd %%xmm0, tare_offset(%[a])\n",
            "")
TARE_STREAM(tare_store_streaming_16, 16, 32, "movntps %%xmm15, tare_offset(%[a])\n", "sfence\n")

TARE_STREAMS_VEX(32, 16, "ymm")
TARE_STREAMS_VEX(64, 8, "zmm")

// REP MOVSB; a single iteration of the loop copies the whole array.
TARE_MICROBENCHMARK void tare_copy_string(const Arrays& arrays) {
  std::uint64_t iterations = 1;
  asm volatile(
      ".p2align 6\n"
      "1:\n"
      "movq %[a], %%rsi\n"
      "movq %[b], %%rdi\n"
      "movq %[bytes], %%rcx\n"
      "rep movsb\n"
      "decq %[iterations]\n"
      "jnz 1b\n"
      : [iterations] "+&r"(iterations)
      : [a] "r"(arrays.a.data()), [b] "r"(arrays.b.data()), [bytes] "r"(arrays.a.size())
      : "rsi", "rdi", "rcx", "cc", "memory");
}

namespace {

constexpr unsigned kEnhancedStrings = 1 << 9;  // CPUID leaf 7, EBX bit 9

// Whether the processor has enhanced REP MOVSB and STOSB (ERMS, Intel SDM vol. 2A, CPUID).
bool HasFastStrings() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kEnhancedStrings) != 0;
}

constexpr Stream kCopyString = {"copy string", 2, {"tare_copy_string", 1, 1, 1}, tare_copy_string};

}  // namespace

#define TARE_STREAM_ROWS(BYTES)                                                                 \
  Stream{"copy", 2, {"tare_copy_" #BYTES, BYTES, 512 / BYTES, 512 / BYTES}, tare_copy_##BYTES}, \
      Stream{"triad",                                                                           \
             3,                                                                                 \
             {"tare_triad_" #BYTES, BYTES, 1024 / BYTES, 512 / BYTES},                          \
             tare_triad_##BYTES},                                                               \
      Stream{"copy streaming",                                                                  \
             2,                                                                                 \
             {"tare_copy_streaming_" #BYTES, BYTES, 512 / BYTES, 512 / BYTES},                  \
             tare_copy_streaming_##BYTES},                                                      \
      Stream {                                                                                  \
    "store streaming", 1, {"tare_store_streaming_" #BYTES, BYTES, 0, 512 / BYTES},              \
        tare_store_streaming_##BYTES                                                            \
  }

std::vector<Stream> AllStreams() {
  return {TARE_STREAM_ROWS(16), TARE_STREAM_ROWS(32), TARE_STREAM_ROWS(64), kCopyString};
}

std::vector<Stream> Streams() {
  std::vector<Stream> streams = AllStreams();
  std::erase_if(streams,
                [](const Stream& stream) { return stream.loop.element_bytes != WidestVector(); });
  if (HasFastStrings()) streams.push_back(kCopyString);
  return streams;
}

}  // namespace tare::microbenchmark

#endif
