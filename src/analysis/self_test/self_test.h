// self_test.h: runs workloads of known effect under every source of counts and compares.
//
// Each workload runs with COUNT and with twice COUNT repetitions; all else in the two runs is the
// same, so that their difference is what COUNT repetitions cause. If a count is wrong, it is
// measured twice more, and the majority decides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/self_test/known_effect.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "machine/pmu/event_verdicts.h"
#include "measure/engine/engine.h"

namespace tare::self_test {

struct Tested {
  std::string source;  // of the count: an engine's name
  std::string event;
  std::string does;  // what the workload repeats
  std::uint64_t count = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::optional<std::uint64_t> counted;  // absent: not tested
  std::string absence;                   // the reason
  std::string code = {};                 // pmu::CodeText() of an event of processor or kernel

  bool Passed() const { return counted && *counted >= low && *counted <= high; }
};

// A source, or an event of the virtual PMU, that no workload tests.
struct Untested {
  std::string source;
  std::string event;  // empty: all of them
  std::string reason;
};

struct SelfTestReport {
  std::vector<Tested> tests;
  std::vector<Untested> untested;
};

// Counts of one run by event.
using Counts = std::map<std::string, std::uint64_t, std::less<>>;

struct SelfTestRequest {
  host::EngineFiles files;
  std::filesystem::path program;             // tare-known
  model::Processor processor;                // of the virtual PMU
  std::vector<Effect> effects;               // EffectsOn(processor)
  std::vector<engine::Engine> engines = {};  // empty: all
  StopAsked interrupted;
  // Runs a workload with so many repetitions and counts; absent: under the engine. Tests replace
  // it.
  std::function<Result<Counts>(engine::Engine, const Effect&, std::uint64_t count)> count = {};
};

// kUnsupported if tare-known is missing.
Result<SelfTestReport> RunSelfTest(const SelfTestRequest& request, const Progress& progress);

// One verdict per source and event that was tested, in the order of the tests.
std::vector<pmu::EventVerdict> VerdictsOf(const SelfTestReport& report);

// The path of tare-known, next to the engines. kUnsupported if it is not there.
Result<std::filesystem::path> FindKnownProgram(const host::EngineFiles& files);

}  // namespace tare::self_test
