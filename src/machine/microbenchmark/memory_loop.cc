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

unsigned ElementBytes(const MemoryMicrobenchmark& loop) {
  return loop.scalable ? ScalableBytes() : loop.row.element_bytes;
}

const MemoryMicrobenchmark* FindMicrobenchmark(const CurveKey& key) {
  const bool any_stride = key.pattern == Pattern::kStrided && key.stride > 1;
  for (const MemoryMicrobenchmark& loop : MemoryMicrobenchmarkTable()) {
    if (loop.access == key.access && loop.pattern == key.pattern &&
        ElementBytes(loop) == key.element_bytes && loop.any_stride == any_stride)
      return &loop;
  }
  return nullptr;
}

Result<void> CheckKey(const CurveKey& key) {
  if (key.stride == 0) return Fail(ErrorKind::kUsage, "the stride must be at least 1 element");
  if (key.pattern != Pattern::kStrided && key.stride != 1)
    return Fail(ErrorKind::kUsage, "only strided access has a stride");
  if (key.pattern == Pattern::kChained && key.access == Access::kStore)
    return Fail(
        ErrorKind::kUsage,
        "stores cannot be chained, since a store does not return the next address; try an update");
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
  walk.last = bytes / key.element_bytes * key.element_bytes - MinBytes(key);
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
  for (const MemoryMicrobenchmark& loop : MemoryMicrobenchmarkTable()) {
    const unsigned bytes = ElementBytes(loop);
    if (HasElement(bytes)) widest = std::max(widest, bytes);
  }
  return widest;
}

std::span<const LoopRow> MemoryLoopRows() {
  static const std::vector<LoopRow> rows = [] {
    std::vector<LoopRow> all;
    for (const MemoryMicrobenchmark& loop : MemoryMicrobenchmarkTable()) all.push_back(loop.row);
    return all;
  }();
  return rows;
}

std::uint64_t MinBytes(const CurveKey& key) {
  const MemoryMicrobenchmark* const loop = FindMicrobenchmark(key);
  if (loop == nullptr || key.pattern == Pattern::kRandom) return key.element_bytes;
  if (key.pattern == Pattern::kChained) return 2 * sizeof(std::byte*);
  return std::uint64_t{loop->elements} * key.stride * key.element_bytes;
}

MemoryLoop::MemoryLoop(const MemoryMicrobenchmark& loop, const Walk& walk)
    : walk_(walk), run_(loop.run), accesses_per_iteration_(loop.row.loads + loop.row.stores) {}

Result<MemoryLoop> MemoryLoop::Over(const CurveKey& key, std::span<std::byte> set,
                                    unsigned line_bytes) {
  CHECK(reinterpret_cast<std::uintptr_t>(set.data()) % 64 == 0);
  CHECK(line_bytes >= 64 && line_bytes % 64 == 0);
  TRY_VOID(CheckKey(key));
  const MemoryMicrobenchmark* const loop = FindMicrobenchmark(key);
  CHECK(loop != nullptr);
  if (set.size() < MinBytes(key))
    return Fail(
        ErrorKind::kUsage,
        fmt::format("a working set of {} bytes is too small for {}, which needs at least {}",
                    set.size(), machine_profile::CurveName(key), MinBytes(key)));
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
  return MemoryLoop(*loop, walk);
}

std::uint64_t MemoryLoop::Run(std::uint64_t accesses) {
  const std::uint64_t iterations = std::max<std::uint64_t>(
      1, (accesses + accesses_per_iteration_ - 1) / accesses_per_iteration_);
  run_(walk_, iterations);
  return iterations * accesses_per_iteration_;
}

}  // namespace tare::microbenchmark
