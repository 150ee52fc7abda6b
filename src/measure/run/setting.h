// setting.h: everything that is fixed about a run, so that two runs can be compared.
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
  std::vector<Variable> set;  // takes precedence over everything else
  bool sorted = true;
  // Size of the environment block, the sum of length + 1 over its entries. The variable TARE_PAD
  // pads the block to exactly this size.
  std::optional<std::size_t> bytes;

  // Makes libraries that select code by processor features select a common subset that all engines
  // support. Other settings in GLIBC_TUNABLES are kept.
  bool pin_dispatch = false;
  bool bind_now = false;   // bind all symbols before main (LD_BIND_NOW)
  bool pin_seeds = false;  // fix the hash seeds of Python and Perl
  // Further tunables of the C library, for example "glibc.malloc.hugetlb" and "1".
  std::vector<Variable> tunables;
  // Overrides pin_dispatch, bind_now and pin_seeds: the program does not support them.
  bool uncontrolled = false;
  // Leaves GLIBC_TUNABLES unchanged. See ForProgram.
  bool keep_tunables = false;

  // Whether GLIBC_TUNABLES selects the C library's code.
  bool PinsTunables() const { return pin_dispatch && !uncontrolled && !keep_tunables; }
};

struct Input {
  enum class From { kPassed, kNothing, kFile };
  From from = From::kPassed;
  std::filesystem::path file;  // for kFile
};

// kCaptured collects into a memfd: nothing has to be drained and the program never blocks. The
// program sees a file, so RLIMIT_FSIZE applies. kDigested reads the output from a pipe and keeps a
// hash. kDiscarded is /dev/zero, which discards what is written as /dev/null does: some programs do
// less work for /dev/null (grep ends at its first match).
enum class Output { kPassed, kCaptured, kDigested, kDiscarded, kClosed };

// Offsets from where the kernel places things. With randomization off, every address of a moved
// program differs from the unmoved program's by exactly these amounts.
struct Layout {
  std::uint64_t stack_bytes = 0;    // down; a multiple of 16, at most kMaxStackOffset
  std::uint64_t heap_bytes = 0;     // of the program break, up; a multiple of 16
  std::uint64_t mapping_bytes = 0;  // of everything mapped after execve; whole pages
  // Stops the program at its start, as for a move, even if nothing moves, so that its time compares
  // with that of moved programs.
  bool stop_at_start = false;

  bool IsRequested() const {
    return stop_at_start || stack_bytes + heap_bytes + mapping_bytes != 0;
  }
};
inline constexpr std::uint64_t kMaxStackOffset = 1 << 20;
inline constexpr std::uint64_t kMaxMemoryOffset = std::uint64_t{1} << 36;
// Linux, fs/exec.c: arguments and environment take up to three quarters of the 8 MiB of _STK_LIM,
// and one string up to MAX_ARG_STRLEN, 32 pages of 4 KiB, with its final 0.
inline constexpr std::size_t kMaxEnvironmentBytes = std::size_t{6} << 20;
inline constexpr std::size_t kMaxArgumentBytes = 32 * 4096 - 1;

struct Setting {
  bool randomize_addresses = false;
  Environment environment;
  // Length of argv[0] and of the path passed to execve, an absolute path of exactly so many bytes.
  std::optional<std::size_t> argv0_length;
  std::optional<std::filesystem::path> directory;  // working directory; absent: the current one
  // Length of $PWD, a path of exactly so many bytes to the working directory. getcwd(3) returns the
  // same path if the kernel allows a private mount; otherwise Finished has a caveat with the
  // reason.
  std::optional<std::size_t> cwd_length;
  Layout layout;
  // PID that the program sees, 2 or greater. The program runs in its own PID namespace, where its
  // parent is PID 1; outside it has another PID.
  std::optional<pid_t> process_id;
  // Transparent huge pages. false: the program gets none (PR_SET_THP_DISABLE). true: its malloc
  // requests them, see ChooseHugePages. Absent: the system's default.
  std::optional<bool> huge_pages;
  std::optional<unsigned> core;  // the only core that the program may use
  // After this time the program's process group gets SIGTERM, and after the grace period SIGKILL.
  std::optional<double> timeout_seconds;
  double grace_seconds = 1;
  // A timeout ends all descendants of the program, not only its process group.
  bool timeout_ends_descendants = false;
  // If this process is killed, the program's process group is killed, too.
  bool ends_with_this_process = false;
  Input input;
  Output output = Output::kPassed;
  Output errors = Output::kPassed;
};

// The same setting with the program's output and errors discarded.
Setting WithDiscardedOutput(Setting setting);
// The same, with a hash of the output in Finished.
Setting WithDigestedOutput(Setting setting);

// kUnsupported if huge pages are wanted and this kernel never provides any.
Result<void> ChooseHugePages(bool wanted, Setting& setting);

// kUsage for offsets and process ids that no kernel accepts.
Result<void> RequireSound(const Setting& setting);

// Whether this machine supports these settings; kUnsupported with the reason. Each call starts one
// or two processes, so keep the result.
Result<void> CanMoveLayout();
Result<void> CanChooseProcessId();
Result<void> CanLengthenDirectory();

// What is fixed, as text, for the provenance of a result.
std::vector<std::pair<std::string, std::string>> Describe(const Setting& setting);

// The entries that a program gets. `inherited` is the environment of this process, `directory` the
// value of PWD if it is to be set. Fails if the block cannot have the requested size, or if a name
// is empty or contains '='.
Result<std::vector<std::string>> MakeEnvironment(const Environment& wanted,
                                                 const std::vector<std::string>& inherited,
                                                 const std::optional<std::string>& directory);

// The environment of this process.
std::vector<std::string> InheritedEnvironment();

// The size of the environment block: the sum of length + 1.
std::size_t BlockBytes(const std::vector<std::string>& entries);

// The same file under a path of exactly `bytes` bytes, prefixed with "/." and "/". `path` is
// absolute. Fails if it is already longer or `bytes` exceeds the kernel's limit.
Result<std::string> PaddedPath(const std::string& path, std::size_t bytes);

}  // namespace tare::run
