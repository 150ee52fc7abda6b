// wrapper_options.cc: parses the first argument and the options that start with --tare-.
#include "compiler/wrapper/wrapper_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare::wrapper {
namespace {

constexpr std::string_view kOwn = "--tare-";
constexpr std::array<std::string_view, 8> kOptions = {
    "--tare-placement", "--tare-metrics", "--tare-compiler", "--tare-only",
    "--tare-blocks",    "--tare-stream",  "--tare-show",     "--tare-help"};

Result<std::uint64_t> PlacementOf(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return Fail(ErrorKind::kUsage, fmt::format("{} is {}; it must be a number, 0 for none", what,
                                             text.empty() ? "empty" : Printable(text)));
}

Result<void> ReadOwnOption(std::string_view argument, WrapperOptions& options) {
  const std::size_t equals = argument.find('=');
  const std::string_view name = argument.substr(0, equals);
  const bool has_value = equals != std::string_view::npos;
  const std::string value(has_value ? argument.substr(equals + 1) : "");
  if (name == "--tare-metrics" || name == "--tare-compiler") {
    if (value.empty()) {
      return Fail(ErrorKind::kUsage, fmt::format("{0} needs a value: {0}={1}", name,
                                                 name == "--tare-metrics" ? "FILE" : "COMPILER"));
    }
    (name == "--tare-metrics" ? options.metrics : options.compiler) = value;
    return {};
  }
  if (name == "--tare-only") {
    if (value.empty()) {
      return Fail(ErrorKind::kUsage, "--tare-only needs the name of a metric: --tare-only=NAME");
    }
    options.only.push_back(value);
    return {};
  }
  if (name == "--tare-placement") {
    TRY(options.placement, PlacementOf(value, name));
    return {};
  }
  if (name == "--tare-stream") {
    if (has_value && value != "blocks" && value != "addresses") {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--tare-stream={}: expected blocks or addresses", Printable(value)));
    }
    options.stream =
        value == "blocks" ? format::StreamContent::kBlocks : format::StreamContent::kAddresses;
    return {};
  }
  bool* flag = name == "--tare-blocks" ? &options.blocks
               : name == "--tare-show" ? &options.show
                                       : nullptr;
  if (name != "--tare-help" && flag == nullptr) {
    return Fail(ErrorKind::kUsage,
                fmt::format("unknown option {}{}", Printable(name), DidYouMean(name, kOptions)));
  }
  if (has_value) return Fail(ErrorKind::kUsage, fmt::format("{} takes no value", name));
  if (flag == nullptr) {
    options.mode = Mode::kHelp;
  } else {
    *flag = true;
  }
  return {};
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

Result<Mode> FirstMode(const WrapperEnvironment& environment) {
  if (environment.wrapper.empty() || environment.wrapper == "on") return Mode::kClang;
  if (environment.wrapper == "off") return Mode::kOff;
  if (environment.wrapper == "gcc") return Mode::kGcc;
  return Fail(ErrorKind::kUsage, fmt::format("TARE_WRAPPER is {}; it must be on, off or gcc",
                                             Printable(environment.wrapper)));
}

}  // namespace

Result<WrapperOptions> ParseWrapperOptions(std::string_view called,
                                           std::span<const std::string> arguments,
                                           const WrapperEnvironment& environment) {
  WrapperOptions options;
  options.cxx = called.contains("++");
  options.metrics = environment.metrics;
  if (!environment.placement.empty()) {
    TRY(options.placement, PlacementOf(environment.placement, "TARE_PLACEMENT"));
  }
  TRY(options.mode, FirstMode(environment));
  bool gcc = options.mode == Mode::kGcc;
  if (!arguments.empty() && arguments[0] == "--gcc") {
    gcc = true;
    if (options.mode == Mode::kClang) options.mode = Mode::kGcc;
    arguments = arguments.subspan(1);
  } else if (!arguments.empty() && arguments[0] == "--list") {
    options.mode = Mode::kList;
    arguments = arguments.subspan(1);
  }
  for (const std::string& argument : arguments) {
    if (argument.starts_with(kOwn)) {
      TRY_VOID(ReadOwnOption(argument, options));
    } else {
      options.compiler_arguments.push_back(argument);
    }
  }
  // The command line has precedence over the environment.
  if (options.only.empty()) options.only = LinesOf(environment.only);
  if (options.compiler.empty()) options.compiler = gcc ? environment.gcc : environment.clang;
  if (options.compiler.empty() && gcc) options.compiler = options.cxx ? "g++" : "gcc";
  if (options.compiler.empty()) options.compiler = options.cxx ? "clang++-19" : "clang-19";
  return options;
}

std::string WrapperHelp() {
  return R"(tare-cc, tare-c++: clang 19 that adds counters to the program it builds

  tare-cc [--gcc] [--tare-...] ARGUMENTS OF clang OR gcc
  tare-cc --list SOURCE... [ARGUMENTS OF clang]
  tare-cc --list PROGRAM

Use it in place of the compiler: make CC=tare-cc, CC=tare-cc ./configure,
cmake -DCMAKE_C_COMPILER=tare-cc. A TOML file states what to count; see
docs/formats/metrics.md. tare trace and tare count read the counts.

  --tare-metrics=FILE       metrics to count (default: TARE_METRICS)
  --tare-only=NAME          count only this metric of the file; repeatable
                            (default: TARE_ONLY, one name per line)
  --tare-placement=N        place functions at other addresses, different for
                            each number N (default: TARE_PLACEMENT)
  --tare-blocks             count the executions of all basic blocks
  --tare-stream=WHAT        write a stream of its blocks (blocks), or also of
                            the addresses that they access (addresses, the
                            default)
  --tare-compiler=COMPILER  another clang 19 or gcc (default: TARE_CLANG or
                            TARE_GCC)
  --tare-show               print the command instead of running it
  --tare-help               print this text
  --list                    as first argument: list what can be counted
  --gcc                     as first argument: use gcc; counts only function
                            calls

TARE_WRAPPER=off runs the plain compiler, TARE_WRAPPER=gcc is like --gcc.
)";
}

}  // namespace tare::wrapper
