// under_engines.h: runs test programs under the engines of this build.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "machine/host/engine_files.h"
#include "machine/host/single_step.h"
#include "measure/count/tally.h"
#include "measure/engine/engine_run.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::count {

// What is tested is an engine and what its counts add up to.
using namespace engine;

inline constexpr std::array kEngines = {engine::Engine::kValgrind, engine::Engine::kQemu,
                                        engine::Engine::kStep};

inline const host::EngineFiles& BuiltEngines() {
  static const host::EngineFiles files =
      host::FindEngineFiles(std::filesystem::path(TARE_BINARY_DIR) / "tare", host::EngineSearch{});
  return files;
}

// Returns why the engine does not work here; empty when it does.
inline std::string WhyNot(engine::Engine engine) {
  const auto can = engine::CanRun(engine, BuiltEngines());
  if (!can) return can.error().message;
  if (engine != engine::Engine::kStep) return "";
  static const host::SingleStep tried = host::TrySingleStep();
  return tried.works ? "" : "single-stepping: " + tried.reason;
}

struct UnderEngine {
  run::Finished finished;
  Tally tally;
  std::vector<format::Recording> recordings;
};

struct Wanted {
  std::optional<std::string> region = std::nullopt;
  bool children = false;
};

// No input, captured output, a timeout of 300 seconds. Returns nothing when the region does not
// exist.
inline std::optional<engine::EnginePlan> PlanOf(std::string_view line, const Wanted& wanted) {
  engine::EnginePlan plan;
  plan.program = run::TestProgram(line);
  plan.setting = run::Captured();
  plan.setting.environment.bind_now = true;
  plan.setting.environment.pin_dispatch = true;
  plan.setting.timeout_seconds = 300;
  plan.children = wanted.children;
  if (!wanted.region) return plan;
  const auto region = engine::FindRegion(plan.program, *wanted.region);
  EXPECT_TRUE(region) << line << ": " << (region ? "" : region.error().message);
  if (!region) return std::nullopt;
  plan.region = *region;
  return plan;
}

inline UnderEngine RunUnder(engine::Engine engine, std::string_view line,
                            const Wanted& wanted = {}) {
  UnderEngine result;
  const auto plan = PlanOf(line, wanted);
  if (!plan) return result;
  auto run = engine::RunUnder(engine, BuiltEngines(), *plan);
  EXPECT_TRUE(run) << Name(engine) << ": " << line << ": " << (run ? "" : run.error().message);
  if (!run) return result;
  Images images;
  const auto tally = SumRecordings(run->recordings, RepConvention::kOnce, images);
  EXPECT_TRUE(tally) << Name(engine) << ": " << line << ": "
                     << (tally ? "" : tally.error().message);
  result.finished = std::move(run->finished);
  if (tally) result.tally = *tally;
  result.recordings = std::move(run->recordings);
  return result;
}

// "loads=3 stores=4 ...", without zeros, so that differences are easy to see.
inline std::string Text(const MetricCounts& counts) {
  std::string text;
  for (const MetricText& metric : MetricTable()) {
    if (counts[metric.metric] == 0) continue;
    text += std::string(metric.id) + "=" + std::to_string(counts[metric.metric]) + " ";
  }
  return text;
}

}  // namespace tare::count
