// counting_process_test.cc: tests guarantees of the counting threads that are true on any machine.
#include "machine/load/counting_process.h"

#include <gtest/gtest.h>

#include "machine/host/affinity.h"

namespace tare::load {
namespace {

TEST(CountOnCores, GivesSlicesThatFollowEachOther) {
  const auto allowed = host::AllowedProcessors().value();
  const auto counts = CountOnCores({allowed, 0.02, 1}, "test", NoProgress).value();
  ASSERT_EQ(counts.size(), allowed.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    EXPECT_EQ(counts[i].core, allowed[i]);
    ASSERT_FALSE(counts[i].slices.empty());
    double last = counts[i].slices.front().start;
    for (const CountSlice& slice : counts[i].slices) {
      EXPECT_EQ(slice.start, last);
      EXPECT_GT(slice.end, slice.start);
      EXPECT_GT(slice.count, 0);
      EXPECT_LE(slice.longest_gap, slice.Wall());
      last = slice.end;
    }
    EXPECT_GE(last, 1);
  }
}

TEST(CountOnCores, LeavesTheCallersAffinityAlone) {
  const auto before = host::AllowedProcessors().value();
  EXPECT_TRUE(CountOnCores({{before.front()}, 0.002, 0.004}, "test", NoProgress));
  EXPECT_EQ(host::AllowedProcessors().value(), before);
}

TEST(CountOnCores, StopsOnRequest) {
  const auto stopped = CountOnCores({{host::AllowedProcessors().value().front()}, 1, 3600}, "test",
                                    [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

TEST(CountOnCores, RefusesImpossibleSettings) {
  EXPECT_FALSE(CountOnCores({{}, 0.01, 0.1}, "test", NoProgress));
  EXPECT_FALSE(CountOnCores({{0}, 0, 0.1}, "test", NoProgress));
  EXPECT_FALSE(CountOnCores({{0}, 0.2, 0.1}, "test", NoProgress));
  EXPECT_FALSE(CountOnCores({{0}, 0.01, 1e9}, "test", NoProgress));
}

TEST(CountOnCores, NamesAProcessorThatIsNotThere) {
  const auto missing = CountOnCores({{1023}, 0.001, 0.002}, "test", NoProgress);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace tare::load
