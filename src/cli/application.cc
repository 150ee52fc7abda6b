// application.cc: finds the command, runs it and hands on what it has to say.
#include "cli/application.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/provenance.h"
#include "cli/terminal.h"
#include "report/export.h"
#include "report/json.h"
#include "report/names.h"
#include "report/text.h"

namespace tare::cli {
namespace {

int Explain(std::string_view who, const Error& error) {
  fmt::print(stderr, "{}: {}\n", who, error.message);
  return ExitStatus(error.kind);
}

// What every document says of where it comes from; commands add their seed.
void AddProvenance(report::Document& document, const Command& command,
                   std::span<const std::string> words,
                   std::map<std::string, std::string> settings) {
  document.version = Version();
  document.command = command.text.name;
  const MachineNames names = ThisMachine();
  document.provenance.machine = names.machine;
  document.provenance.kernel = names.kernel;
  document.provenance.command_line = {"tare"};
  document.provenance.command_line.insert(document.provenance.command_line.end(), words.begin(),
                                          words.end());
  document.provenance.settings.merge(settings);
  document.provenance.time = TimeNow();
}

// A table or bars as text of another form.
Result<std::string> Exported(const report::Document& document, const std::string& id,
                             const auto& form) {
  std::vector<std::string_view> ids;
  for (const report::Block& block : document.blocks) {
    if (const auto* table = std::get_if<report::Table>(&block)) {
      if (table->id == id) return form(*table);
      ids.push_back(table->id);
    } else if (const auto* bars = std::get_if<report::Bars>(&block)) {
      if (bars->id == id) return form(*bars);
      ids.push_back(bars->id);
    }
  }
  return Fail(ErrorKind::kUsage, fmt::format("there is no table '{}' in this result; it has {}",
                                             Printable(id), fmt::join(ids, ", ")));
}

Result<std::string> Render(const report::Document& document, const CommonOptions& options) {
  if (!options.csv.empty()) {
    return Exported(document, options.csv, [](const auto& block) { return report::ToCsv(block); });
  }
  if (!options.markdown.empty()) {
    return Exported(document, options.markdown,
                    [](const auto& block) { return report::ToMarkdown(block); });
  }
  if (options.json) return report::ToJson(document);
  const Terminal terminal = ExamineTerminal();
  return report::ToText(
      document, {.width = terminal.width, .colour = terminal.colour, .quiet = options.quiet});
}

Result<void> CheckOutputOptions(const CommonOptions& options) {
  const int forms = int{options.json} + int{!options.csv.empty()} + int{!options.markdown.empty()};
  if (forms > 1) {
    return Fail(ErrorKind::kUsage, "--json, --csv and --markdown exclude each other; choose one");
  }
  return {};
}

// The words up to "--" are tare's, those behind it the program's.
struct SplitWords {
  std::span<const std::string> own;
  std::vector<std::string> program;
};

SplitWords Split(const Command& command, std::span<const std::string> words) {
  const auto dashes = std::ranges::find(words, "--");
  if (!command.text.takes_program || dashes == words.end()) return {words, {}};
  return {{words.begin(), dashes}, {dashes + 1, words.end()}};
}

Result<void> CheckProgram(const Command& command, const SplitWords& words) {
  if (!command.text.takes_program || !words.program.empty()) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("the program to measure is missing: tare {} [options] -- PROGRAM "
                          "[ARGUMENT...]",
                          command.text.name));
}

Result<void> CheckOperands(const Command& command, std::span<const std::string> operands) {
  if (operands.size() >= command.text.operands.least) return {};
  return Fail(ErrorKind::kUsage, fmt::format("too few words: tare {}", Synopsis(command)));
}

// A result that is saved is saved whole.
std::string OnlyBlock(const CommonOptions& options) {
  if (!options.save.empty()) return "";
  return options.csv.empty() ? options.markdown : options.csv;
}

// Text for people makes way for the program's own output.
Result<void> Deliver(const std::string& text, bool to_errors) {
  if (!to_errors) return WriteOutput(text);
  fmt::print(stderr, "{}", text);
  return {};
}

Result<int> RunCommand(const Command& command, std::span<const std::string> words) {
  const auto common = std::make_shared<CommonOptions>();
  const SplitWords split = Split(command, words.subspan(1));
  Invocation invocation = command.bind();
  for (BoundFlag& flag : BindCommonFlags(common)) invocation.flags.push_back(std::move(flag));
  auto parsed = ParseCommandLine(split.own, invocation.flags, command.text.operands.most);
  if (!parsed && command.text.takes_program && split.program.empty()) {
    parsed.error().message += "; the program to measure goes behind --";
  }
  TRY(auto given, std::move(parsed));
  if (common->help) {
    TRY_VOID(WriteOutput(CommandHelp(command)));
    return 0;
  }
  TRY_VOID(CheckOutputOptions(*common));
  TRY_VOID(CheckProgram(command, split));
  TRY_VOID(CheckOperands(command, given.operands));
  const bool machine_readable = common->json || !common->csv.empty() || !common->markdown.empty();

  WatchForInterrupt();
  Outcome outcome;
  {
    ProgressBar bar(ExamineTerminal().errors_are_terminal && !common->quiet);
    Session session{[&bar](double fraction, std::string_view what) {
                      bar.Show(fraction, what);
                      return !Interrupted();
                    },
                    split.program,
                    given.operands,
                    machine_readable,
                    OnlyBlock(*common),
                    Interrupted};
    TRY(outcome, invocation.run(session));
  }
  CHECK(report::NameFault(outcome.document).empty());
  AddProvenance(outcome.document, command, words, std::move(given.settings));
  TRY(const std::string text, Render(outcome.document, *common));
  if (!common->save.empty()) {
    TRY_VOID(WriteFileAtomically(common->save, report::ToJson(outcome.document)));
  }
  TRY_VOID(Deliver(text, outcome.beside_program && !machine_readable));
  return outcome.exit_status;
}

std::unexpected<Error> UnknownCommand(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.text.name);
  std::string advice = DidYouMean(name, names);
  if (advice.empty()) advice = "; tare --help lists them";
  return Fail(ErrorKind::kUsage, fmt::format("unknown command '{}'{}", Printable(name), advice));
}

// `tare help [COMMAND]`.
Result<void> Help(std::span<const std::string> words) {
  if (words.empty()) return WriteOutput(OverviewHelp());
  if (const Command* command = FindCommand(words.front()))
    return WriteOutput(CommandHelp(*command));
  return UnknownCommand(words.front());
}

Result<int> Dispatch(std::span<const std::string> words) {
  const std::string first = words.empty() ? "--help" : words.front();
  if (first == "--version") {
    TRY_VOID(WriteOutput(fmt::format("tare {}\n", Version())));
    return 0;
  }
  if (first == "--help" || first == "-h" || first == "help") {
    TRY_VOID(Help(words.empty() ? words : words.subspan(1)));
    return words.empty() ? 2 : 0;
  }
  // For the build: not part of the help.
  if (first == "--write-manuals" && words.size() == 2) {
    TRY_VOID(WriteManualsAndCompletions(words[1]));
    return 0;
  }
  if (const Command* command = FindCommand(first)) return RunCommand(*command, words);
  return UnknownCommand(first);
}

}  // namespace

std::string_view Version() { return TARE_VERSION; }

int RunApplication(std::span<char* const> arguments) {
  const std::vector<std::string> words(
      arguments.empty() ? arguments.begin() : arguments.begin() + 1, arguments.end());
  const Result<int> status = Dispatch(words);
  if (status) return *status;
  const bool known = !words.empty() && FindCommand(words.front()) != nullptr;
  return Explain(known ? fmt::format("tare {}", words.front()) : "tare", status.error());
}

}  // namespace tare::cli
