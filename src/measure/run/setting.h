// setting.h: everything that is held fixed about a run, so that two runs can be compared.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
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
  // Settings of the C library beside the pinned ones, "glibc.malloc.hugetlb" and "1".
  std::vector<Variable> tunables;
  // Nothing is done of the three above, whatever they say: the program does not bear it.
  bool uncontrolled = false;
  // GLIBC_TUNABLES is left as it is. See ForProgram.
  bool keep_tunables = false;

  // Whether the C library is told which code to choose.
  bool PinsTunables() const { return pin_dispatch && !uncontrolled && !keep_tunables; }
};

struct Input {
  enum class From { kPassed, kNothing, kFile };
  From from = From::kPassed;
  std::filesystem::path file;  // for kFile
};

// kCaptured collects into memory of the kernel: nothing has to be drained, and the program is never
// held up. It is a file to the program: a limit on file sizes holds for it.
enum class Output { kPassed, kCaptured, kDiscarded, kClosed };

// How far things are moved from where the kernel lays them. The addresses of a moved program are
// those of the same program at rest, less or more exactly so much, as long as randomization is off.
struct Layout {
  std::uint64_t stack_bytes = 0;    // down; a multiple of 16, kMaxStackOffset at most
  std::uint64_t heap_bytes = 0;     // the break, up; a multiple of 16
  std::uint64_t mapping_bytes = 0;  // all that is mapped after execve; whole pages
  // The program is held at its start, as a moved one is, even when nothing moves: for times that
  // are compared with those of moved programs.
  bool hold = false;

  bool IsAsked() const { return hold || stack_bytes + heap_bytes + mapping_bytes != 0; }
};
inline constexpr std::uint64_t kMaxStackOffset = 1 << 20;
inline constexpr std::uint64_t kMaxMemoryOffset = std::uint64_t{1} << 36;

struct Setting {
  bool randomize_addresses = false;
  Environment environment;
  // argv[0] and the path that the kernel is given, as an absolute path of exactly so many bytes.
  std::optional<std::size_t> argv0_length;
  std::optional<std::filesystem::path>
      directory;  // to run in; where it is not given, the current one
  // $PWD is a path of exactly so many bytes to the directory, and getcwd() tells it too where the
  // kernel allows a mount of the program's own: otherwise Finished says why not.
  std::optional<std::size_t> cwd_length;
  Layout layout;
  // The number that the program sees itself under, 2 or more: it lives in a namespace of processes
  // of its own, where its parent is process 1. Everybody outside sees another number.
  std::optional<pid_t> process_id;
  // Transparent huge pages. false: the program gets none. true: its malloc asks for them, see
  // ChooseHugePages. Absent: as the system has it.
  std::optional<bool> huge_pages;
  std::optional<unsigned> core;  // the only one that the program may use
  // After so long SIGTERM goes to the program's process group, and after the grace SIGKILL.
  std::optional<double> timeout_seconds;
  double grace_seconds = 1;
  // A timeout ends not only the group, but all that descend from the program.
  bool timeout_ends_descendants = false;
  Input input;
  Output output = Output::kPassed;
  Output errors = Output::kPassed;
};

// The same, with the program's output and errors thrown away.
Setting Silenced(Setting setting);

// Fails with kUnsupported when they are wanted and this kernel never gives any.
Result<void> ChooseHugePages(bool wanted, Setting& setting);

// kUsage, with a sentence, for offsets and process ids that nothing could meet.
Result<void> RequireSound(const Setting& setting);

// Whether settings of these kinds can be had here; kUnsupported with the reason. Each starts a
// process or two: ask once.
Result<void> CanMoveLayout();
Result<void> CanChooseProcessId();
Result<void> CanLengthenDirectory();

// What was held fixed, in words, for the provenance of a result.
std::vector<std::pair<std::string, std::string>> Describe(const Setting& setting);

// The entries that a program gets, where `inherited` is the environment of this process and
// `directory` the value of PWD, if it is to be set. Fails when the block cannot have the size asked
// for, and when a name is empty or holds '='.
Result<std::vector<std::string>> MakeEnvironment(const Environment& wanted,
                                                 const std::vector<std::string>& inherited,
                                                 const std::optional<std::string>& directory);

// The environment of this process.
std::vector<std::string> InheritedEnvironment();

// The sum of length + 1.
std::size_t BlockBytes(const std::vector<std::string>& entries);

// The same file under a path of exactly `bytes` bytes, by "/." and "/" in front. `path` is
// absolute; fails when it is too long already or `bytes` is more than the kernel takes.
Result<std::string> PaddedPath(const std::string& path, std::size_t bytes);

}  // namespace tare::run
