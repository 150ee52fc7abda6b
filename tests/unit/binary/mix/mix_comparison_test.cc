// mix_comparison_test.cc: compares a program of many small functions, built with and without
// instrumentation.
#include "binary/mix/mix_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include "binary/mix/build_facts.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::mix {
namespace {

using decode::Category;
using decode::InstructionClass;

// Modern C++ with much to inline, as in studies of such programs.
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

void PrintTo(const Build& build, std::ostream* out) {
  *out << build.compiler << " " << build.flags;
}

using Built = std::tuple<decode::Architecture, Build>;

// Both programs, built and compared once for all tests.
struct Pair {
  BuildDirectory directory;
  std::vector<FileMix> files;
  std::vector<InterfaceUses> uses;
  Comparison comparison;
  std::string why_not;
};

class VanillaAndInstrumented : public ::testing::TestWithParam<Built> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(architecture()); !reason.empty()) GTEST_SKIP() << reason;
    static std::map<std::string, Pair> all;
    const auto [known, is_new] =
        all.try_emplace(CommandFor(architecture(), build().compiler + " " + build().flags));
    pair_ = &known->second;
    if (is_new) Make();
    if (!pair_->why_not.empty()) GTEST_SKIP() << pair_->why_not;
    ASSERT_EQ(pair_->uses.size(), 2U);
  }

  void Make() {
    const BuildDirectory& directory = pair_->directory;
    directory.Write("program.cc", kSource);
    directory.Write("runtime.c", kRuntime);
    const std::string compiler = CommandFor(architecture(), build().compiler);
    const std::string command = compiler + " -O2 " + build().flags;
    if (!directory.Runs(compiler + " -shared -fPIC -x c runtime.c -o libruntime.so") ||
        !directory.Runs(command + " program.cc -o vanilla") ||
        !directory.Runs(command +
                        " -finstrument-functions program.cc -o instrumented -L. -lruntime")) {
      pair_->why_not = "cannot build with " + compiler;
      return;
    }
    for (const char* name : {"vanilla", "instrumented"}) {
      auto file = ReadFileMix(directory / name, true, NoProgress);
      ASSERT_TRUE(file) << file.error().message;
      pair_->files.push_back(std::move(*file));
      pair_->uses.push_back(
          FindInterfaceUses(*pair_->files.back().code, *MeasurementInterface::Make("")));
    }
    pair_->comparison = Compare(pair_->files[0], pair_->files[1], *MeasurementInterface::Make(""),
                                pair_->uses[0], pair_->uses[1]);
  }

  decode::Architecture architecture() const { return std::get<0>(GetParam()); }
  const Build& build() const { return std::get<1>(GetParam()); }

  std::uint64_t Sites(CallReason reason, bool proved_only = false) const {
    std::uint64_t sites = 0;
    for (const auto& change : pair_->comparison.calls)
      if (change.reason == reason && (!proved_only || change.proved))
        sites += static_cast<std::uint64_t>(std::abs(change.Difference()));
    return sites;
  }

  // Returns the number of matching lines of objdump's listing.
  std::uint64_t Listed(const std::string& file, const std::string& pattern) const {
    const std::string lines =
        pair_->directory.Output(CommandFor(architecture(), "objdump -d ") + "--no-show-raw-insn " +
                                file + " | grep -cE '" + pattern + "'");
    return lines.empty() ? 0 : std::stoull(lines);
  }

  Pair* pair_ = nullptr;
};

TEST_P(VanillaAndInstrumented, ShowsWhatTheDocumentReports) {
  const auto& before = pair_->files[0].code->total();
  const auto& after = pair_->files[1].code->total();
  EXPECT_GT(after[Category::kMem], before[Category::kMem]);
  EXPECT_GT(after[Category::kStackOps], before[Category::kStackOps]);
  EXPECT_GT(FactsOf(*pair_->files[1].code).functions_with_frame,
            FactsOf(*pair_->files[0].code).functions_with_frame);
  EXPECT_EQ(pair_->uses[0].CallSites(), 0U);
  EXPECT_GT(pair_->uses[1].CallSites(), 0U);
}

TEST_P(VanillaAndInstrumented, CallsOfTheInterfaceAreThoseThatObjdumpLists) {
  const auto listed = Listed("instrumented",
                             "[[:space:]](call|jmp|bl|b)[[:space:]].*<__cyg_profile_func_"
                             "(enter|exit)@plt>");
  EXPECT_EQ(pair_->uses[1].CallSites(), listed);
  EXPECT_EQ(Sites(CallReason::kMeasurement), listed);
}

TEST_P(VanillaAndInstrumented, BranchesAreThoseThatObjdumpLists) {
  for (std::size_t i = 0; i < pair_->files.size(); ++i) {
    const std::string name = i == 0 ? "vanilla" : "instrumented";
    const auto& total = pair_->files[i].code->total();
    const std::string conditional = architecture() == decode::Architecture::kX86_64
                                        ? "\t(bnd |notrack )?j[^m]"
                                        : "\t(b\\.[a-z]+|cbn?z|tbn?z)[[:space:]]";
    EXPECT_EQ(total[Category::kBranches], Listed(name, conditional));
    const std::string calls = architecture() == decode::Architecture::kX86_64
                                  ? "\t(bnd |notrack )?call"
                                  : "\tblr?[[:space:]]";
    EXPECT_EQ(total[Category::kCalls], Listed(name, calls));
  }
}

TEST_P(VanillaAndInstrumented, LostInliningIsProvedByDebugInformation) {
  const bool debug = build().flags.find("-g") != std::string::npos;
  EXPECT_GT(Sites(CallReason::kInliningLost), 0U);
  if (debug) {
    EXPECT_GT(Sites(CallReason::kInliningLost, true), 0U);
  } else {
    EXPECT_EQ(Sites(CallReason::kInliningLost, true), 0U);
  }
}

TEST_P(VanillaAndInstrumented, SmallFunctionsAreInTheSecondFileOnly) {
  std::map<std::string, LoneFunction> lone;
  for (const auto& one : pair_->comparison.lone) {
    EXPECT_FALSE(one.in_first) << pair_->comparison.pairs[one.pair].name;
    lone.emplace(pair_->comparison.pairs[one.pair].name, one);
  }
  ASSERT_TRUE(lone.contains("_ZNK5Point3DotERKS_"));
  if (build().flags.find("-g") != std::string::npos) {
    ASSERT_TRUE(lone.at("_ZNK5Point3DotERKS_").inlined_elsewhere);
    EXPECT_GE(*lone.at("_ZNK5Point3DotERKS_").inlined_elsewhere, 1U);
  }
}

TEST_P(VanillaAndInstrumented, DifferencesOfFunctionsSumToTheTotal) {
  Counts first = {};
  Counts second = {};
  for (const auto& pair : pair_->comparison.pairs) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] += pair.first.counts[i];
      second[i] += pair.second.counts[i];
    }
  }
  EXPECT_EQ(first, pair_->files[0].code->total().categories);
  EXPECT_EQ(second, pair_->files[1].code->total().categories);
}

TEST_P(VanillaAndInstrumented, AFileEqualsItself) {
  const auto same = Compare(pair_->files[1], pair_->files[1], *MeasurementInterface::Make(""),
                            pair_->uses[1], pair_->uses[1]);
  EXPECT_TRUE(same.calls.empty());
  EXPECT_TRUE(same.lone.empty());
}

INSTANTIATE_TEST_SUITE_P(Compilers, VanillaAndInstrumented,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values(Build{"g++", ""}, Build{"g++", "-g"},
                                                              Build{"clang++-19", ""},
                                                              Build{"clang++-19", "-g"})));

}  // namespace
}  // namespace tare::mix
