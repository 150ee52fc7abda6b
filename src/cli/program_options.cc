// program_options.cc: converts options to a controlled setting.
#include "cli/program_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "binary/elf/elf_image.h"
#include "machine/host/affinity.h"

namespace tare::cli {
namespace {

Result<std::uint64_t> StdinLimit(const ProgramOptions& options) {
  if (options.stdin_limit.empty()) return kDefaultStdinLimit;
  const auto limit = ParseBytes(options.stdin_limit);
  if (limit) return *limit;
  return Fail(ErrorKind::kUsage, fmt::format("--stdin-limit: {}", limit.error().message));
}

Result<void> ChooseInput(const ProgramOptions& options, const Session& session, InputUse use,
                         ReadyProgram& ready) {
  TRY(const std::uint64_t limit, StdinLimit(options));
  if (!options.input.empty()) {
    if (std::error_code ignored; std::filesystem::is_directory(options.input, ignored)) {
      return Fail(ErrorKind::kUsage, fmt::format("--input {}: it is a directory; name a file",
                                                 Printable(options.input)));
    }
    ready.setting.input = {run::Input::From::kFile, options.input};
    return {};
  }
  TRY(auto chosen, ChooseStandardInput(use, limit, session));
  ready.setting.input = std::move(chosen.input);
  if (chosen.spool) ready.spool.emplace(*std::move(chosen.spool));
  return {};
}

Result<void> ChooseCore(const ProgramOptions& options, run::Setting& setting) {
  if (!options.core) return {};
  TRY(const auto allowed, host::AllowedProcessors());
  for (const unsigned core : allowed) {
    if (core == *options.core) setting.core = core;
  }
  if (setting.core) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("--core {}: this process may not run on that core", *options.core));
}

// The size that an option gives; kUsage if it is negative.
template <typename Size>
Result<void> TakeSize(const char* option, const std::optional<std::int64_t>& given, Size& size) {
  if (!given) return {};
  if (*given < 0) {
    return Fail(ErrorKind::kUsage, fmt::format("{} {}: expected a size", option, *given));
  }
  size = static_cast<std::size_t>(*given);
  return {};
}

Result<void> ChooseSetup(const ProgramOptions& options, run::Setting& setting) {
  TRY_VOID(TakeSize("--env-bytes", options.environment_bytes, setting.environment.bytes));
  TRY_VOID(TakeSize("--argv0-length", options.argv0_length, setting.argv0_length));
  TRY_VOID(TakeSize("--cwd-length", options.cwd_length, setting.cwd_length));
  TRY_VOID(TakeSize("--stack-offset", options.stack_offset, setting.layout.stack_bytes));
  TRY_VOID(TakeSize("--heap-offset", options.heap_offset, setting.layout.heap_bytes));
  TRY_VOID(TakeSize("--mapping-offset", options.mapping_offset, setting.layout.mapping_bytes));
  if (options.process_id) {
    // Clamping keeps an out-of-range value out of range.
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
  return Fail(
      ErrorKind::kUsage,
      fmt::format("--engine-timeout {}: expected a time such as 5min, or none", Printable(text)));
}

// Rejects programs of other architectures, and of 32 bits unless nothing decodes them; the ELF
// reader knows their names.
Result<void> RefuseForeign(const run::ResolvedProgram& program, bool decodes_nothing) {
  if (!program.foreign || (decodes_nothing && program.bits == 32)) return {};
  const auto image = elf::OpenElf(program.path);
  std::string why =
      image ? fmt::format("{} is built for another architecture", Printable(program.path.string()))
            : image.error().message;
  if (program.bits == 32) {
    why +=
        ", and so do the engines valgrind, qemu, step, compiled and virtual; tare count --engine "
        "kernel,hardware and tare trace decode nothing and run it";
  }
  return Fail(ErrorKind::kCannotExecute, std::move(why));
}

}  // namespace

Result<ReadyProgram> Prepare(const ProgramOptions& options, const Session& session, InputUse use) {
  ReadyProgram ready;
  TRY(const auto named, run::Resolve({session.program}));
  // Engines load programs, not scripts.
  TRY(ready.program, run::WithoutScript(named));
  TRY_VOID(RefuseForeign(ready.program, options.decodes_nothing));
  run::Setting& setting = ready.setting;
  setting.randomize_addresses = options.randomize;
  // argv[0] is the full path, natively as in every engine.
  setting.argv0_length = ready.program.path.string().size();
  setting.environment.pin_dispatch = !options.native_view;
  setting.environment.bind_now = true;
  setting.environment.pin_seeds = true;
  setting.environment = run::ForProgram(ready.program, setting.environment);
  TRY_VOID(ChooseSetup(options, setting));
  if (options.timeout) setting.timeout_seconds = options.timeout->seconds;
  TRY(ready.engine_seconds, EngineSeconds(options.engine_timeout));
  TRY_VOID(ChooseCore(options, setting));
  TRY_VOID(ChooseInput(options, session, use, ready));
  if (session.discards_output) setting.output = run::Output::kDiscarded;
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
                   fmt::format("The controlled environment changes the program's exit status ({}). "
                               "All numbers are from runs without it.",
                               found->detail)});
}

void AddSettings(report::Document& document, const run::Setting& setting) {
  for (const auto& [name, value] : run::Describe(setting)) {
    document.provenance.settings[name] = Printable(value);
  }
}

}  // namespace tare::cli
