// setting.cc: validates settings and describes them as text.
#include "measure/run/setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/printable.h"

namespace tare::run {
namespace {

// The kernel's PID_MAX_LIMIT on 64-bit systems; see proc(5), /proc/sys/kernel/pid_max.
constexpr pid_t kNoProcessId = 1 << 22;

std::string EnvironmentInWords(const Environment& environment) {
  std::string words;
  switch (environment.from) {
    case Environment::From::kInherited:
      words = "inherited";
      break;
    case Environment::From::kEmpty:
      words = "cleared";
      break;
    case Environment::From::kGiven:
      words = fmt::format("explicit, {} variables", environment.given.size());
      break;
  }
  if (environment.sorted) words += ", sorted";
  if (environment.bytes) words += fmt::format(", {} bytes", *environment.bytes);
  return words;
}

std::string_view Name(Output output) {
  switch (output) {
    case Output::kPassed:
      return "inherited";
    case Output::kCaptured:
      return "captured";
    case Output::kDigested:
      return "hashed";
    case Output::kDiscarded:
      return "discarded";
    case Output::kClosed:
      return "closed";
  }
  return "";
}

std::string InputInWords(const Input& input) {
  switch (input.from) {
    case Input::From::kPassed:
      return "inherited";
    case Input::From::kNothing:
      return "empty";
    case Input::From::kFile:
      return Printable(input.file.string());
  }
  return "";
}

}  // namespace

Result<void> ChooseHugePages(bool wanted, Setting& setting) {
  constexpr std::string_view kTunable = "glibc.malloc.hugetlb";
  auto& tunables = setting.environment.tunables;
  std::erase_if(tunables, [&](const Variable& tunable) { return tunable.first == kTunable; });
  setting.huge_pages = wanted;
  if (!wanted) return {};
  const auto text = ReadFile("/sys/kernel/mm/transparent_hugepage/enabled", 256);
  if (!text || text->contains("[never]")) {
    return Fail(ErrorKind::kUnsupported, "this kernel does not give huge pages to programs");
  }
  tunables.emplace_back(kTunable, "1");
  return {};
}

Result<void> RequireSound(const Setting& setting) {
  const auto wrong = [](std::string message) {
    return Fail(ErrorKind::kUsage, std::move(message));
  };
  const Layout& layout = setting.layout;
  if (layout.stack_bytes % 16 != 0 || layout.stack_bytes > kMaxStackOffset) {
    return wrong(fmt::format("the stack offset must be a multiple of 16 bytes up to {}, not {}",
                             kMaxStackOffset, layout.stack_bytes));
  }
  if (layout.heap_bytes % 16 != 0 || layout.heap_bytes > kMaxMemoryOffset) {
    return wrong(fmt::format("the heap offset must be a multiple of 16 bytes up to {}, not {}",
                             kMaxMemoryOffset, layout.heap_bytes));
  }
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (layout.mapping_bytes % page != 0 || layout.mapping_bytes > kMaxMemoryOffset) {
    return wrong(fmt::format("the mapping offset must be a multiple of {} bytes up to {}, not {}",
                             page, kMaxMemoryOffset, layout.mapping_bytes));
  }
  if (setting.environment.bytes > kMaxEnvironmentBytes) {
    return wrong(fmt::format("the environment can have up to {} bytes, not {}",
                             kMaxEnvironmentBytes, *setting.environment.bytes));
  }
  if (setting.argv0_length > kMaxArgumentBytes) {
    return wrong(fmt::format("argv[0] can have up to {} bytes, not {}", kMaxArgumentBytes,
                             *setting.argv0_length));
  }
  if (setting.cwd_length > PATH_MAX) {
    return wrong(fmt::format("the name of a directory can have up to {} bytes, not {}", PATH_MAX,
                             *setting.cwd_length));
  }
  if (setting.process_id && (*setting.process_id < 2 || *setting.process_id >= kNoProcessId)) {
    return wrong(fmt::format("the process id must be between 2 and {}, not {}", kNoProcessId - 1,
                             *setting.process_id));
  }
  return {};
}

Setting WithDiscardedOutput(Setting setting) {
  setting.output = Output::kDiscarded;
  setting.errors = Output::kDiscarded;
  return setting;
}

Setting WithDigestedOutput(Setting setting) {
  setting.output = Output::kDigested;
  setting.errors = Output::kDiscarded;
  return setting;
}

std::vector<std::pair<std::string, std::string>> Describe(const Setting& setting) {
  const Environment& environment = setting.environment;
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"address randomization", setting.randomize_addresses ? "on" : "off"},
      {"environment", EnvironmentInWords(environment)},
  };
  const auto add = [&](std::string_view name, std::string value) {
    pairs.emplace_back(name, std::move(value));
  };
  for (const auto& [name, value] : environment.set) {
    add("variable set", Printable(fmt::format("{}={}", name, value)));
  }
  for (const std::string& name : environment.unset) add("variable unset", Printable(name));
  const bool controlled = !environment.uncontrolled;
  add("library dispatch",
      environment.PinsTunables() ? "common subset" : "as the processor supports");
  add("symbol binding",
      controlled && environment.bind_now ? "at startup" : "as the program specifies");
  add("hash seeds", controlled && environment.pin_seeds ? "fixed" : "unchanged");
  if (setting.argv0_length)
    add("length of argv[0]", fmt::format("{} bytes", *setting.argv0_length));
  if (setting.directory) add("directory", Printable(setting.directory->string()));
  if (setting.cwd_length)
    add("length of the directory", fmt::format("{} bytes", *setting.cwd_length));
  const Layout& layout = setting.layout;
  if (layout.stack_bytes != 0) add("stack offset", fmt::format("{} bytes", layout.stack_bytes));
  if (layout.heap_bytes != 0) add("heap offset", fmt::format("{} bytes", layout.heap_bytes));
  if (layout.mapping_bytes != 0) {
    add("mapping offset", fmt::format("{} bytes", layout.mapping_bytes));
  }
  if (setting.process_id) add("process id", fmt::format("{}", *setting.process_id));
  if (setting.huge_pages) add("huge pages", *setting.huge_pages ? "requested" : "none");
  add("core", setting.core ? fmt::format("{}", *setting.core) : "any");
  if (setting.timeout_seconds) add("timeout", fmt::format("{} s", *setting.timeout_seconds));
  add("standard input", InputInWords(setting.input));
  add("standard output", std::string(Name(setting.output)));
  add("standard error", std::string(Name(setting.errors)));
  return pairs;
}

}  // namespace tare::run
