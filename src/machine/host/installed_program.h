// installed_program.h: finding a program and querying its version, without a shell.
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
// and relative directories are skipped, so that nothing in the current directory is ever run.
std::optional<std::filesystem::path> FindProgram(std::string_view name,
                                                 std::string_view search_path);

// $PATH, or the usual system directories when it is not set.
std::string SearchPath();

struct ProgramLimits {
  std::chrono::milliseconds time{2000};
  std::size_t output_bytes = 65536;
};

struct ProgramOutput {
  std::string text;  // standard output and standard error as interleaved, up to the limit
  bool cut = false;  // output was truncated
  int exit_status = 0;
};

// Runs the program with empty standard input, an almost empty environment and / as its working
// directory. A program that exceeds the time limit is killed with its process group; this and death
// by a signal are errors. Leaves no process running.
Result<ProgramOutput> RunBriefly(const std::filesystem::path& program,
                                 const std::vector<std::string>& arguments,
                                 const ProgramLimits& limits = {});

// The first word that contains a digit and a dot, from the first line: "7.2.22" of "qemu-x86_64
// version 7.2.22 (Debian ...)", "3.19.0" of "valgrind-3.19.0". Printable; "" when there is none.
std::string VersionIn(std::string_view text);

}  // namespace tare::host
