// help.cc: help text for the terminal.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/file.h"
#include "cli/application.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "report/wrap.h"

namespace tare::cli {
namespace {

constexpr std::size_t kHelpWidth = 90;

struct Entry {
  std::string head;
  std::string text;
};

// Appends two columns: the heads, and their wrapped texts.
void AppendEntries(std::string& help, std::span<const Entry> entries) {
  std::size_t widest = 0;
  for (const Entry& entry : entries) widest = std::max(widest, entry.head.size());
  for (const Entry& entry : entries) {
    const auto lines = report::Wrap(entry.text, kHelpWidth - widest - 4);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      help += fmt::format("  {:<{}}  {}\n", i == 0 ? entry.head : "", widest, lines[i]);
    }
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

std::string Synopsis(const Command& command) {
  std::string synopsis = fmt::format("{} [options]", command.text.name);
  if (!command.text.operands.names.empty())
    synopsis += fmt::format(" {}", command.text.operands.names);
  if (command.text.takes_program) synopsis += " -- PROGRAM [ARGUMENT...]";
  return synopsis;
}

FlagGroups FlagsOf(const Command& command) {
  FlagGroups groups;
  const std::vector<BoundFlag> own = command.bind().flags;
  for (const BoundFlag& flag : own) groups.own.push_back(flag.text);
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
      "'tare COMMAND --help' shows the options and examples of a command; start with 'tare "
      "doctor'.\n";
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
    examples += fmt::format("  {}\n      {}\n", example.command, example.what);
  }
  AppendEntries(help, entries);
  help += fmt::format("\nExamples:\n{}\n'tare {} COMMAND --help' shows the options of a command.\n",
                      examples, group.name);
  return help;
}

std::string CommandHelp(const Command& command) {
  const CommandText& text = command.text;
  std::string help =
      fmt::format("tare {}: {}\n\nUsage: tare {}\n\n", text.name, text.summary, Synopsis(command));
  AppendParagraphs(help, text.description);
  const FlagGroups flags = FlagsOf(command);
  if (!flags.own.empty()) {
    help += "\nOptions:\n";
    AppendEntries(help, FlagEntries(flags.own));
  }
  help += "\nOptions of all commands:\n";
  AppendEntries(help, FlagEntries(flags.common));
  if (!text.examples.empty()) {
    help += "\nExamples:\n";
    for (const Example& example : text.examples) {
      help += fmt::format("  {}\n      {}\n", example.command, example.what);
    }
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
