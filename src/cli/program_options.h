// program_options.h: the options of every command that runs a program, and the setting they give.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/private_directory.h"
#include "cli/command.h"
#include "cli/standard_input.h"
#include "measure/engine/engine_run.h"
#include "measure/run/process.h"

namespace tare::cli {

struct ProgramOptions {
  std::optional<WrittenDuration> timeout;
  std::string engine_timeout;
  std::optional<std::int64_t> core;
  std::optional<std::int64_t> environment_bytes;
  std::optional<std::int64_t> argv0_length;
  std::optional<std::int64_t> cwd_length;
  std::optional<std::int64_t> stack_offset;
  std::optional<std::int64_t> heap_offset;
  std::optional<std::int64_t> mapping_offset;
  std::optional<std::int64_t> process_id;
  std::string huge_pages;
  std::string input;
  std::string stdin_limit;
  bool randomize = false;
  bool native_view = false;
  bool decodes_nothing = false;  // set by the command: 32-bit programs can be run
};

inline constexpr std::array<std::string_view, 2> kOnOrOff = {"on", "off"};

// Adds the rows of those options; `Options` must derive from ProgramOptions.
template <typename Options>
std::vector<Flag<Options>> WithProgramFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--timeout", "TIME", "end the program after this time (default: no limit)"},
       &Options::timeout},
      {{"--engine-timeout", "TIME",
        "end a run under an engine after this time, or none (default: 1000 times the native run, "
        "at least 1min; step: 400000 times, at least 10min)"},
       &Options::engine_timeout},
      {{"--core", "N", "run the program on this core only"}, &Options::core},
      {{"--env-bytes", "N", "pad the environment to exactly this size"},
       &Options::environment_bytes},
      {{"--argv0-length", "N", "length of the program's path and argv[0]"}, &Options::argv0_length},
      {{"--cwd-length", "N", "length of the working directory's path"}, &Options::cwd_length},
      {{"--stack-offset", "N", "move the stack down by N bytes"}, &Options::stack_offset},
      {{"--heap-offset", "N", "move the heap up by N bytes"}, &Options::heap_offset},
      {{"--mapping-offset", "N", "move libraries and other mappings by N bytes"},
       &Options::mapping_offset},
      {{"--pid", "N", "process ID that the program sees"}, &Options::process_id},
      {{"--huge-pages", "HOW", "request transparent huge pages, or disable them", kOnOrOff},
       &Options::huge_pages},
      {{"--input", "FILE", "standard input of each run (default: that of tare)"}, &Options::input},
      {{"--stdin-limit", "BYTES",
        "maximum size of piped standard input that is stored for several runs (default: 1GiB)"},
       &Options::stdin_limit},
      {{"--aslr", "", "leave address randomization on"}, &Options::randomize},
      {{"--native-view", "",
        "let the program see the processor features of each engine, not only the common ones"},
       &Options::native_view},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return own;
}

// A program that can be run repeatedly with the same input.
struct ReadyProgram {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<double> engine_seconds;   // from --engine-timeout: infinity for none
  std::optional<PrivateDirectory> spool;  // contains the input read from a pipe
};

// Finds the program and fixes its setup. For several runs, a pipe is first read to its end, so that
// every run gets all of it; a single run gets the pipe itself.
Result<ReadyProgram> Prepare(const ProgramOptions& options, const Session& session,
                             InputUse use = InputUse::kSeveralRuns);

// Runs the program under an engine; the options --children and --native-view are those of several
// commands.
template <typename Options>
engine::EnginePlan EnginePlanOf(const Options& options, const ReadyProgram& ready,
                                const Session& session) {
  engine::EnginePlan plan;
  plan.program = ready.program;
  plan.setting = ready.setting;
  plan.children = options.children;
  plan.pin_view = !options.native_view;
  plan.interrupted = session.interrupted;
  if (ready.engine_seconds) plan.limit = engine::EngineLimit{*ready.engine_seconds, {}};
  return plan;
}

// States first that the controlled environment was dropped, with the reason.
void StateDroppedControl(report::Document& document);

// Adds how the program was run to the provenance.
void AddSettings(report::Document& document, const run::Setting& setting);

}  // namespace tare::cli
