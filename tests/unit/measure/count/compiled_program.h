// compiled_program.h: builds programs with tare-cc's plugin and runtime for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "format/instrument_plan.h"
#include "tests/programs/build_directory.h"
#include "under_engines.h"

namespace tare::count {

class CompiledProgram {
 public:
  // `level` is the compiler's optimisation option. Returns false when clang, the plugin or the
  // runtime is missing; `why` says so.
  bool Build(const std::string& source, bool cxx, bool stream, std::string& why,
             const std::string& level = "-O2") {
    const host::EngineFiles& files = BuiltEngines();
    if (!files.clang_plugin || !files.runtime) {
      why = "the compiler's plugin was not built";
      return false;
    }
    format::InstrumentPlan plan;
    plan.blocks = true;
    if (stream) plan.stream = format::StreamContent::kAddresses;
    plan.names = false;
    const std::string compiler = cxx ? "clang++-19" : "clang-19";
    const std::string name = cxx ? "program.cc" : "program.c";
    directory_.Write(name, source);
    if (!directory_.Runs(compiler + " " + name + " -w -o plain -lpthread")) {
      why = compiler + " cannot build programs here";
      return false;
    }
    // Debian 12's Valgrind fails on clang's debug information.
    const std::string command =
        fmt::format("{} {} -w -fpass-plugin={} {} {} -Wl,--strip-debug -o program -lpthread",
                    compiler, level, files.clang_plugin->string(), name, files.runtime->string());
    setenv(format::kPlanVariable, format::PlanText(plan).c_str(), 1);
    const bool built = directory_.Runs(command);
    unsetenv(format::kPlanVariable);
    EXPECT_TRUE(built) << command;
    why = "it was not built";
    return built;
  }

  engine::EnginePlan Plan() const {
    engine::EnginePlan plan;
    auto resolved = run::Resolve({{(directory_ / "program").string()}});
    EXPECT_TRUE(resolved);
    if (resolved) plan.program = *resolved;
    plan.setting = run::Captured();
    plan.setting.timeout_seconds = 300;
    return plan;
  }

  const BuildDirectory& directory() const { return directory_; }

 private:
  BuildDirectory directory_;
};

}  // namespace tare::count
