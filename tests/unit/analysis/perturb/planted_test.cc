// planted_test.cc: tests a real program with counters that perturb it, and with one that does not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/perturb/run_verdict.h"
#include "analysis/perturb/trace_runs.h"
#include "base/private_directory.h"
#include "model/core/processor_file.h"
#include "tests/unit/measure/count/under_engines.h"

namespace tare::perturb {
namespace {

constexpr std::size_t kRuns = 20;

class Planted : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!count::WhyNot(engine::Engine::kVirtual).empty()) return;
    const auto taken = TakeRuns(RequestFor("plain"), kRuns, true, NoProgress);
    ASSERT_TRUE(taken) << taken.error().message;
    baseline_ = new Baseline(*MakeBaseline(taken->runs, {}));
    outer_ = new OuterBaseline(*MakeOuterBaseline(*baseline_, {}));
  }
  static void TearDownTestSuite() {
    delete baseline_;
    delete outer_;
    baseline_ = nullptr;
    outer_ = nullptr;
  }

  void SetUp() override {
    if (baseline_ == nullptr) GTEST_SKIP() << count::WhyNot(engine::Engine::kVirtual);
  }

  static sample::TraceRequest RequestFor(const std::string& kind) {
    sample::TraceRequest request;
    request.program = *run::Resolve({{fmt::format("{}/{}/perturbed", TARE_TEST_PROGRAMS, kind)}});
    request.setting.output = run::Output::kDiscarded;
    request.sampler = sample::Sampler::kInstructions;
    request.pace.interval_ns = 25'000;
    request.processor = *model::ReadProcessor(TARE_SOURCE_DIR "/data/processors/two-levels.toml");
    request.engines = count::BuiltEngines();
    return request;
  }

  // Uses layout number `layout`, which the baseline does not contain.
  static Judgement Judge(const std::string& kind, std::size_t layout) {
    const auto directory = PrivateDirectory::MakeOnDisk();
    auto request = WithLayout(RequestFor(kind), layout);
    EXPECT_TRUE(request);
    request->file = directory->path() / "series";
    const auto run = TakeRun(*request, kind);
    EXPECT_TRUE(run) << run.error().message;
    const auto judgement = JudgeRun(*baseline_, *outer_, *run, {}, {});
    EXPECT_TRUE(judgement) << judgement.error().message;
    return judgement.value_or(Judgement{});
  }

  static bool ChangedPairOf(const Judgement& judgement, std::string_view metric) {
    return std::ranges::any_of(judgement.inner, [&](const InnerRow& row) {
      return row.significant && (row.first == metric || row.second == metric);
    });
  }

  static Baseline* baseline_;
  static OuterBaseline* outer_;
};

Baseline* Planted::baseline_ = nullptr;
OuterBaseline* Planted::outer_ = nullptr;

TEST_F(Planted, ACounterOfItsOwnLineDoesNoHarm) {
  for (const std::size_t layout : {kRuns, kRuns + 1, kRuns + 2}) {
    const Judgement judgement = Judge("harmless", layout);
    EXPECT_FALSE(judgement.IsPerturbed()) << VerdictOf(judgement);
    ASSERT_TRUE(judgement.cost);
    EXPECT_GT(judgement.cost->AddedPercent(), 0);
    EXPECT_LT(judgement.cost->AddedPercent(), 0.1);
  }
}

TEST_F(Planted, ACounterBesideHotDataMakesItBeWrittenBack) {
  const Judgement judgement = Judge("shared_line", kRuns + 3);
  EXPECT_TRUE(judgement.IsPerturbedInside()) << VerdictOf(judgement);
  EXPECT_TRUE(ChangedPairOf(judgement, "l1d-write-backs"));
}

TEST_F(Planted, ACounterThatFillsASetMakesHotDataMiss) {
  const Judgement judgement = Judge("evicted_set", kRuns + 4);
  EXPECT_TRUE(judgement.IsPerturbedInside()) << VerdictOf(judgement);
  EXPECT_TRUE(ChangedPairOf(judgement, "l1d-misses"));
}

TEST_F(Planted, ACounterThatPreventsInliningChangesBranches) {
  const Judgement judgement = Judge("other_inlining", kRuns + 5);
  EXPECT_TRUE(judgement.IsPerturbedInside()) << VerdictOf(judgement);
  EXPECT_TRUE(ChangedPairOf(judgement, "conditional-branches"));
}

}  // namespace
}  // namespace tare::perturb
