// application.cc: finds the command, runs it and writes its document.
#include "cli/application.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <optional>
#include <ranges>
#include <string>
#include <system_error>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/json_checksum.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/stop.h"
#include "cli/cells.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/failed_events.h"
#include "cli/help.h"
#include "cli/provenance.h"
#include "cli/result_files.h"
#include "cli/sources.h"
#include "cli/table_ids.h"
#include "cli/terminal.h"
#include "report/export.h"
#include "report/json.h"
#include "report/names.h"
#include "report/text.h"
#include "report/wrap.h"

namespace tare::cli {
namespace {

// Each line of the text, with two spaces before what continues it.
std::string Wrapped(std::string_view text, std::size_t width) {
  std::string wrapped;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (const auto line : std::views::split(text, '\n')) {
    for (const std::string& part : report::Wrap(std::string_view(line), width, "", "  ")) {
      wrapped += part + '\n';
    }
  }
  return wrapped;
}

int Explain(std::string_view who, const Error& error) {
  // Libraries escape what they quote; this covers a message that does not.
  std::string text;
  for (const auto line : std::views::split(error.message, '\n')) {
    text += Printable(std::string_view(line)) + '\n';
  }
  text = fmt::format("{}: {}", who, text);
  // Programs that read the message get it on one line.
  if (const Terminal terminal = ExamineTerminal(); terminal.errors_are_terminal) {
    text = Wrapped(text, terminal.width);
  }
  WriteErrors(text);
  return error.kind == ErrorKind::kInterrupted ? StopStatus() : ExitStatus(error.kind);
}

// Adds the provenance that every document has, and the sources of its numbers; commands add their
// seed.
void AddProvenance(report::Document& document, const Command& command,
                   std::span<const std::string> words,
                   std::map<std::string, std::string> settings) {
  document.version = Version();
  document.command = command.text.name;
  AddSources(document);
  const MachineNames names = ThisMachine();
  document.provenance.machine = names.machine;
  document.provenance.kernel = names.kernel;
  document.provenance.command_line = {"tare"};
  document.provenance.command_line.insert(document.provenance.command_line.end(), words.begin(),
                                          words.end());
  document.provenance.settings.merge(settings);
  document.provenance.time = TimeNow();
}

// Events that failed the self-test of this machine make their numbers doubtful.
void MarkBySelfTest(Outcome& outcome) {
  if (outcome.sources.empty()) return;
  const CountedBy counted{outcome.sources, outcome.sources_of_block, outcome.needed_events};
  const StoredSelfTest stored = ReadSelfTest();
  for (report::Document* document :
       {&outcome.document, outcome.saved ? &*outcome.saved : nullptr}) {
    if (document == nullptr) continue;
    if (stored.verdicts) MarkFailedEvents(*document, *stored.verdicts, counted);
    if (stored.damage) AddCaveats(*document, std::span(&*stored.damage, 1));
  }
}

template <typename Kind>
concept Exportable = requires(const Kind& block) { report::ToCsv(block); };

// A block with numbers, exported as text by `form`.
Result<std::string> Exported(const report::Document& document, const std::string& id,
                             const auto& form) {
  std::vector<std::string_view> ids;
  std::optional<std::string> text;
  for (const report::Block& block : document.blocks) {
    std::visit(
        [&]<typename Kind>(const Kind& part) {
          if constexpr (Exportable<Kind>) {
            if (part.id == id) text = form(part);
            ids.push_back(part.id);
          }
        },
        block);
  }
  if (text) return *std::move(text);
  return Fail(ErrorKind::kUsage, fmt::format("this result has no table '{}'; its tables are {}",
                                             Printable(id), fmt::join(ids, ", ")));
}

// "-" is the first table of the command's list that the document has.
std::string TableNamed(const report::Document& document, const std::string& id) {
  if (id != "-") return id;
  for (const TableId& table : TableIds(document.command)) {
    if (report::FindTable(document, table.id) != nullptr) return std::string(table.id);
  }
  return id;
}

// The tables of the document that only --verbose shows.
std::vector<std::string> TablesLeftOut(const report::Document& document,
                                       const std::vector<std::string>& details) {
  std::vector<std::string> ids;
  for (const std::string& id : details) {
    const bool there = std::ranges::any_of(document.blocks, [&](const report::Block& block) {
      return std::visit([&](const auto& part) { return part.id == id; }, block);
    });
    if (there && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

// `has_page`: the page or plot that was asked for is written, so that text can be brief.
Result<std::string> Render(const Outcome& outcome, const CommonOptions& options, bool verbose,
                           bool has_page) {
  const report::Document& document = outcome.document;
  if (!options.csv.empty()) {
    return Exported(document, TableNamed(document, options.csv),
                    [](const auto& block) { return report::ToCsv(block); });
  }
  if (!options.markdown.empty()) {
    return Exported(document, TableNamed(document, options.markdown),
                    [](const auto& block) { return report::ToMarkdown(block); });
  }
  if (options.json) return report::ToJson(document);
  const Terminal terminal = ExamineTerminal();
  // Two screens.
  constexpr std::size_t kMaxLines = 50;
  report::Document shown = report::Without(document, outcome.not_in_text);
  std::vector<std::string> left_out;
  if (!verbose) {
    shown = report::Without(std::move(shown), outcome.details);
    left_out = TablesLeftOut(document, outcome.details);
  }
  if (has_page) shown = BriefResult(std::move(shown), options);
  return report::ToText(shown, {.width = terminal.width,
                                .colour = terminal.colour,
                                .quiet = options.quiet || outcome.only_blocks,
                                .brief = !verbose,
                                .max_lines = verbose ? 0 : kMaxLines,
                                .keep_blocks = outcome.keep_blocks,
                                .left_out = std::move(left_out)});
}

Result<void> CheckOutputOptions(const Command& command, const CommonOptions& options,
                                const std::map<std::string, std::string>& given) {
  const int forms = int{options.json} + int{!options.csv.empty()} + int{!options.markdown.empty()};
  if (forms > 1) {
    return Fail(ErrorKind::kUsage, "--json, --csv and --markdown cannot be combined; choose one");
  }
  for (const std::string* id : {&options.csv, &options.markdown}) {
    if (!id->empty()) TRY_VOID(CheckTableId(command.text.name, *id, given));
  }
  // --figure alone is another mistake.
  if (options.figure.empty() || options.svg.empty()) return {};
  return CheckFigureId(command.text.name, options.figure, given);
}

// Words before "--" are tare's; words after it are the program's.
struct SplitWords {
  std::span<const std::string> own;
  std::vector<std::string> program;
};

SplitWords Split(const Command& command, std::span<const std::string> words) {
  const auto dashes = std::ranges::find(words, "--");
  if (!command.text.takes_program || dashes == words.end()) return {words, {}};
  return {{words.begin(), dashes}, {dashes + 1, words.end()}};
}

Result<GivenWords> ParseWords(const Command& command, const SplitWords& split,
                              std::span<const BoundFlag> flags) {
  auto parsed = ParseCommandLine(split.own, flags, command.text.operands.max);
  const bool quoted = command.text.operands.names.starts_with("COMMAND");
  const auto is_foreign = [](const std::string& message) {
    return message.starts_with("unknown option") && !message.contains("; did you mean ");
  };
  if (!parsed && quoted && is_foreign(parsed.error().message)) {
    return Fail(parsed.error().kind,
                fmt::format("{}; quote each command: tare {} 'A args' 'B args'",
                            parsed.error().message, command.text.name));
  }
  const bool needs_program = command.text.takes_program && !command.text.may_lack_program;
  if (parsed || !needs_program || !split.program.empty()) return parsed;
  return Fail(parsed.error().kind,
              parsed.error().message + "; put the program to measure after --");
}

Result<void> CheckProgram(const Command& command, const SplitWords& words) {
  if (!command.text.takes_program || !words.program.empty()) return {};
  if (command.text.may_lack_program) return {};
  return ProgramMissing(command.text.name);
}

Result<void> CheckOperands(const Command& command, std::span<const std::string> operands) {
  if (operands.size() >= command.text.operands.min) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("missing operand; usage: tare {}", Synopses(command).front()));
}

// A saved result is always complete.
std::string OnlyBlock(const CommonOptions& options) {
  if (!options.save.empty() || WritesFiles(options)) return "";
  if (options.csv == "-" || options.markdown == "-") return "";
  return options.csv.empty() ? options.markdown : options.csv;
}

// With `to_errors`, text for people goes to standard error, to leave standard output to the
// program.
Result<void> Deliver(const std::string& text, bool to_errors) {
  if (!to_errors) return WriteOutput(text);
  // If standard error cannot be written, the report is lost but the program's exit status is kept.
  WriteErrors(text);
  return {};
}

// The first `name_words` of `words` name the command.
Result<int> RunCommand(const Command& command, std::span<const std::string> words,
                       std::size_t name_words) {
  const auto common = std::make_shared<CommonOptions>();
  const SplitWords split = Split(command, words.subspan(name_words));
  Invocation invocation = command.bind();
  for (BoundFlag& flag : BindCommonFlags(common, invocation.flags)) {
    invocation.flags.push_back(std::move(flag));
  }
  TRY(auto given, ParseWords(command, split, invocation.flags));
  if (common->help) {
    TRY_VOID(WriteOutput(CommandHelp(command)));
    return 0;
  }
  if (common->list_tables) {
    TRY_VOID(WriteOutput(TableHelp(command)));
    return 0;
  }
  TRY_VOID(CheckOutputOptions(command, *common, given.settings));
  TRY_VOID(CheckProgram(command, split));
  TRY_VOID(CheckOperands(command, given.operands));
  TRY_VOID(CheckFileOptions(*common));
  const bool machine_readable = common->json || !common->csv.empty() || !common->markdown.empty();
  const bool verbose = given.settings.contains("verbose");

  WatchForStop();
  Outcome outcome;
  {
    ProgressBar bar(ExamineTerminal().errors_are_terminal && !common->quiet);
    Session session{[&bar](double fraction, std::string_view what) {
                      bar.Show(fraction, what);
                      return !IsStopAsked();
                    },
                    split.program,
                    given.operands,
                    machine_readable || WritesFiles(*common),
                    !common->save.empty(),
                    verbose,
                    OnlyBlock(*common),
                    machine_readable,
                    IsStopAsked,
                    [&](std::string_view text) {
                      if (common->quiet) return;
                      bar.Wipe();
                      const std::string said = fmt::format("tare {}: {}", command.text.name, text);
                      fmt::print(stderr, "{}", Wrapped(said, ExamineTerminal().width));
                    }};
    TRY(outcome, invocation.run(session));
  }
  CHECK(report::NameFault(outcome.document).empty());
  MarkBySelfTest(outcome);
  if (outcome.saved) AddProvenance(*outcome.saved, command, words, given.settings);
  AddProvenance(outcome.document, command, words, std::move(given.settings));
  // A file that cannot be written does not lose the report.
  Result<void> saved;
  if (!common->save.empty()) {
    saved = WriteFileAtomically(
        common->save, WithChecksum(report::ToJson(outcome.saved.value_or(outcome.document))));
  }
  const Result<void> shown = WriteResultFiles(outcome.document, *common);
  TRY(const std::string text,
      Render(outcome, *common, verbose, WritesFiles(*common) && shown.has_value()));
  TRY_VOID(Deliver(text, outcome.beside_program && !machine_readable));
  TRY_VOID(saved);
  TRY_VOID(shown);
  // Whatever asked tare to stop reached the program as SIGINT.
  const bool was_stopped = IsStopAsked() && outcome.exit_status == 128 + SIGINT;
  return was_stopped ? StopStatus() : outcome.exit_status;
}

std::unexpected<Error> UnknownCommand(std::string_view name,
                                      std::span<const std::string_view> names,
                                      std::string_view lists_them) {
  std::string advice = DidYouMean(name, names);
  if (advice.empty()) advice = fmt::format("; {} lists the commands", lists_them);
  return Fail(ErrorKind::kUsage,
              fmt::format("unknown {} '{}'{}", name.starts_with('-') ? "option" : "command",
                          Printable(name), advice));
}

// The error for a command that does not exist; `words` must not be empty.
std::unexpected<Error> UnknownCommand(std::span<const std::string> words) {
  const Named named = FindNamed(words);
  std::vector<std::string_view> names;
  if (named.group == nullptr) {
    for (const TopName& top : TopNames()) names.push_back(top.name);
    for (const std::string_view option : {"--help", "--version"}) names.push_back(option);
    return UnknownCommand(words.front(), names, "tare --help");
  }
  for (const Command* command : CommandsOf(*named.group)) names.push_back(NameInGroup(*command));
  return UnknownCommand(words[1], names, fmt::format("tare {} --help", named.group->name));
}

// `tare help [COMMAND]`.
Result<void> Help(std::span<const std::string> words) {
  if (words.empty()) return WriteOutput(OverviewHelp());
  if (words.size() == 1 && words.front() == "control") return WriteOutput(ControlHelp());
  const Named named = FindNamed(words);
  if (named.command != nullptr) return WriteOutput(CommandHelp(*named.command));
  if (named.group != nullptr && words.size() == 1) return WriteOutput(GroupHelp(*named.group));
  return UnknownCommand(words);
}

bool IsHelpRequest(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

// Handles the name of a group without one of its commands.
Result<int> RunGroup(const CommandGroup& group, std::span<const std::string> words) {
  if (words.size() == 1) {
    TRY_VOID(WriteOutput(GroupHelp(group)));
    return ExitStatus(ErrorKind::kUsage);
  }
  if (!IsHelpRequest(words[1])) return UnknownCommand(words);
  std::vector<std::string> topic = {words[0]};
  topic.insert(topic.end(), words.begin() + 2, words.end());
  TRY_VOID(Help(topic));
  return 0;
}

Result<int> Dispatch(std::span<const std::string> words) {
  const std::string first = words.empty() ? "--help" : words.front();
  if (first == "--version") {
    TRY_VOID(WriteOutput(fmt::format("tare {}\n", Version())));
    return 0;
  }
  if (IsHelpRequest(first)) {
    TRY_VOID(Help(words.empty() ? words : words.subspan(1)));
    return words.empty() ? ExitStatus(ErrorKind::kUsage) : 0;
  }
  // For the build; not part of the help.
  if (first == "--write-manuals" && words.size() == 2) {
    TRY_VOID(WriteManualsAndCompletions(words[1]));
    return 0;
  }
  const Named named = FindNamed(words);
  if (named.command != nullptr) return RunCommand(*named.command, words, named.words);
  if (named.group != nullptr) return RunGroup(*named.group, words);
  return UnknownCommand(words);
}

// What the standard library throws when the system refuses memory or a thread.
Result<int> DispatchSafely(const std::vector<std::string>& words) {
  try {
    return Dispatch(words);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorKind::kUnsupported, "not enough memory");
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported, fmt::format("the system refuses: {}", error.what()));
  }
}

}  // namespace

std::string_view Version() { return TARE_VERSION; }

int RunApplication(std::span<char* const> arguments) {
  ReserveStandardDescriptors();
  const std::vector<std::string> words(
      arguments.empty() ? arguments.begin() : arguments.begin() + 1, arguments.end());
  const Result<int> status = DispatchSafely(words);
  if (status) return *status;
  std::string who = "tare";
  const Named named = FindNamed(words);
  for (std::size_t i = 0; i < named.words; ++i) who += " " + words[i];
  return Explain(who, status.error());
}

}  // namespace tare::cli
