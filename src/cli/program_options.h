// program_options.h: the options of every command that runs a program, and the setting they make.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/private_folder.h"
#include "cli/command.h"
#include "run/process.h"

namespace tare::cli {

struct ProgramOptions {
  std::optional<WrittenDuration> time_out;
  std::optional<std::int64_t> core;
  std::optional<std::int64_t> environment_bytes;
  std::string input;
  bool randomise = false;
  bool native_view = false;
};

// Rows for those options; `Options` inherits them.
template <typename Options>
std::vector<Flag<Options>> WithProgramFlags(std::vector<Flag<Options>> own) {
  const std::vector<Flag<Options>> rows = {
      {{"--time-out", "TIME", "end a run that takes longer"}, &Options::time_out},
      {{"--core", "N", "run the program on this core only"}, &Options::core},
      {{"--environment-bytes", "N", "pad the environment to exactly this size"},
       &Options::environment_bytes},
      {{"--input", "FILE", "standard input of each run, instead of tare's own"}, &Options::input},
      {{"--randomise", "", "leave address randomisation on"}, &Options::randomise},
      {{"--native-view", "",
        "let each engine show its own processor, instead of features that all can show"},
       &Options::native_view},
  };
  own.insert(own.end(), rows.begin(), rows.end());
  return own;
}

// A program that is ready to be run again and again with the same input.
struct ReadyProgram {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<PrivateFolder> spool;  // holds what came in by a pipe
};

// Finds the program and fixes its surroundings. What comes in by a pipe is read to its end first,
// so that every run gets all of it.
Result<ReadyProgram> Prepare(const ProgramOptions& options, const Session& session);

// How it was run, for the provenance.
void AddSettings(report::Document& document, const run::Setting& setting);

}  // namespace tare::cli
