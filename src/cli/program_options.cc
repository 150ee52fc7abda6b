// program_options.cc: from options to a controlled setting.
#include "cli/program_options.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "binary/elf_image.h"
#include "timer/affinity.h"

namespace tare::cli {
namespace {

// A pipe that says nothing for so long has nothing to say: tare may have been started with one that
// nobody ever closes.
constexpr int kPipeWaitMilliseconds = 100;

// All of standard input, into a file of the folder.
Result<std::filesystem::path> Spool(const PrivateFolder& folder) {
  const auto path = folder.path() / "input";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return std::unexpected(SystemError("write", path, errno));
  std::array<char, 65536> bytes;
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t at = 0; at < got;) {
      const ssize_t put = write(file, bytes.data() + at, static_cast<std::size_t>(got - at));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) {
        const int error_number = errno;
        close(file);
        return std::unexpected(SystemError("write", path, error_number));
      }
      at += put;
    }
  }
  close(file);
  return path;
}

bool HasSomething() {
  pollfd wanted{STDIN_FILENO, POLLIN, 0};
  return poll(&wanted, 1, kPipeWaitMilliseconds) > 0;
}

Result<void> ChooseInput(const ProgramOptions& options, ReadyProgram& ready) {
  run::Input& input = ready.setting.input;
  if (!options.input.empty()) {
    input = {run::Input::From::kFile, options.input};
    return {};
  }
  struct stat status;
  input.from = run::Input::From::kNothing;
  if (fstat(STDIN_FILENO, &status) != 0) return {};
  if (S_ISREG(status.st_mode)) {
    std::error_code error;
    const auto path = std::filesystem::read_symlink("/proc/self/fd/0", error);
    if (!error) input = {run::Input::From::kFile, path};
  } else if ((S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode)) && HasSomething()) {
    TRY(auto folder, PrivateFolder::Make());
    ready.spool.emplace(std::move(folder));
    TRY(const auto path, Spool(*ready.spool));
    input = {run::Input::From::kFile, path};
  }
  return {};
}

Result<void> ChooseCore(const ProgramOptions& options, run::Setting& setting) {
  if (!options.core) return {};
  TRY(const auto allowed, timer::AllowedProcessors());
  for (const unsigned core : allowed) {
    if (core == *options.core) setting.core = core;
  }
  if (setting.core) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--core {}: this process may not use it", *options.core));
}

// The size that an option asks for, 0 or more.
template <typename Size>
Result<void> TakeSize(const char* option, const std::optional<std::int64_t>& given, Size& size) {
  if (!given) return {};
  if (*given < 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{} {}: a size is expected", option, *given));
  }
  size = static_cast<std::size_t>(*given);
  return {};
}

Result<void> ChooseSurroundings(const ProgramOptions& options, run::Setting& setting) {
  TRY_VOID(TakeSize("--environment-bytes", options.environment_bytes, setting.environment.bytes));
  TRY_VOID(TakeSize("--name-bytes", options.name_bytes, setting.name_bytes));
  TRY_VOID(TakeSize("--folder-bytes", options.folder_bytes, setting.folder_bytes));
  TRY_VOID(TakeSize("--stack-offset", options.stack_offset, setting.layout.stack_bytes));
  TRY_VOID(TakeSize("--heap-offset", options.heap_offset, setting.layout.heap_bytes));
  TRY_VOID(TakeSize("--mapping-offset", options.mapping_offset, setting.layout.mapping_bytes));
  if (options.process_id) {
    // What is out of range stays so when it is cut to the size of a process id.
    setting.process_id = static_cast<pid_t>(
        std::clamp<std::int64_t>(*options.process_id, 0, std::numeric_limits<pid_t>::max()));
  }
  if (!options.huge_pages.empty()) {
    TRY_VOID(run::ChooseHugePages(options.huge_pages == "on", setting));
  }
  return run::RequireSound(setting);
}

Result<std::optional<double>> EngineSeconds(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "none") return HUGE_VAL;
  const auto duration = ParseDuration(text);
  if (duration && *duration > 0) return *duration;
  return Fail(ErrorKind::kUsage,
              fmt::format("--engine-timeout {}: a time such as 5min, or none is expected",
                          Printable(text)));
}

// Programs of 32 bits and of other machines: the reader of ELF files knows their names.
Result<void> RefuseForeign(const run::ResolvedProgram& program) {
  if (!program.foreign) return {};
  const auto image = binary::OpenElf(program.path);
  return Fail(ErrorKind::kCannotExecute,
              image ? fmt::format("{} is for another machine than this one",
                                  Printable(program.path.string()))
                    : image.error().message);
}

}  // namespace

Result<ReadyProgram> Prepare(const ProgramOptions& options, const Session& session) {
  ReadyProgram ready;
  TRY(const auto named, run::Resolve({session.program}));
  // Engines load programs, not scripts.
  TRY(ready.program, run::WithoutScript(named));
  TRY_VOID(RefuseForeign(ready.program));
  run::Setting& setting = ready.setting;
  setting.randomise_addresses = options.randomise;
  // The whole path, on its own as in every engine.
  setting.name_bytes = ready.program.path.string().size();
  setting.environment.pin_dispatch = !options.native_view;
  setting.environment.bind_now = true;
  setting.environment.pin_seeds = true;
  setting.environment = run::ForProgram(ready.program, setting.environment);
  TRY_VOID(ChooseSurroundings(options, setting));
  if (options.time_out) setting.time_out_seconds = options.time_out->seconds;
  TRY(ready.engine_seconds, EngineSeconds(options.engine_timeout));
  TRY_VOID(ChooseCore(options, setting));
  TRY_VOID(ChooseInput(options, ready));
  if (session.machine_readable) setting.output = run::Output::kDiscarded;
  return ready;
}

void StateDroppedControl(report::Document& document) {
  const auto found = std::ranges::find(
      document.caveats, Row(CaveatId::kControlDropped).id,
      [](const report::StatedCaveat& caveat) { return std::string_view(caveat.id); });
  if (found == document.caveats.end()) return;
  document.blocks.insert(
      document.blocks.begin(),
      report::Text{"control",
                   fmt::format("The program ends otherwise in the controlled environment ({}). "
                               "Every number here is of runs without it.",
                               found->detail)});
}

void AddSettings(report::Document& document, const run::Setting& setting) {
  for (const auto& [name, value] : run::Describe(setting)) {
    document.provenance.settings[name] = Printable(value);
  }
}

}  // namespace tare::cli
