// setting.h: everything that is held fixed about a run, so that two runs can be compared.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace tare::run {

using Variable = std::pair<std::string, std::string>;

struct Environment {
  enum class From { kInherited, kEmpty, kGiven };
  From from = From::kInherited;
  std::vector<std::string> given;  // "NAME=value", for kGiven
  std::vector<std::string> unset;
  std::vector<Variable> set;  // wins over everything else
  bool sorted = true;
  // The environment block, the sum of length + 1 over its entries, is made exactly so large by a
  // variable TARE_PAD.
  std::optional<std::size_t> bytes;

  // Libraries choose code by processor features; these make them choose a common subset that all
  // engines know. Kept settings of GLIBC_TUNABLES stay.
  bool pin_dispatch = false;
  bool bind_now = false;   // all symbols bound before main, not at their first call
  bool pin_seeds = false;  // hash seeds of Python and Perl
};

struct Input {
  enum class From { kPassed, kNothing, kFile };
  From from = From::kPassed;
  std::filesystem::path file;  // for kFile
};

// kCaptured collects into memory of the kernel: nothing has to be drained, and the program is never
// held up. It is a file to the program: a limit on file sizes holds for it.
enum class Output { kPassed, kCaptured, kDiscarded, kClosed };

struct Setting {
  bool randomise_addresses = false;
  Environment environment;
  // argv[0] and the path that the kernel is given, as an absolute path of exactly so many bytes.
  std::optional<std::size_t> name_bytes;
  std::optional<std::filesystem::path> folder;  // to run in; where it is not given, the current one
  // $PWD is a path of exactly so many bytes to the folder. getcwd() still tells the real one.
  std::optional<std::size_t> folder_bytes;
  std::optional<unsigned> core;  // the only one that the program may use
  // After so long SIGTERM goes to the program's process group, and after the grace SIGKILL.
  std::optional<double> time_out_seconds;
  double grace_seconds = 1;
  Input input;
  Output output = Output::kPassed;
  Output errors = Output::kPassed;
};

// The same, with the program's output and errors thrown away.
Setting Silenced(Setting setting);

// What was held fixed, in words, for the provenance of a result.
std::vector<std::pair<std::string, std::string>> Describe(const Setting& setting);

// The entries that a program gets, where `inherited` is the environment of this process and
// `folder` the value of PWD, if it is to be set. Fails when the block cannot have the size asked
// for, and when a name is empty or holds '='.
Result<std::vector<std::string>> MakeEnvironment(const Environment& wanted,
                                                 const std::vector<std::string>& inherited,
                                                 const std::optional<std::string>& folder);

// The environment of this process.
std::vector<std::string> InheritedEnvironment();

// The sum of length + 1.
std::size_t BlockBytes(const std::vector<std::string>& entries);

// The same file under a path of exactly `bytes` bytes, by "/." and "/" in front. `path` is
// absolute; fails when it is too long already or `bytes` is more than the kernel takes.
Result<std::string> PaddedPath(const std::string& path, std::size_t bytes);

}  // namespace tare::run
