// virtual_cachegrind_test.cc: compares Debian's Cachegrind with the virtual engine configured to
// model Cachegrind's processor: the same Valgrind, program and addresses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "base/private_directory.h"
#include "measure/engine/engine_setting.h"
#include "under_engines.h"

namespace tare::count {
namespace {

using model::Event;
using Events = std::map<std::string, std::uint64_t>;

// Small caches, so that small programs have many misses.
constexpr model::CacheLevel kFirst = {.bytes = 2048,
                                      .ways = 2,
                                      .line_bytes = 64,
                                      .replacement = model::Replacement::kLru,
                                      .write = model::WritePolicy::kIgnored};
constexpr model::CacheLevel kLast = {.bytes = 32768,
                                     .ways = 8,
                                     .line_bytes = 64,
                                     .replacement = model::Replacement::kLru,
                                     .write = model::WritePolicy::kIgnored};

model::Processor LikeCachegrind() {
  model::Processor processor;
  processor.name = "like cachegrind";
  processor.l1i = kFirst;
  processor.l1d = kFirst;
  processor.l2 = kLast;
  processor.split = model::Split::kOnce;
  processor.branching.direction = model::Direction::kGselect;
  processor.branching.entries = 16384;
  processor.branching.history_bits = 7;
  processor.branching.target_entries = 512;
  return processor;
}

std::string Option(std::string_view name, const model::CacheLevel& level) {
  return fmt::format("--{}={},{},{}", name, level.bytes, level.ways, level.line_bytes);
}

// Valgrind's name of the architecture.
std::string Architecture() {
  return decode::HostArchitecture() == decode::Architecture::kAArch64 ? "arm64" : "amd64";
}

// Debian's tool; empty: not installed.
std::filesystem::path Cachegrind() {
  for (const char* directory : {"/usr/libexec/valgrind", "/usr/lib/valgrind"}) {
    const auto tool =
        std::filesystem::path(directory) / fmt::format("cachegrind-{}-linux", Architecture());
    if (std::filesystem::exists(tool)) return tool;
  }
  return {};
}

std::string WhyNoCachegrind() {
  if (const std::string why = WhyNot(engine::Engine::kVirtual); !why.empty()) return why;
  return !Cachegrind().empty() ? "" : "Debian's Cachegrind is not installed";
}

engine::EnginePlan PlanFor(const run::ResolvedProgram& program) {
  engine::EnginePlan plan;
  plan.program = program;
  plan.setting = run::Captured();
  plan.setting.environment.bind_now = true;
  plan.setting.timeout_seconds = 600;
  // With the processor features and the stack layout of Valgrind itself.
  plan.pin_view = false;
  return plan;
}

// Starts it as tare starts its own tool, so that the program's stack is at the same address.
Events RunCachegrind(const engine::EnginePlan& plan, bool chase) {
  const auto directory = PrivateDirectory::Make();
  EXPECT_TRUE(directory);
  const std::filesystem::path out = directory->path() / "out";
  std::vector<std::string> prefix = {Cachegrind().string(),
                                     "--tool=cachegrind",
                                     "-q",
                                     "--vgdb=no",
                                     "--cache-sim=yes",
                                     "--branch-sim=yes",
                                     Option("I1", kFirst),
                                     Option("D1", kFirst),
                                     Option("LL", kLast),
                                     fmt::format("--vex-guest-chase={}", chase ? "yes" : "no"),
                                     "--cachegrind-out-file=" + out.string(),
                                     "--log-file=" + (directory->path() / "log").string()};
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) {
    prefix.push_back("--sim-hints=fallback-llsc");
  }
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  auto environment = ProgramEnvironment(plan.program, setting);
  EXPECT_TRUE(environment);
  environment->push_back("VALGRIND_LIB=" + BuiltEngines().valgrind_directory->string());
  environment->push_back("VALGRIND_LAUNCHER=" + BuiltEngines().valgrind_launcher->string());
  GiveEnvironment(setting, *environment);
  const auto wrapped = run::Wrapped(plan.program, prefix);
  EXPECT_TRUE(wrapped);
  const auto finished = run::RunProgram(*wrapped, setting);
  EXPECT_TRUE(finished) << (finished ? "" : finished.error().message);

  Events answers;
  std::vector<std::string> names;
  std::ifstream file(out);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "events:") {
      while (words >> word) names.push_back(word);
    } else if (word == "summary:") {
      for (const std::string& name : names) words >> answers[name];
    }
  }
  return answers;  // empty when it wrote no result
}

// Uses Cachegrind's names, and leaves out the references that it counts differently.
Events RunModels(engine::EnginePlan plan, MetricCounts* counted = nullptr) {
  plan.virtual_pmu = engine::VirtualPlan{.processor = LikeCachegrind()};
  const auto run = engine::RunUnder(engine::Engine::kVirtual, BuiltEngines(), plan);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  if (!run) return {};
  Images images;
  const auto tally =
      SumRecordings(run->recordings, RepConvention::kPerIteration, images, run->events);
  EXPECT_TRUE(tally);
  if (!tally) return {};
  if (counted != nullptr) *counted = tally->total;
  const model::EventCounts& events = tally->events;
  return {{"Ir", tally->total[Metric::kInstructions]},
          {"I1mr", events[Event::kL1iMisses]},
          {"D1mr", events[Event::kL1dLoadMisses]},
          {"D1mw", events[Event::kL1dStoreMisses]},
          {"ILmr", events[Event::kL2InstructionMisses]},
          {"DLmr", events[Event::kL2LoadMisses]},
          {"DLmw", events[Event::kL2StoreMisses]},
          {"Bc", tally->total[Metric::kConditionalBranches]},
          {"Bcm", events[Event::kConditionalMispredictions]},
          {"Bim", events[Event::kIndirectMispredictions]}};
}

std::string Differences(const Events& models, const Events& cachegrind) {
  std::string text;
  for (const auto& [name, count] : models) {
    const auto other = cachegrind.at(name);
    if (count != other) text += fmt::format("{}: {} instead of {}; ", name, count, other);
  }
  return text;
}

class LikeCachegrindOn : public testing::TestWithParam<const char*> {};

TEST_P(LikeCachegrindOn, EveryMissAndMispredictionIsTheSame) {
  if (const std::string why = WhyNoCachegrind(); !why.empty()) GTEST_SKIP() << why;
  const engine::EnginePlan plan = PlanFor(run::TestProgram(GetParam()));
  const Events models = RunModels(plan);
  ASSERT_FALSE(models.empty());
  EXPECT_EQ(Differences(models, RunCachegrind(plan, false)), "");
}

INSTANTIATE_TEST_SUITE_P(Bare, LikeCachegrindOn,
                         testing::Values("count_loops", "memory_walk", "branches", "calls",
                                         "system_calls"));

// A statically linked program of Debian, so that Valgrind preloads nothing into it. Three
// differences remain:
// - Cachegrind's program sees two more variables, VALGRIND_LIB and LD_PRELOAD, which tare removes:
//     a few instructions at the start, and their lines.
// - VEX implements atomic instructions by a compare-and-swap that exits the block to retry, and
//     Cachegrind counts that exit as a branch; on x86-64 also the test of a rep instruction. Both
//     enter the predictor's history.
// - With guest chasing, VEX folds `a && b`: instructions that did not run are counted, and branches
//     vanish. With --vex-guest-chase=no this difference disappears.
TEST(LikeCachegrind, OnARealProgramOnlyKnownCausesAreLeft) {
  if (const std::string why = WhyNoCachegrind(); !why.empty()) GTEST_SKIP() << why;
  const auto program = run::Resolve({{"/sbin/ldconfig", "-p"}});
  if (!program) GTEST_SKIP() << "no /sbin/ldconfig here";
  engine::EnginePlan plan = PlanFor(*program);
  plan.setting.environment = {};
  plan.setting.environment.from = run::Environment::From::kGiven;
  plan.setting.environment.sorted = false;
  engine::EnginePlan with_more = plan;
  const std::string directory = BuiltEngines().valgrind_directory->string();
  const std::string library = "VALGRIND_LIX=" + directory;
  const std::string preload =
      fmt::format("LD_PRELOAX={}/vgpreload_core-{}-linux.so", directory, Architecture());
  plan.setting.environment.given = {library, preload, "PAD="};
  with_more.setting.environment.given = {
      "PAD=" + std::string(library.size() + preload.size() + 2 + 2 * sizeof(char*), 'x')};
  MetricCounts counted;
  const Events models = RunModels(plan, &counted);
  ASSERT_FALSE(models.empty());
  const Events cachegrind = RunCachegrind(with_more, false);
  const Events chasing = RunCachegrind(with_more, true);
  if (cachegrind.empty() || chasing.empty()) GTEST_SKIP() << "Cachegrind gave no answer for it";
  const auto more = [](const Events& than, const Events& by, const char* name) {
    return static_cast<std::int64_t>(by.at(name)) - static_cast<std::int64_t>(than.at(name));
  };

  const auto tests_of_repeats = static_cast<std::int64_t>(counted[Metric::kRepeatedInstructions]);
  const std::int64_t at_start = more(models, cachegrind, "Ir") - tests_of_repeats;
  EXPECT_LE(std::abs(at_start), 50);
  const auto retried = static_cast<std::int64_t>(counted[Metric::kAtomics]);
  const auto repeated = static_cast<std::int64_t>(counted[Metric::kRepeatIterations]);
  const std::int64_t no_branches = more(models, cachegrind, "Bc");
  EXPECT_GT(no_branches, 0);
  EXPECT_LE(no_branches, std::abs(at_start) + retried + 2 * (repeated + tests_of_repeats));
  EXPECT_LE(std::abs(more(models, cachegrind, "Bcm")), no_branches);
  for (const char* misses : {"I1mr", "ILmr", "D1mr", "DLmr", "D1mw", "DLmw", "Bim"}) {
    const auto all = static_cast<std::int64_t>(models.at(misses));
    EXPECT_LE(std::abs(more(models, cachegrind, misses)), 16 + all / 1000) << misses;
  }

  EXPECT_GT(more(cachegrind, chasing, "Ir"), 0);
  EXPECT_LT(more(cachegrind, chasing, "Bc"), 0);
}

}  // namespace
}  // namespace tare::count
