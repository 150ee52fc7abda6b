// sign_options.h: the options of `tare sign`, and what they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/commands/machine/described_machine.h"
#include "cli/commands/sign/sign_tables.h"
#include "cli/program_options.h"
#include "predict/signature/collect.h"

namespace tare::cli {

struct SignOptions : ProgramOptions {
  std::string output;
  std::string show;
  std::vector<std::string> machines;
  std::string per = "block";
  std::optional<std::int64_t> top;
  std::string source = "valgrind";
  bool sample = false;
  bool exact = false;
  std::optional<std::int64_t> seed;
  std::string threads = "together";
  bool children = false;
  bool once = false;
  std::optional<std::int64_t> stride_depth;
  std::string bbv;
  std::optional<std::int64_t> bbv_interval;
  bool verbose = false;
};

// All are kUsage for values out of range and options that exclude each other.
Result<SignView> SignViewOf(const SignOptions& options, bool all);
Result<std::vector<DescribedMachine>> SignMachines(const SignOptions& options);
Result<signature::CollectPlan> SignPlan(const SignOptions& options, const ReadyProgram& ready,
                                        const Session& session);

}  // namespace tare::cli
