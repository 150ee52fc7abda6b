// help.cc: help text for the terminal.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "cli/application.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/program_options.h"
#include "cli/table_ids.h"
#include "report/wrap.h"

namespace tare::cli {
namespace {

constexpr std::size_t kHelpWidth = 80;

struct Entry {
  std::string head;
  std::string text;
};

// Appends two columns: the heads, and their wrapped texts. A long head has its own line.
void AppendEntries(std::string& help, std::span<const Entry> entries) {
  constexpr std::size_t kMaxHead = 24;
  std::size_t widest = 0;
  for (const Entry& entry : entries) {
    if (entry.head.size() <= kMaxHead) widest = std::max(widest, entry.head.size());
  }
  for (const Entry& entry : entries) {
    std::string_view head = entry.head;
    if (head.size() > widest) {
      help += fmt::format("  {}\n", head);
      head = "";
    }
    for (const std::string& line : report::Wrap(entry.text, kHelpWidth - widest - 4)) {
      help += fmt::format("  {:<{}}  {}\n", head, widest, line);
      head = "";
    }
  }
}

void AppendExample(std::string& help, const Example& example) {
  for (const std::string& line : report::Wrap(example.command, kHelpWidth, "  ", "    ")) {
    help += line + "\n";
  }
  for (const std::string& line : report::Wrap(example.what, kHelpWidth, "      ", "      ")) {
    help += line + "\n";
  }
}

std::vector<Entry> FlagEntries(std::span<const FlagText> flags) {
  std::vector<Entry> entries;
  for (const FlagText& flag : flags) {
    std::string head(flag.names);
    if (const auto comma = head.find(','); comma != std::string::npos) head.insert(comma + 1, " ");
    if (!flag.value.empty()) head += fmt::format(" {}", flag.value);
    entries.push_back({std::move(head), std::string(flag.help)});
  }
  return entries;
}

std::vector<FlagText> ControlFlags() {
  std::vector<FlagText> flags;
  static const auto kRows = WithProgramFlags<ProgramOptions>({});
  for (const Flag<ProgramOptions>& flag : kRows) flags.push_back(flag.text);
  return flags;
}

// A command may describe one of these options in its own words; then it stays in its help.
bool IsControlFlag(const FlagText& flag) {
  return std::ranges::any_of(ControlFlags(), [&](const FlagText& control) {
    return control.names == flag.names && control.help == flag.help;
  });
}

std::string ControlSummary(std::span<const FlagText> flags) {
  std::string names;
  for (const FlagText& flag : flags) {
    names += (names.empty() ? "" : ", ") + std::string(LongName(flag));
  }
  return fmt::format(
      "Options that control how the program is run ('tare help control' explains "
      "them): {}.",
      names);
}

void AppendParagraphs(std::string& help, std::string_view text) {
  while (true) {
    const auto end = text.find("\n\n");
    for (const std::string& line : report::Wrap(text.substr(0, end), kHelpWidth))
      help += line + "\n";
    if (end == std::string_view::npos) return;
    help += "\n";
    text.remove_prefix(end + 2);
  }
}

}  // namespace

std::vector<std::string> Synopses(const Command& command) {
  const CommandText& text = command.text;
  const std::string start = fmt::format("{} [options]", text.name);
  std::vector<std::string> synopses;
  for (const std::string_view form : text.forms) {
    synopses.push_back(form.empty() ? start : fmt::format("{} {}", start, form));
  }
  if (!synopses.empty()) return synopses;
  synopses.push_back(start);
  if (!text.operands.names.empty()) synopses[0] += fmt::format(" {}", text.operands.names);
  if (text.takes_program) synopses[0] += " -- PROGRAM [ARGUMENT...]";
  return synopses;
}

FlagGroups FlagsOf(const Command& command) {
  FlagGroups groups;
  const std::vector<BoundFlag> own = command.bind().flags;
  for (const BoundFlag& flag : own) {
    (IsControlFlag(flag.text) ? groups.control : groups.own).push_back(flag.text);
  }
  for (const BoundFlag& flag : BindCommonFlags(std::make_shared<CommonOptions>(), own)) {
    groups.common.push_back(flag.text);
  }
  return groups;
}

std::string OverviewHelp() {
  std::string help = fmt::format(
      "tare {}: measures programs and states how far each number can be trusted\n\n"
      "Usage: tare COMMAND [options]\n\nCommands:\n",
      Version());
  std::vector<Entry> entries;
  for (const TopName& top : TopNames()) {
    entries.push_back({std::string(top.name), std::string(top.summary)});
  }
  AppendEntries(help, entries);
  help +=
      "\nEvery number comes with a unit, an interval or the word exact, and a verdict:\n"
      "valid, doubtful or refused, with the reason.\n\n"
      "'tare COMMAND --help' shows the options and examples of a command, and\n"
      "'tare help control' those that control how programs are run. Start with\n"
      "'tare doctor'.\n";
  return help;
}

std::string GroupHelp(const CommandGroup& group) {
  std::string help = fmt::format("tare {}: {}\n\nUsage: tare {} COMMAND [options]\n\n", group.name,
                                 group.summary, group.name);
  AppendParagraphs(help, group.description);
  help += "\nCommands:\n";
  std::vector<Entry> entries;
  std::string examples;
  for (const Command* command : CommandsOf(group)) {
    entries.push_back({std::string(NameInGroup(*command)), std::string(command->text.summary)});
    if (command->text.examples.empty()) continue;
    const Example& example = command->text.examples.front();
    AppendExample(examples, example);
  }
  AppendEntries(help, entries);
  help += fmt::format("\nExamples:\n{}\n'tare {} COMMAND --help' shows the options of a command.\n",
                      examples, group.name);
  return help;
}

std::string ControlHelp() {
  std::string help;
  AppendParagraphs(help,
                   "Options that control how a program is run; count, check, trace and others have "
                   "them\n\n"
                   "Usage: tare COMMAND [options] -- PROGRAM [ARGUMENT...]\n\n"
                   "Each run starts in the same setup: fixed addresses, environment, path lengths, "
                   "standard input and processor features. These options change it, to see what a "
                   "program depends on, or to repeat a setup that another command names.");
  help += "\nOptions:\n";
  const std::vector<FlagText> flags = ControlFlags();
  AppendEntries(help, FlagEntries(flags));
  return help;
}

std::string TableHelp(const Command& command) {
  std::string help;
  std::vector<Entry> entries;
  for (const TableId& table : TableIds(command.text.name)) {
    entries.push_back({std::string(table.id), WhatItIs(table)});
  }
  help += fmt::format("Tables of tare {}, for --csv and --markdown:\n", command.text.name);
  AppendEntries(help, entries);
  return help;
}

std::string CommandHelp(const Command& command) {
  const CommandText& text = command.text;
  std::string help;
  AppendParagraphs(help, fmt::format("tare {}: {}", text.name, text.summary));
  help += fmt::format("\nUsage: tare {}\n\n", fmt::join(Synopses(command), "\n       tare "));
  AppendParagraphs(help, text.description);
  const FlagGroups flags = FlagsOf(command);
  if (!flags.own.empty()) {
    help += "\nOptions:\n";
    AppendEntries(help, FlagEntries(flags.own));
  }
  if (!flags.control.empty()) {
    help += "\n";
    AppendParagraphs(help, ControlSummary(flags.control));
  }
  help += "\nOptions of all commands:\n";
  AppendEntries(help, FlagEntries(flags.common));
  if (const auto tables = TableIds(text.name); !tables.empty()) {
    std::string ids;
    for (const TableId& table : tables) ids += (ids.empty() ? "" : ", ") + std::string(table.id);
    help += "\n";
    AppendParagraphs(help, fmt::format("Tables (--list-tables explains them): {}.", ids));
  }
  if (!text.examples.empty()) {
    help += "\nExamples:\n";
    for (const Example& example : text.examples) AppendExample(help, example);
  }
  return help;
}

Result<void> WriteManualsAndCompletions(const std::filesystem::path& directory) {
  std::vector<std::pair<std::string, std::string>> files = {{"man1/tare.1", OverviewManual()},
                                                            {"bash/tare", BashCompletion()},
                                                            {"zsh/_tare", ZshCompletion()}};
  for (const CommandGroup& group : CommandGroups()) {
    files.emplace_back(fmt::format("man1/{}.1", ManualName(group.name)), GroupManual(group));
  }
  for (const Command& command : Commands()) {
    files.emplace_back(fmt::format("man1/{}.1", ManualName(command.text.name)),
                       CommandManual(command));
  }
  for (const auto& [name, bytes] : files) {
    const auto path = directory / name;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
    TRY_VOID(WriteFileAtomically(path, bytes));
  }
  return {};
}

}  // namespace tare::cli
