// compiled_stream_test.cc: tests programs of this build's compiler plugin against misses worked out
// by hand.
#include "model/vpmu/compiled_stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "format/counters_wire.h"
#include "format/instrument_plan.h"
#include "tests/programs/build_directory.h"

namespace tare::vpmu {
namespace {

using model::Event;

// 64 sets of 8 ways, backed by memory.
model::Processor OneLevel() {
  model::Processor processor;
  processor.name = "one level";
  processor.l1i = {.bytes = 32768, .ways = 8};
  processor.l1d = {.bytes = 32768, .ways = 8};
  return processor;
}

class CompiledStream : public ::testing::Test {
 protected:
  // Returns false when something is missing here; `why_not_` says what.
  bool Build(const std::string& source) {
    const std::filesystem::path engines = std::filesystem::path(TARE_BINARY_DIR) / "engines";
    const auto plugin = engines / "tare-clang.so";
    const auto runtime = engines / "libtare-runtime.a";
    why_not_ = "the compiler's plugin was not built";
    if (!std::filesystem::exists(plugin) || !std::filesystem::exists(runtime)) return false;
    directory_.Write("program.c", source);
    why_not_ = "clang-19 cannot build programs here";
    if (!directory_.Runs("clang-19 program.c -w -o plain -lpthread")) return false;
    format::InstrumentPlan plan;
    plan.blocks = true;
    plan.stream = format::StreamContent::kAddresses;
    plan.names = false;
    const bool built = directory_.Runs(fmt::format(
        "{}='{}' clang-19 -O2 -w -fno-vectorize -fno-slp-vectorize -fpass-plugin={} program.c {} "
        "-o program -lpthread",
        format::kPlanVariable, format::PlanText(plan), plugin.string(), runtime.string()));
    EXPECT_TRUE(built);
    return built;
  }

  // Runs the program and returns the events of its one process in a first-level cache alone.
  CompiledEvents Run() {
    const auto run = directory_ / "run";
    std::filesystem::create_directory(run);
    const auto requested = RequestStreams(run);
    EXPECT_TRUE(requested);
    std::atomic<bool> ended = false;
    Result<std::vector<CompiledEvents>> events;
    std::thread reader([&] { events = ConsumeCompiled(OneLevel(), run, ended); });
    EXPECT_TRUE(directory_.Runs(fmt::format(TARE_RUN_VARIABLE "={} ./program", run.string())));
    ended = true;
    reader.join();
    EXPECT_TRUE(events) << (events ? "" : events.error().message);
    EXPECT_EQ(events ? events->size() : 0, 1U);
    return events && events->size() == 1 ? events->front() : CompiledEvents{};
  }

  Result<std::vector<CompiledEvents>> ConsumeWhatIsThere(const model::Processor& processor) {
    const std::atomic<bool> ended = true;
    return ConsumeCompiled(processor, directory_.path(), ended);
  }

  BuildDirectory directory_;
  std::string why_not_;
};

// Rows of 4096 bytes: all lines of a column are in one set, so each access misses; along the rows
// each line of 64 bytes misses once. The stack adds a few lines.
TEST_F(CompiledStream, AMatrixMissesOnceForEachLineByRowsAndAlwaysByColumns) {
  const char* const source = R"(
enum { N = 512 };
double matrix[N][N] __attribute__((aligned(4096)));
__attribute__((noinline)) double rows(void) { double s = 0; for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) s += matrix[i][j]; return s; }
__attribute__((noinline)) double columns(void) { double s = 0; for (int j = 0; j < N; j++) for (int i = 0; i < N; i++) s += matrix[i][j]; return s; }
int main(void) { return rows() + columns() != 0; }
)";
  if (!Build(source)) GTEST_SKIP() << why_not_;
  const CompiledEvents result = Run();
  constexpr std::uint64_t kAccesses = 512 * 512;
  constexpr std::uint64_t kMisses = kAccesses / 8 + kAccesses;
  constexpr std::uint64_t kElse = 50;
  EXPECT_GE(result.loads, 2 * kAccesses);
  EXPECT_LE(result.loads, 2 * kAccesses + kElse);
  EXPECT_LE(result.stores, kElse);
  EXPECT_GE(result.events[Event::kL1dLoadMisses], kMisses);
  EXPECT_LE(result.events[Event::kL1dLoadMisses], kMisses + kElse);
  EXPECT_FALSE(result.order_varies);
  EXPECT_FALSE(result.cut_short);
  // All events belong to some place, and the inner loop over columns alone has most of them.
  model::EventCounts of_places;
  std::uint64_t most = 0;
  for (const CompiledPlace& place : result.places) {
    of_places += place.events;
    most = std::max(most, place.events[Event::kL1dLoadMisses]);
  }
  EXPECT_EQ(of_places, result.events);
  EXPECT_GE(most, kAccesses);
  EXPECT_LT(most, kMisses);
}

TEST_F(CompiledStream, CopiesAndSetsAreRunsOfLines) {
  const char* const source = R"(
#include <string.h>
static char from[65536] __attribute__((aligned(64))), to[65536] __attribute__((aligned(64)));
__attribute__((noinline)) void set(char* p, size_t n) { memset(p, 1, n); }
__attribute__((noinline)) void copy(char* p, const char* q, size_t n) { memcpy(p, q, n); }
int main(int argc, char** argv) { set(from, argc * 65536); copy(to, from, argc * 65536); return to[5] != 1; }
)";
  if (!Build(source)) GTEST_SKIP() << why_not_;
  const CompiledEvents result = Run();
  constexpr std::uint64_t kElse = 30;
  EXPECT_GE(result.stores, 2048U);
  EXPECT_LE(result.stores, 2048U + kElse);
  EXPECT_GE(result.loads, 1024U);
  EXPECT_LE(result.loads, 1024U + kElse);
  // Twice the cache's capacity: the copy finds nothing of what was set.
  EXPECT_GE(result.events[Event::kL1dStoreMisses], 2048U);
  EXPECT_LE(result.events[Event::kL1dStoreMisses], 2048U + kElse);
  EXPECT_GE(result.events[Event::kL1dLoadMisses], 1024U);
  EXPECT_LE(result.events[Event::kL1dLoadMisses], 1024U + kElse);
}

TEST_F(CompiledStream, ThreadsOfAProcessShareItsCoreInOrderOfArrival) {
  const char* const source = R"(
#include <pthread.h>
static long table[4096] __attribute__((aligned(64)));
static void* work(void* p) { for (int k = 0; k < 100; k++) for (int i = 0; i < 512; i++) __atomic_fetch_add(&table[i], 1, __ATOMIC_RELAXED); return 0; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return table[7] != 300; }
)";
  if (!Build(source)) GTEST_SKIP() << why_not_;
  const CompiledEvents result = Run();
  EXPECT_TRUE(result.order_varies);
  constexpr std::uint64_t kAdded = 3 * 100 * 512;
  EXPECT_GE(result.loads, kAdded);
  EXPECT_GE(result.stores, kAdded);
  EXPECT_LE(result.loads + result.stores, 2 * kAdded + 300);
  // The table's 4096 bytes stay in the cache, whichever function accesses them; an atomic loads
  // first.
  EXPECT_GE(result.events[Event::kL1dLoadMisses], 64U);
  EXPECT_LE(result.events[Event::kL1dLoadMisses], 64U + 50);
}

TEST_F(CompiledStream, ADirectoryWithoutStreamsHasNoProcesses) {
  directory_.Write("stream.1.1.0", std::string(4096, '\0'));  // created, but not started
  directory_.Write("1.0", "counters");
  const auto events = ConsumeWhatIsThere(OneLevel());
  ASSERT_TRUE(events) << events.error().message;
  EXPECT_TRUE(events->empty());
}

TEST_F(CompiledStream, DamageIsAnError) {
  directory_.Write("stream.1.1.0", std::string(4096, 'x'));
  const auto events = ConsumeWhatIsThere(OneLevel());
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kFormat);
}

TEST_F(CompiledStream, AProcessorThatCannotBeBuiltIsRefused) {
  model::Processor processor = OneLevel();
  processor.l1d.ways = 0;
  const auto events = ConsumeWhatIsThere(processor);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::vpmu
