// hooked_program.h: a small program, built with and without hooks, and its runs under Valgrind.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "binary/mix/file_mix.h"
#include "tests/programs/build_directory.h"
#include "tests/unit/measure/count/under_engines.h"

namespace tare::proxy {

// Calls: main 1, Step 1000, and Inner 2000, none of which is a call in the vanilla program. Each
// body of Inner keeps an instruction of its own, because clang may lose the debug information of a
// body that it has merged with others.
inline constexpr std::string_view kHooked = R"(
volatile int kept;
static inline int Inner(int value) { kept = value; return value * 3 + kept; }
__attribute__((noinline)) int Step(int value) { return Inner(value) + Inner(value + 1); }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += Step(i);
  return sum == 1;
}
)";
inline constexpr std::uint64_t kHookedCalls = 3001;

// Under Valgrind.
inline count::Tally Counted(const std::string& path) {
  engine::EnginePlan plan;
  const auto program = run::Resolve({{path}});
  EXPECT_TRUE(program) << path;
  if (!program) return {};
  plan.program = *program;
  plan.setting = run::Captured();
  plan.setting.environment.bind_now = true;
  plan.setting.timeout_seconds = 300;
  const auto ran = engine::RunUnder(engine::Engine::kValgrind, count::BuiltEngines(), plan);
  EXPECT_TRUE(ran) << (ran ? "" : ran.error().message);
  if (!ran) return {};
  count::Images images;
  auto tally = count::SumRecordings(ran->recordings, count::RepConvention::kOnce, images);
  EXPECT_TRUE(tally) << (tally ? "" : tally.error().message);
  return tally ? std::move(*tally) : count::Tally{};
}

struct HookedProgram {
  BuildDirectory directory;
  std::optional<mix::FileMix> vanilla;
  std::optional<mix::FileMix> instrumented;
  count::Tally vanilla_run;
  count::Tally instrumented_run;

  // Returns why it cannot be built or run; empty on success.
  std::string Make(const std::string& command, std::string_view source = kHooked) {
    if (const auto reason = count::WhyNot(engine::Engine::kValgrind); !reason.empty())
      return reason;
    directory.Write("program.c", source);
    const std::string compile = command + " program.c -o ";
    if (!directory.Runs(compile + "vanilla") ||
        !directory.Runs(compile + "instrumented -finstrument-functions"))
      return command + " does not compile here";
    vanilla = Read("vanilla", vanilla_run);
    instrumented = Read("instrumented", instrumented_run);
    return vanilla && instrumented ? "" : "the files cannot be read";
  }

 private:
  std::optional<mix::FileMix> Read(const std::string& name, count::Tally& run) const {
    const std::string path = (directory / name).string();
    run = Counted(path);
    auto file = mix::ReadFileMix(path, true, NoProgress);
    if (!file) return std::nullopt;
    return std::move(*file);
  }
};

}  // namespace tare::proxy
