// prepare.cc: arguments, environment, directory, descriptors, pipes and shared memory of a run.
#include "measure/run/prepare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "machine/host/affinity.h"
#include "measure/run/layout.h"
#include "measure/run/standing_supervisor.h"

namespace tare::run {
namespace {

constexpr int kPipeBytes = 1 << 20;

std::unexpected<Error> CannotStart(std::string_view what, int error_number) {
  return Fail(ErrorKind::kUnsupported, fmt::format("cannot start a program: {}: {}", what,
                                                   std::generic_category().message(error_number)));
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

Result<void> PrepareWords(const ResolvedProgram& program, const Setting& setting, Prepared& run) {
  run.path = program.path.string();
  std::string name = program.arguments.front();
  if (setting.argv0_length) {
    TRY(run.path, PaddedPath(run.path, *setting.argv0_length));
    name = run.path;
  }
  run.words = {program.arguments.begin() + 1, program.arguments.end()};
  if (program.prefix.empty()) {
    run.words.insert(run.words.begin(), name);
  } else {
    run.words.insert(run.words.begin(), run.path);
    run.words.insert(run.words.begin(), program.prefix.begin(), program.prefix.end());
    run.path = program.prefix.front();
  }
  return {};
}

Result<void> PrepareDirectory(const Setting& setting, StandingSupervisor* standing, Prepared& run) {
  if (!setting.directory && !setting.cwd_length) return {};
  std::error_code failed;
  const auto directory = std::filesystem::absolute(setting.directory.value_or("."), failed);
  if (failed || !std::filesystem::is_directory(directory, failed)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("cannot run in {}: it is not a directory",
                            Printable(setting.directory.value_or(".").string())));
  }
  run.directory = directory.lexically_normal().string();
  run.launch.directory = run.directory.c_str();
  if (setting.cwd_length) {
    if (standing != nullptr) {
      TRY(run.long_path, standing->Directory(*setting.cwd_length));
    } else {
      TRY(auto path, DirectoryPath::Make(*setting.cwd_length));
      run.long_path = run.own_path.emplace(std::move(path)).Path();
    }
    run.launch.behind_directory = run.directory.c_str();
    run.launch.directory = run.long_path.c_str();
  }
  return {};
}

Result<void> RequireCore(unsigned core) {
  TRY(const auto allowed, host::AllowedProcessors());
  if (std::ranges::find(allowed, core) != allowed.end()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("cannot run on core {}: this process may not use it", core));
}

Result<void> RequirePossible(const ResolvedProgram& program, const Setting& setting) {
  TRY_VOID(RequireSound(setting));
  if (!setting.environment.tunables.empty() && !ToleratesTunables(program)) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} is a static-PIE program, which crashes with GLIBC_TUNABLES; omit "
                            "settings that need it, such as huge pages",
                            Printable(program.path.filename().string())));
  }
  if (setting.layout.IsRequested() && program.foreign) return std::unexpected(CannotMove(ENOEXEC));
  if (setting.process_id && NumberInProc() != ::getpid()) {
    return Fail(ErrorKind::kUnsupported,
                "cannot set the process id: /proc does not list this process");
  }
  if (setting.core) TRY_VOID(RequireCore(*setting.core));
  return {};
}

Result<int> OpenInput(const Input& input, Descriptor& opened) {
  if (input.from == Input::From::kPassed) return Launch::kInherit;
  const auto path = input.from == Input::From::kFile ? input.file : "/dev/null";
  opened = Descriptor::AboveStandard(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.IsOpen()) return std::unexpected(SystemError("read", path, errno));
  return opened.Number();
}

Result<void> OpenPipe(Descriptor& read, Descriptor& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return CannotStart("a pipe", errno);
  read = Descriptor::AboveStandard(ends[0]);
  write = Descriptor::AboveStandard(ends[1]);
  if (!read.IsOpen() || !write.IsOpen()) return CannotStart("a pipe", errno);
  return {};
}

Result<int> OpenOutput(Output output, Descriptor& opened, Descriptor& read) {
  switch (output) {
    case Output::kPassed:
      return Launch::kInherit;
    case Output::kClosed:
      return Launch::kClose;
    case Output::kDiscarded:
      opened = Descriptor::AboveStandard(::open("/dev/zero", O_WRONLY | O_CLOEXEC));
      if (opened.IsOpen()) break;
      opened = Descriptor::AboveStandard(::open("/dev/null", O_WRONLY | O_CLOEXEC));
      break;
    case Output::kDigested:
      TRY_VOID(OpenPipe(read, opened));
      ::fcntl(opened.Number(), F_SETPIPE_SZ, kPipeBytes);  // smaller where that is not allowed
      break;
    case Output::kCaptured:
      opened = Descriptor::AboveStandard(::memfd_create("output", MFD_CLOEXEC));
      if (opened.IsOpen()) ::fcntl(opened.Number(), F_SETFL, O_APPEND);
      break;
  }
  if (!opened.IsOpen()) return CannotStart("its output", errno);
  return opened.Number();
}

Result<void> MapShared(Prepared& run) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return CannotStart("shared memory", errno);
  run.shared.reset(new (memory) Shared);
  run.launch.shared = run.shared.get();
  return {};
}

// A program that reads from the terminal must be in its foreground process group. If another
// process reads the program's output, that process may be a pager in our group that needs the
// terminal too; then the program gets the terminal only on demand. It can demand it whatever its
// standard input is, by opening /dev/tty.
void FindTerminal(const Setting& setting, Prepared& run) {
  run.terminal = Descriptor::AboveStandard(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!run.terminal.IsOpen()) return;
  run.launch.terminal = run.terminal.Number();
  run.launch.own_group = ::getpgrp();
  const bool reads_it = setting.input.from == Input::From::kPassed &&
                        ::tcgetpgrp(STDIN_FILENO) == run.launch.own_group;
  run.launch.terminal_at_once = reads_it && ::isatty(STDOUT_FILENO) != 0;
}

}  // namespace

Result<void> Prepare(const ResolvedProgram& program, const Setting& setting,
                     StandingSupervisor* standing, Prepared& run) {
  Launch& launch = run.launch;
  TRY_VOID(RequirePossible(program, setting));
  TRY_VOID(PrepareWords(program, setting, run));
  TRY_VOID(PrepareDirectory(setting, standing, run));
  std::optional<std::string> directory;
  if (launch.directory != nullptr) directory = launch.directory;
  TRY(run.variables,
      MakeEnvironment(ForProgram(program, setting.environment), InheritedEnvironment(), directory));
  TRY(launch.standard[0], OpenInput(setting.input, run.input));
  TRY(launch.standard[1], OpenOutput(setting.output, run.output, run.output_read));
  TRY(launch.standard[2], OpenOutput(setting.errors, run.errors, run.errors_read));
  FindTerminal(setting, run);
  launch.path = run.path.c_str();
  run.word_pointers = Pointers(run.words);
  run.variable_pointers = Pointers(run.variables);
  launch.arguments = run.word_pointers.data();
  launch.environment = run.variable_pointers.data();
  launch.randomize = setting.randomize_addresses;
  launch.huge_pages = setting.huge_pages;
  launch.layout = setting.layout;
  launch.process_id = setting.process_id;
  launch.maps = IdentityMaps::OfThisProcess();
  launch.core = setting.core;
  if (setting.ends_with_this_process) launch.owner = ::getpid();
  return {};
}

Result<void> PrepareSupervisor(Prepared& run) {
  TRY_VOID(OpenPipe(run.launch.go_read, run.launch.go_write));
  TRY_VOID(OpenPipe(run.launch.report_read, run.launch.report_write));
  return MapShared(run);
}

}  // namespace tare::run
