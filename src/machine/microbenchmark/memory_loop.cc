// memory_loop.cc: selecting the microbenchmark for a curve, and its position in the working set.
#include "machine/microbenchmark/memory_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "stats/random.h"

namespace tare::microbenchmark {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Pattern;

// Distinguishes stored words from fresh memory.
constexpr std::uint64_t kStoredValue = 0x7461726574617265;

// Fixed, so that every run uses the same addresses.
constexpr std::uint64_t kSeed = 1;

unsigned ElementBytes(const MemoryKernel& kernel) {
  return kernel.scalable ? ScalableBytes() : kernel.row.element_bytes;
}

const MemoryKernel* FindKernel(const CurveKey& key) {
  const bool any_stride = key.pattern == Pattern::kStrided && key.stride > 1;
  for (const MemoryKernel& kernel : MemoryKernelTable()) {
    if (kernel.access == key.access && kernel.pattern == key.pattern &&
        ElementBytes(kernel) == key.element_bytes && kernel.any_stride == any_stride)
      return &kernel;
  }
  return nullptr;
}

Result<void> CheckKey(const CurveKey& key) {
  if (key.stride == 0) return Fail(ErrorKind::kUsage, "a stride of 0 elements goes nowhere");
  if (key.pattern != Pattern::kStrided && key.stride != 1)
    return Fail(ErrorKind::kUsage, "a stride goes with strided access only");
  if (key.pattern == Pattern::kChained && key.access == Access::kStore)
    return Fail(
        ErrorKind::kUsage,
        "stores cannot be chained, since none gives the address of the next; try an update");
  if (key.pattern == Pattern::kChained && key.element_bytes != sizeof(std::byte*))
    return Fail(ErrorKind::kUsage,
                fmt::format("chained elements are addresses of {} bytes, not {} bytes",
                            sizeof(std::byte*), key.element_bytes));
  if (!HasElement(key.element_bytes))
    return Fail(ErrorKind::kUnsupported,
                fmt::format("this processor has no registers of {} bytes; try 8 or {}",
                            key.element_bytes, WidestVector()));
  return {};
}

void PlaceSequential(Walk& walk, std::uint64_t bytes, const CurveKey& key) {
  walk.last = bytes / key.element_bytes * key.element_bytes - LeastBytes(key);
  walk.stride = key.element_bytes;
}

void PlaceStrided(Walk& walk, std::uint64_t bytes, std::uint64_t stride, unsigned line_bytes) {
  walk.stride = stride;
  walk.last = (bytes / stride - kStridedElements) * stride;
  walk.shift = line_bytes;
  walk.shift_end = walk.base + (stride + line_bytes - 1) / line_bytes * line_bytes;
}

void PlaceRandom(Walk& walk, std::uint64_t bytes, unsigned element_bytes) {
  walk.span = bytes / element_bytes * element_bytes;
  walk.stride = element_bytes;
  stats::Generator generator(kSeed);
  for (std::uint64_t& state : walk.states) state = generator.Next() | 1;
}

}  // namespace

unsigned WidestVector() {
  unsigned widest = 0;
  for (const MemoryKernel& kernel : MemoryKernelTable()) {
    const unsigned bytes = ElementBytes(kernel);
    if (HasElement(bytes)) widest = std::max(widest, bytes);
  }
  return widest;
}

std::span<const KernelRow> MemoryKernels() {
  static const std::vector<KernelRow> rows = [] {
    std::vector<KernelRow> all;
    for (const MemoryKernel& kernel : MemoryKernelTable()) all.push_back(kernel.row);
    return all;
  }();
  return rows;
}

std::uint64_t LeastBytes(const CurveKey& key) {
  const MemoryKernel* const kernel = FindKernel(key);
  if (kernel == nullptr || key.pattern == Pattern::kRandom) return key.element_bytes;
  if (key.pattern == Pattern::kChained) return 2 * sizeof(std::byte*);
  return std::uint64_t{kernel->elements} * key.stride * key.element_bytes;
}

MemoryLoop::MemoryLoop(const MemoryKernel& kernel, const Walk& walk)
    : walk_(walk), run_(kernel.run), accesses_per_turn_(kernel.row.loads + kernel.row.stores) {}

Result<MemoryLoop> MemoryLoop::Over(const CurveKey& key, std::span<std::byte> set,
                                    unsigned line_bytes) {
  CHECK(reinterpret_cast<std::uintptr_t>(set.data()) % 64 == 0);
  CHECK(line_bytes >= 64 && line_bytes % 64 == 0);
  TRY_VOID(CheckKey(key));
  const MemoryKernel* const kernel = FindKernel(key);
  CHECK(kernel != nullptr);
  if (set.size() < LeastBytes(key))
    return Fail(ErrorKind::kUsage,
                fmt::format("a working set of {} bytes is too small for {}, which needs {}",
                            set.size(), machine_profile::CurveName(key), LeastBytes(key)));
  Walk walk = {};
  walk.base = walk.at = walk.start = set.data();
  walk.value = kStoredValue;
  if (key.pattern == Pattern::kRandom) {
    PlaceRandom(walk, set.size(), key.element_bytes);
  } else if (key.pattern == Pattern::kStrided && key.stride == 1) {
    PlaceSequential(walk, set.size(), key);
  } else if (key.pattern == Pattern::kStrided) {
    PlaceStrided(walk, set.size(), std::uint64_t{key.stride} * key.element_bytes, line_bytes);
  }
  return MemoryLoop(*kernel, walk);
}

std::uint64_t MemoryLoop::Run(std::uint64_t accesses) {
  const std::uint64_t turns =
      std::max<std::uint64_t>(1, (accesses + accesses_per_turn_ - 1) / accesses_per_turn_);
  run_(walk_, turns);
  return turns * accesses_per_turn_;
}

}  // namespace tare::microbenchmark
