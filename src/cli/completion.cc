// completion.cc: completion for bash and zsh from the same rows as help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/help.h"

namespace tare::cli {
namespace {

std::vector<FlagText> AllFlags(const Command& command) {
  FlagGroups groups = FlagsOf(command);
  groups.own.insert(groups.own.end(), groups.common.begin(), groups.common.end());
  return groups.own;
}

std::vector<std::string_view> CommandNames() {
  std::vector<std::string_view> names;
  for (const Command& command : Commands()) names.push_back(command.text.name);
  return names;
}

// Inside '...[...]' of zsh's _arguments these characters have a meaning.
std::string ZshText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    if (c == '\'') {
      safe += "'\\''";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string ZshFlag(const FlagText& flag) {
  std::string value;
  if (!flag.choices.empty()) {
    value = fmt::format(":{}:({})", ZshText(flag.value), fmt::join(flag.choices, " "));
  } else if (flag.value == "FILE") {
    value = ":file:_files";
  } else if (!flag.value.empty()) {
    const auto words = std::ranges::count(flag.value, ' ') + 1;
    for (auto i = 0; i < words; ++i) value += fmt::format(":{}:", ZshText(flag.value));
  }
  return fmt::format("'{}[{}]{}'", LongName(flag), ZshText(flag.help), value);
}

}  // namespace

std::string BashCompletion() {
  std::string commands;
  for (const Command& command : Commands()) {
    std::vector<std::string_view> names;
    std::string values;
    for (const FlagText& flag : AllFlags(command)) {
      names.push_back(LongName(flag));
      if (!flag.choices.empty()) {
        values += fmt::format("        {}) words='{}' ;;\n", LongName(flag),
                              fmt::join(flag.choices, " "));
      } else if (flag.value == "FILE") {
        values += fmt::format("        {}) compopt -o default; return ;;\n", LongName(flag));
      } else if (!flag.value.empty()) {
        values += fmt::format("        {}) return ;;\n", LongName(flag));
      }
    }
    // Words besides the options are files.
    const std::string_view files = command.text.operands.most > 0
                                       ? "      case $word in -*) ;; *) compopt -o default; "
                                         "return ;; esac ;;\n"
                                       : "      ;;\n";
    commands += fmt::format("    {})\n      words='{}'\n      case $before in\n{}      esac\n{}",
                            command.text.name, fmt::join(names, " "), values, files);
  }
  return fmt::format(
      "# Completion of tare for bash; made from the command table.\n"
      "_tare() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    words='{} --help --version'\n"
      "  else\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "  fi\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "}}\n"
      "complete -F _tare tare\n",
      fmt::join(CommandNames(), " "), commands);
}

std::string ZshCompletion() {
  std::string summaries;
  std::string cases;
  for (const Command& command : Commands()) {
    summaries += fmt::format("    '{}:{}'\n", command.text.name, ZshText(command.text.summary));
    std::vector<std::string> flags;
    for (const FlagText& flag : AllFlags(command)) flags.push_back(ZshFlag(flag));
    if (command.text.operands.most > 0) flags.emplace_back("'*:file:_files'");
    cases += fmt::format("    {}) _arguments {} ;;\n", command.text.name, fmt::join(flags, " "));
  }
  return fmt::format(
      "#compdef tare\n"
      "# Completion of tare for zsh; made from the command table.\n"
      "local -a commands=(\n{}  )\n"
      "if (( CURRENT == 2 )); then\n"
      "  _describe 'command' commands\n"
      "else\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n{}  esac\n"
      "fi\n",
      summaries, cases);
}

}  // namespace tare::cli
