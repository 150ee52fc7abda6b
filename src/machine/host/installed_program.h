// installed_program.h: finding a program and asking it for its version, without a shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::host {

// The first executable file of that name in the directories of `search_path` (as in $PATH). Empty
// and relative directories are passed over, so that nothing in the current directory is ever run.
std::optional<std::filesystem::path> FindProgram(std::string_view name,
                                                 std::string_view search_path);

// $PATH, or the system's usual one where it is not set.
std::string SearchPath();

struct ProgramLimits {
  std::chrono::milliseconds time{2000};
  std::size_t output_bytes = 65536;
};

struct ProgramOutput {
  std::string text;  // standard output and standard error as they came, at most the limit
  bool cut = false;  // there was more
  int exit_status = 0;
};

// Runs the program with nothing on its standard input, an almost empty environment and / as its
// directory. A program that neither ends nor is stopped within the time is killed with its process
// group, and that is an error; so is one killed by a signal. Nothing is left running.
Result<ProgramOutput> RunBriefly(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const ProgramLimits& limits = {});

// The first word with a digit and a dot in it, from the first line: "7.2.22" of "qemu-x86_64
// version 7.2.22 (Debian ...)", "3.19.0" of "valgrind-3.19.0". Safe to show; "" when there is none.
std::string VersionIn(std::string_view text);

}  // namespace tare::host
