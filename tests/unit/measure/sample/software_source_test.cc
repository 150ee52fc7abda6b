// software_source_test.cc: tests a directory of counter files as a source.
#include "measure/sample/software_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_directory.h"
#include "tests/unit/measure/sample/synthetic_counters.h"

namespace tare::sample {
namespace {

using testing::ElementsAre;
using testing::Optional;

class SoftwareSourceTest : public testing::Test {
 protected:
  SoftwareSourceTest() {
    auto made = PrivateDirectory::Make();
    if (made) directory_.emplace(std::move(*made));
  }
  void SetUp() override { ASSERT_TRUE(directory_); }

  void Write(const std::string& name, const SyntheticCounters& made) {
    WriteCounters(directory_->path() / name, made);
  }
  SoftwareSource Of(CounterScope scope) {
    return SoftwareSource(directory_->path(), kProgram, scope, MetricSelection());
  }
  static std::vector<std::optional<std::int64_t>> Read(SoftwareSource& source) {
    std::vector<std::optional<std::int64_t>> values(source.Channels().size());
    source.Read(values);
    return values;
  }

  SyntheticCounters Program() const {
    return {.process = kProgram,
            .text = "metric\ta\tcount\t0\nmetric\tb\tcount\t1\n",
            .banks = {{1, 20}, {2, 30}},
            .samples = {}};
  }
  SyntheticCounters Library() const {
    return {.process = kProgram,
            .is_library = true,
            .path = "/lib/libx.so",
            .text = "metric\tb\tcount\t0\nmetric\tc\tcount\t1\n",
            .banks = {{100, 7}},
            .samples = {}};
  }
  SyntheticCounters Child() const {
    SyntheticCounters child = Program();
    child.process = kProgram + 1;
    child.banks = {{1000, 0}};
    return child;
  }

  std::optional<PrivateDirectory> directory_;
};

TEST_F(SoftwareSourceTest, AddsUpThreadsAndModulesOfTheProcess) {
  Write("4711.0", Program());
  Write("4711.1", Library());
  Write("4712.0", Child());
  SoftwareSource source = Of(CounterScope::kProcess);
  EXPECT_FALSE(source.HasCounters());
  EXPECT_TRUE(source.Refresh());
  EXPECT_TRUE(source.HasCounters());
  EXPECT_FALSE(source.Refresh());
  EXPECT_EQ(source.Channels().size(), 3U);
  // Files may be found in any order.
  std::int64_t a = 0, b = 0, c = 0;
  const auto values = Read(source);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = source.Channels()[i].name;
    (name == "a" ? a : name == "b" ? b : c) = values[i].value_or(-1);
  }
  EXPECT_EQ(a, 3);
  EXPECT_EQ(b, 150);
  EXPECT_EQ(c, 7);
}

TEST_F(SoftwareSourceTest, FindsModulesThatAreLoadedLater) {
  Write("4711.0", Program());
  SoftwareSource source = Of(CounterScope::kProcess);
  EXPECT_TRUE(source.Refresh());
  EXPECT_THAT(Read(source), ElementsAre(Optional(3), Optional(50)));
  Write("4711.1", Library());
  EXPECT_TRUE(source.Refresh());
  EXPECT_THAT(Read(source), ElementsAre(Optional(3), Optional(150), Optional(7)));
}

TEST_F(SoftwareSourceTest, AddsUpChildrenWhereTheyAreWanted) {
  Write("4711.0", Program());
  Write("4712.0", Child());
  SoftwareSource source = Of(CounterScope::kTree);
  EXPECT_TRUE(source.Refresh());
  EXPECT_THAT(Read(source), ElementsAre(Optional(1003), Optional(50)));
}

TEST_F(SoftwareSourceTest, SaysWhichLibrariesTheProgramAloneLeavesOut) {
  Write("4711.0", Program());
  Write("4711.1", Library());
  SoftwareSource source = Of(CounterScope::kProgram);
  source.Refresh();
  EXPECT_THAT(Read(source), ElementsAre(Optional(3), Optional(50)));
  ASSERT_EQ(source.Absent().size(), 1U);
  EXPECT_EQ(source.Absent()[0].name, "metrics of libx.so");
}

TEST_F(SoftwareSourceTest, ReportsFilesThatAreNotCounters) {
  std::ofstream(directory_->path() / "4711.0") << std::string(10000, 'x');
  SoftwareSource source = Of(CounterScope::kProcess);
  EXPECT_FALSE(source.Refresh());
  EXPECT_FALSE(source.HasCounters());
  ASSERT_EQ(source.Absent().size(), 1U);
  EXPECT_EQ(source.Absent()[0].group, "software");
}

}  // namespace
}  // namespace tare::sample
