// mix_comparison_test.cc: a program with many small functions, built with and without
// instrumentation.
#include "binary/mix/mix_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "binary/mix/build_facts.h"
#include "tests/programs/build_folder.h"

namespace tare::mix {
namespace {

using decode::Category;
using decode::InstructionClass;

// As in document 004: modern style, much to inline.
constexpr std::string_view kSource = R"(
#include <cstdio>
#include <vector>
class Point {
 public:
  Point(double x, double y) : x_(x), y_(y) {}
  double x() const { return x_; }
  double y() const { return y_; }
  Point Plus(const Point& other) const { return Point(x_ + other.x(), y_ + other.y()); }
  double Dot(const Point& other) const { return x_ * other.x() + y_ * other.y(); }
 private:
  double x_;
  double y_;
};
static double Clamp(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}
double Kept(const std::vector<Point>& points) {
  double sum = 0;
  for (const auto& one : points)
    for (const auto& other : points) sum += Clamp(one.Plus(other).Dot(one), -1, 1);
  return sum;
}
int main(int argc, char**) {
  std::vector<Point> points;
  for (int i = 0; i < argc; ++i) points.push_back(Point(i, argc));
  std::printf("%f\n", Kept(points));
}
)";
constexpr std::string_view kRuntime = R"(
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void* a, void* b) { (void)a; (void)b; }
__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void* a, void* b) { (void)a; (void)b; }
)";

struct Build {
  std::string compiler;
  std::string flags;
};

class VanillaAndInstrumented : public ::testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
    folder_.Write("program.cc", kSource);
    folder_.Write("runtime.c", kRuntime);
    const std::string build = GetParam().compiler + " -O2 " + GetParam().flags;
    if (!folder_.Runs(GetParam().compiler + " -shared -fPIC -x c runtime.c -o libruntime.so") ||
        !folder_.Runs(build + " program.cc -o vanilla") ||
        !folder_.Runs(build + " -finstrument-functions program.cc -o instrumented -L. -lruntime"))
      GTEST_SKIP() << "cannot build with " << GetParam().compiler;
    for (const char* name : {"vanilla", "instrumented"}) {
      auto file = ReadFileMix(folder_ / name, true, NoProgress);
      ASSERT_TRUE(file) << file.error().message;
      files_.push_back(std::move(*file));
      uses_.push_back(FindInterfaceUses(*files_.back().code, *MeasurementInterface::Make("")));
    }
    comparison_ =
        Compare(files_[0], files_[1], *MeasurementInterface::Make(""), uses_[0], uses_[1]);
  }

  std::uint64_t Sites(CallReason reason, bool proved_only = false) const {
    std::uint64_t sites = 0;
    for (const auto& change : comparison_.calls)
      if (change.reason == reason && (!proved_only || change.proved))
        sites += static_cast<std::uint64_t>(std::abs(change.Difference()));
    return sites;
  }

  // Lines of objdump's listing that match.
  std::uint64_t Listed(const std::string& file, const std::string& pattern) const {
    const std::string lines =
        folder_.Output("objdump -d --no-show-raw-insn " + file + " | grep -cE '" + pattern + "'");
    return lines.empty() ? 0 : std::stoull(lines);
  }

  BuildFolder folder_;
  std::vector<FileMix> files_;
  std::vector<InterfaceUses> uses_;
  Comparison comparison_;
};

TEST_P(VanillaAndInstrumented, ShowsWhatTheDocumentReports) {
  const auto& before = files_[0].code->total();
  const auto& after = files_[1].code->total();
  EXPECT_GT(after[Category::kMem], before[Category::kMem]);
  EXPECT_GT(after[Category::kStackOps], before[Category::kStackOps]);
  EXPECT_GT(FactsOf(*files_[1].code).functions_with_frame,
            FactsOf(*files_[0].code).functions_with_frame);
  EXPECT_EQ(uses_[0].CallSites(), 0U);
  EXPECT_GT(uses_[1].CallSites(), 0U);
}

TEST_P(VanillaAndInstrumented, CallsOfTheInterfaceAreThoseThatObjdumpLists) {
  const auto listed = Listed("instrumented",
                             "[[:space:]](call|jmp|bl|b)[[:space:]].*<__cyg_profile_func_"
                             "(enter|exit)@plt>");
  EXPECT_EQ(uses_[1].CallSites(), listed);
  EXPECT_EQ(Sites(CallReason::kMeasurement), listed);
}

TEST_P(VanillaAndInstrumented, BranchesAreThoseThatObjdumpLists) {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    const std::string name = i == 0 ? "vanilla" : "instrumented";
    const auto& total = files_[i].code->total();
    const std::string conditional = decode::HostArchitecture() == decode::Architecture::kX86_64
                                        ? "\t(bnd |notrack )?j[^m]"
                                        : "\t(b\\.[a-z]+|cbn?z|tbn?z)[[:space:]]";
    EXPECT_EQ(total[Category::kBranches], Listed(name, conditional));
    const std::string calls = decode::HostArchitecture() == decode::Architecture::kX86_64
                                  ? "\t(bnd |notrack )?call"
                                  : "\tblr?[[:space:]]";
    EXPECT_EQ(total[Category::kCalls], Listed(name, calls));
  }
}

TEST_P(VanillaAndInstrumented, LostInliningIsProvedByDebugInformation) {
  const bool debug = GetParam().flags.find("-g") != std::string::npos;
  EXPECT_GT(Sites(CallReason::kInliningLost), 0U);
  if (debug) {
    EXPECT_GT(Sites(CallReason::kInliningLost, true), 0U);
  } else {
    EXPECT_EQ(Sites(CallReason::kInliningLost, true), 0U);
  }
}

TEST_P(VanillaAndInstrumented, SmallFunctionsAreInTheSecondFileOnly) {
  std::map<std::string, LoneFunction> lone;
  for (const auto& one : comparison_.lone) {
    EXPECT_FALSE(one.in_first) << comparison_.pairs[one.pair].name;
    lone.emplace(comparison_.pairs[one.pair].name, one);
  }
  ASSERT_TRUE(lone.contains("_ZNK5Point3DotERKS_"));
  if (GetParam().flags.find("-g") != std::string::npos) {
    ASSERT_TRUE(lone.at("_ZNK5Point3DotERKS_").inlined_elsewhere);
    EXPECT_GE(*lone.at("_ZNK5Point3DotERKS_").inlined_elsewhere, 1U);
  }
}

TEST_P(VanillaAndInstrumented, DifferencesOfFunctionsAddUpToTheWhole) {
  Counts first = {};
  Counts second = {};
  for (const auto& pair : comparison_.pairs) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] += pair.first.counts[i];
      second[i] += pair.second.counts[i];
    }
  }
  EXPECT_EQ(first, files_[0].code->total().categories);
  EXPECT_EQ(second, files_[1].code->total().categories);
}

TEST_P(VanillaAndInstrumented, AFileEqualsItself) {
  const auto same =
      Compare(files_[1], files_[1], *MeasurementInterface::Make(""), uses_[1], uses_[1]);
  EXPECT_TRUE(same.calls.empty());
  EXPECT_TRUE(same.lone.empty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, VanillaAndInstrumented,
                         ::testing::Values(Build{"g++", ""}, Build{"g++", "-g"},
                                           Build{"clang++-19", ""}, Build{"clang++-19", "-g"}));

}  // namespace
}  // namespace tare::mix
