// compare_options.cc: from the command line to a request.
#include "cli/commands/compare/compare_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "analysis/compare/command_words.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/shell_words.h"
#include "cli/cells.h"
#include "cli/commands/count/count_options.h"

namespace tare::cli {
namespace {

constexpr std::uint64_t kMaxInputBytes = std::uint64_t{64} << 20;

std::vector<std::string> UniqueLabels(std::vector<std::string> labels) {
  std::vector<std::string> unique;
  for (std::string& label : labels) {
    std::string candidate = label;
    for (int i = 2; std::ranges::find(unique, candidate) != unique.end(); ++i) {
      candidate = fmt::format("{} ({})", label, i);
    }
    unique.push_back(candidate);
  }
  return unique;
}

// The content of each argument that names a file, in order.
std::vector<std::string> InputFilesOf(const run::ResolvedProgram& program) {
  std::vector<std::string> contents;
  for (std::size_t i = 1; i < program.arguments.size(); ++i) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(program.arguments[i], ignored)) continue;
    contents.push_back(ReadFile(program.arguments[i], kMaxInputBytes).value_or(""));
  }
  return contents;
}

void CompareInputs(const std::vector<compare::ComparedCommand>& commands,
                   std::vector<Caveat>& caveats) {
  const auto first = InputFilesOf(commands.front().programs.front());
  for (const auto& command : commands) {
    const auto other = InputFilesOf(command.programs.front());
    if (other.size() != first.size() || other == first) continue;
    caveats.push_back(
        {CaveatId::kInputsDiffer, fmt::format("'{}' and '{}'", Printable(commands.front().label),
                                              Printable(command.label))});
    return;
  }
}

// Counted runs have paths of the same length.
void AlignPaths(std::vector<compare::ComparedCommand>& commands) {
  std::size_t longest = 0;
  for (const auto& command : commands) {
    longest = std::max(longest, command.counted.argv0_length.value_or(0));
  }
  for (auto& command : commands) command.counted.argv0_length = longest;
}

// What a user's own run would have: only what is asked for is changed.
run::Setting NaturalSetting(const CompareOptions& options, const ReadyProgram& ready) {
  run::Setting setting = ready.setting;
  setting.environment.uncontrolled = true;
  setting.environment.sorted = false;
  if (!options.argv0_length) setting.argv0_length.reset();
  setting.output = run::Output::kDiscarded;
  setting.errors = run::Output::kDiscarded;
  return setting;
}

Result<void> AddCommand(const CompareOptions& options, Session session, const GivenCommand& given,
                        ReadyComparison& ready) {
  auto& commands = ready.request.plan.commands;
  session.program = given.words;
  session.discards_output = true;  // every run is silent
  CompareOptions own = options;
  // Standard input is read once, for the first command.
  if (!commands.empty() && own.input.empty()) own.input = "/dev/null";
  TRY(auto program, Prepare(own, session));
  if (!commands.empty()) program.setting.input = commands.front().timed.input;
  if (program.spool) ready.spool.emplace(*std::move(program.spool));
  ready.request.count.engine_seconds = program.engine_seconds;
  compare::ComparedCommand command;
  command.label = given.label;
  command.programs = {program.program};
  command.timed = NaturalSetting(options, program);
  command.counted = run::WithDiscardedOutput(program.setting);
  commands.push_back(std::move(command));
  return {};
}

// The commands of both directories, each in several builds.
Result<void> AddBuilds(const CompareOptions& options, Session& session, ReadyComparison& ready) {
  compare::BuildPlan plan;
  plan.directories = options.builds;
  plan.command = options.build;
  plan.words = session.program;
  plan.builds = static_cast<std::size_t>(
      std::clamp<std::int64_t>(options.placements.value_or(compare::kDefaultBuilds), 1, 64));
  plan.seed = ready.request.plan.seed;
  plan.interrupted = session.interrupted;
  TRY(auto builds, compare::ProgramBuilds::Make(plan, session.progress));
  for (std::size_t i = 0; i < plan.directories.size(); ++i) {
    GivenCommand given{fmt::format("{}: {}", plan.directories[i], fmt::join(session.program, " ")),
                       builds.Words(i, 0)};
    TRY_VOID(AddCommand(options, session, given, ready));
    auto& command = ready.request.plan.commands.back();
    for (std::size_t build = 1; build < plan.builds; ++build) {
      TRY(auto program, run::Resolve({builds.Words(i, build)}));
      command.programs.push_back(std::move(program));
    }
  }
  ready.request.plan.variation.builds = plan.builds;
  ready.builds.emplace(std::move(builds));
  return {};
}

Result<void> CheckCombinations(const CompareOptions& options, const Session& session) {
  const auto wrong = [](std::string text) { return Fail(ErrorKind::kUsage, std::move(text)); };
  const bool builds = !options.builds.empty();
  if (builds && options.build.empty()) return wrong("--builds requires --build COMMAND");
  if (!builds && !options.build.empty()) return wrong("--build requires --builds OLD NEW");
  if (builds && session.program.empty()) {
    return wrong("--builds requires the program to run, after --");
  }
  if (builds && !session.operands.empty()) {
    return wrong("--builds takes one program after --, and no commands");
  }
  if (builds && options.fixed_layout)
    return wrong("--builds and --fixed-layout cannot be combined");
  if (!options.baseline.empty() && !options.resume.empty()) {
    return wrong("--baseline and --resume cannot be combined");
  }
  if (options.of == "counts" && options.no_counts) {
    return wrong("--of counts and --no-counts cannot be combined");
  }
  if (options.runs && *options.runs < 1) return wrong("--runs: expected at least 1");
  if (options.placements && (*options.placements < 6 || *options.placements > 64)) {
    return wrong("--placements: expected 6 to 64");
  }
  return {};
}

// How to write the command that follows the only "--" with an option of its own.
std::unexpected<Error> NotQuoted(const CompareOptions& options, const Session& session) {
  const std::string command = ShellLine(session.program);
  if (session.operands.empty() && options.baseline.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("only one command is given; write -- before each: tare compare -- {} -- "
                    "PROGRAM [ARGUMENT...]",
                    Printable(command)));
  }
  std::vector<std::string> quoted = session.operands;
  quoted.push_back(command);
  const std::string baseline = options.baseline.empty() ? "" : "--baseline FILE ";
  return Fail(ErrorKind::kUsage, fmt::format("quote each command: tare compare {}{}", baseline,
                                             Printable(ShellLine(quoted))));
}

// The commands after "--": quoted ones, or the words of several with "--" between them.
Result<std::vector<std::string>> CommandsAfterDashes(const CompareOptions& options,
                                                     const Session& session) {
  const std::vector<std::string>& words = session.program;
  if (std::ranges::find(words, "--") == words.end()) {
    const bool is_option = words.size() > 1 && words[1].starts_with('-');
    if (!is_option) return words;
    return NotQuoted(options, session);
  }
  std::vector<std::string> commands;
  for (const auto part : std::views::split(words, std::string("--"))) {
    if (part.empty()) return Fail(ErrorKind::kUsage, "there is no command between -- and --");
    commands.push_back(ShellLine(std::vector<std::string>(part.begin(), part.end())));
  }
  return commands;
}

}  // namespace

Result<double> ParsePercentage(const char* option, const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  auto [after, error] = std::from_chars(text.data(), end, number);
  while (after != end && *after == ' ') ++after;
  if (after != end && *after == '%') ++after;
  if (error == std::errc() && after == end && number > 0 && number < 100) return number / 100;
  return Fail(ErrorKind::kUsage, fmt::format("{} {}: expected a percentage above 0 and below 100, "
                                             "such as 1%",
                                             option, Printable(text)));
}

Result<std::vector<GivenCommand>> GivenCommands(const CompareOptions& options,
                                                const Session& session) {
  std::vector<std::string> texts = session.operands;
  TRY(const auto after, CommandsAfterDashes(options, session));
  texts.insert(texts.end(), after.begin(), after.end());
  if (!options.parameter.empty()) {
    TRY(const auto parameter,
        compare::ParseParameter(options.parameter.front(), options.parameter.back()));
    TRY(texts, compare::WithParameter(texts, parameter));
  }
  const std::size_t least = options.baseline.empty() ? 2 : 1;
  if (texts.size() < least) {
    return Fail(ErrorKind::kUsage,
                "at least two commands are needed, each quoted: tare compare 'A args' 'B args'");
  }
  const auto labels = UniqueLabels(texts);
  std::vector<GivenCommand> commands;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    GivenCommand given{labels[i], {"/bin/sh", "-c", texts[i]}};
    if (!options.shell) {
      TRY(given.words, compare::SplitCommand(texts[i]));
    }
    commands.push_back(std::move(given));
  }
  return commands;
}

Result<ReadyComparison> PrepareComparison(const CompareOptions& options, Session& session) {
  TRY_VOID(CheckCombinations(options, session));
  ReadyComparison ready;
  compare::CompareRequest& request = ready.request;
  if (!options.detect.empty()) {
    TRY(request.detect, ParsePercentage("--detect", options.detect));
  }
  if (!options.gate.empty()) {
    TRY(const double gate, ParsePercentage("--gate", options.gate));
    // As precise as the gate needs.
    if (options.detect.empty()) request.detect = std::min(request.detect, gate / 2);
  }
  TRY(request.confidence, Confidence(options.confidence));
  request.plan.seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  request.plan.prepare = options.prepare;
  TRY(request.plan.events, SelectEvents(options.events));
  request.plan.ignore_failure = options.ignore_failure;
  request.plan.interrupted = session.interrupted;
  request.plan.variation.directory = !options.cwd_length;
  request.fixed_layout = options.fixed_layout;
  request.times = options.of != "counts";
  request.counts = !options.no_counts && options.of != "time";
  if (options.budget) request.budget_seconds = options.budget->seconds;
  if (options.runs) request.runs = static_cast<std::size_t>(*options.runs);
  request.warm_up_rounds = static_cast<std::size_t>(options.warm_up.value_or(0));
  request.setup = options.setup;
  request.cleanup = options.cleanup;
  request.notice = session.notice;
  request.count.files = host::FindEngineFiles();
  request.count.interrupted = session.interrupted;
  if (!options.machine.empty()) {
    TRY(request.count.processor, ChooseProcessor(options.machine));
  }
  if (options.builds.empty()) {
    TRY(const auto commands, GivenCommands(options, session));
    for (const GivenCommand& given : commands) {
      TRY_VOID(AddCommand(options, session, given, ready));
    }
  } else {
    TRY_VOID(AddBuilds(options, session, ready));
  }
  CompareInputs(request.plan.commands, ready.caveats);
  AlignPaths(request.plan.commands);
  if (options.control && request.times) {
    request.has_control = true;
    compare::ComparedCommand control = request.plan.commands.front();
    control.label += " (control)";
    request.plan.commands.push_back(std::move(control));
  }
  return ready;
}

}  // namespace tare::cli
