// help_completion.cc: completion for bash and zsh, generated from the rows of the help.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/table_ids.h"
#include "machine/clock/clock.h"

namespace tare::cli {
namespace {

std::vector<FlagText> AllFlags(const Command& command) {
  FlagGroups groups = FlagsOf(command);
  groups.own.insert(groups.own.end(), groups.control.begin(), groups.control.end());
  groups.own.insert(groups.own.end(), groups.common.begin(), groups.common.end());
  return groups.own;
}

std::vector<std::string_view> TopCommandNames() {
  std::vector<std::string_view> names;
  for (const TopName& top : TopNames()) names.push_back(top.name);
  return names;
}

std::vector<std::string_view> NamesIn(const CommandGroup& group) {
  std::vector<std::string_view> names;
  for (const Command* command : CommandsOf(group)) names.push_back(NameInGroup(*command));
  return names;
}

bool IsFile(const FlagText& flag) {
  return flag.value.starts_with("FILE") || flag.value.starts_with("DIRECTORY");
}

// The words that the value can be, as far as they are known here.
std::vector<std::string_view> ValuesOf(const Command& command, const FlagText& flag) {
  if (!flag.choices.empty()) return {flag.choices.begin(), flag.choices.end()};
  const std::string_view name = LongName(flag);
  std::vector<std::string_view> values;
  if (name == "--csv" || name == "--markdown") {
    for (const TableId& table : TableIds(command.text.name)) {
      if (!table.id.ends_with('*')) values.push_back(table.id);
    }
  } else if (name == "--engine") {
    values = {"valgrind", "qemu", "step", "compiled", "virtual", "hardware", "kernel"};
  } else if (name == "--clock") {
    for (const clock::Clock& clock : clock::ClockTable()) {
      if (clock::LackingReason(clock).empty()) values.push_back(clock.name);
    }
  } else if (name == "--region") {
    values = {"main"};
  } else if (name == "--network" && !flag.value.empty()) {
    values = {"ideal",        "shared-memory", "ethernet-1g",
              "ethernet-10g", "ethernet-100g", "infiniband-hdr"};
  }
  return values;
}

// Whether the value can also be the name of a file.
bool OrFile(const FlagText& flag) { return LongName(flag) == "--network"; }

// The words that the first operand can be.
std::vector<std::string_view> FirstOperands(const Command& command) {
  if (command.text.name == "mpi") return {"show", "check", "join", "export"};
  return {};
}

// Names of machines, as the program itself lists them.
constexpr std::string_view kMachineNames =
    "$(for kind in profiles processors; do tare machine list --csv $kind 2>/dev/null | "
    "tail -n +2 | cut -d, -f1; done)";

bool TakesMachine(const FlagText& flag) { return LongName(flag) == "--machine"; }

// Whether the operands of the command are names of machines, or files that describe them.
bool HasMachineOperands(const Command& command) {
  const std::string_view name = command.text.name;
  return name == "machine show" || name == "machine compare" || name == "machine project" ||
         name == "machine edit" || name == "predict";
}

std::string BashCase(const Command& command) {
  std::vector<std::string_view> names;
  std::string values;
  for (const FlagText& flag : AllFlags(command)) {
    names.push_back(LongName(flag));
    if (const auto words = ValuesOf(command, flag); !words.empty()) {
      values += fmt::format("        {}) {}{} '{}'; return ;;\n", LongName(flag),
                            OrFile(flag) ? "compopt -o default; " : "",
                            flag.value.starts_with("LIST") ? "_tare_list" : "_tare_words",
                            fmt::join(words, " "));
    } else if (TakesMachine(flag)) {
      values += fmt::format("        {}) compopt -o default; _tare_words \"{}\"; return ;;\n",
                            LongName(flag), kMachineNames);
    } else if (IsFile(flag)) {
      values += fmt::format("        {}) compopt -o default; return ;;\n", LongName(flag));
    } else if (!flag.value.empty()) {
      values += fmt::format("        {}) return ;;\n", LongName(flag));
    }
  }
  std::string operands;
  if (command.text.operands.max > 0) {
    operands = "      case $word in -*) ;; *) compopt -o default; ";
    if (const auto first = FirstOperands(command); !first.empty()) {
      operands +=
          fmt::format("[ \"$COMP_CWORD\" -ne 2 ] || _tare_words '{}'; ", fmt::join(first, " "));
    }
    if (HasMachineOperands(command)) operands += fmt::format("_tare_words \"{}\"; ", kMachineNames);
    operands += "return ;; esac\n";
  }
  return fmt::format(
      "    '{}')\n      words='{}'\n      case $before in\n{}      esac\n{}      ;;\n",
      command.text.name, fmt::join(names, " "), values, operands);
}

// Escapes characters with a meaning inside '...[...]' of zsh's _arguments.
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

std::string ZshFlag(const Command& command, const FlagText& flag) {
  std::string value;
  if (const auto known = ValuesOf(command, flag); !known.empty()) {
    const bool list = flag.value.starts_with("LIST");
    value = list ? fmt::format(":{}:_values -s , {} {}", ZshText(flag.value), ZshText(flag.value),
                               fmt::join(known, " "))
            : OrFile(flag) ? fmt::format(":{0}:{{compadd {1}; _files}}", ZshText(flag.value),
                                         fmt::join(known, " "))
                           : fmt::format(":{}:({})", ZshText(flag.value), fmt::join(known, " "));
  } else if (TakesMachine(flag)) {
    value = fmt::format(":{}:_tare_machines", ZshText(flag.value));
  } else if (IsFile(flag)) {
    value = ":file:_files";
  } else if (!flag.value.empty()) {
    const auto words = std::ranges::count(flag.value, ' ') + 1;
    for (auto i = 0; i < words; ++i) value += fmt::format(":{}:", ZshText(flag.value));
  }
  return fmt::format("'{}{}[{}]{}'", Repeats(flag) ? "*" : "", LongName(flag), ZshText(flag.help),
                     value);
}

std::string ZshCase(const Command& command) {
  std::vector<std::string> flags;
  for (const FlagText& flag : AllFlags(command)) flags.push_back(ZshFlag(command, flag));
  if (const auto first = FirstOperands(command); !first.empty()) {
    flags.push_back(fmt::format("'1:action:({})'", fmt::join(first, " ")));
  }
  if (command.text.operands.max > 0) {
    flags.emplace_back(HasMachineOperands(command) ? "'*:machine:_tare_machines'"
                                                   : "'*:file:_files'");
  }
  return fmt::format("  '{}') _arguments {} ;;\n", command.text.name, fmt::join(flags, " "));
}

}  // namespace

std::string BashCompletion() {
  std::string groups;
  for (const CommandGroup& group : CommandGroups()) {
    groups += fmt::format(
        "  if [ \"$command\" = {0} ]; then\n"
        "    if [ \"$COMP_CWORD\" -eq 2 ]; then names='{1} --help'; fi\n"
        "    command=\"{0} ${{COMP_WORDS[2]}}\"\n"
        "  fi\n",
        group.name, fmt::join(NamesIn(group), " "));
  }
  std::string commands;
  for (const Command& command : Commands()) commands += BashCase(command);
  return fmt::format(
      "# Completion of tare for bash; generated from the command table.\n"
      "_tare_words() {{\n"
      "  COMPREPLY=($(compgen -W \"$1\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "# The last part of a list that is separated by commas.\n"
      "_tare_list() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}}\n"
      "  local last=${{word##*,}}\n"
      "  COMPREPLY=($(compgen -P \"${{word%\"$last\"}}\" -W \"$1\" -- \"$last\"))\n"
      "}}\n"
      "_tare() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''\n"
      "  local command=${{COMP_WORDS[1]}} names=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then names='{0} help --help --version'; fi\n"
      "{1}"
      "  if [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 ]; then names='{0} control'; fi\n"
      "  if [ -n \"$names\" ]; then\n"
      "    words=$names\n"
      "  else\n"
      "    case $command in\n{2}    esac\n"
      "  fi\n"
      "  _tare_words \"$words\"\n"
      "}}\n"
      "complete -F _tare tare\n",
      fmt::join(TopCommandNames(), " "), groups, commands);
}

std::string ZshCompletion() {
  std::string tops;
  for (const TopName& top : TopNames()) {
    tops += fmt::format("    '{}:{}'\n", top.name, ZshText(top.summary));
  }
  std::string groups;
  for (const CommandGroup& group : CommandGroups()) {
    std::string members;
    for (const Command* command : CommandsOf(group)) {
      members +=
          fmt::format("      '{}:{}'\n", NameInGroup(*command), ZshText(command->text.summary));
    }
    groups += fmt::format(
        "if [[ $command == {0} ]]; then\n"
        "  if (( CURRENT == 3 )); then\n"
        "    commands=(\n{1}    )\n"
        "    _describe 'command' commands\n"
        "    return\n"
        "  fi\n"
        "  command=\"{0} $words[3]\"\n"
        "  names=2\n"
        "fi\n",
        group.name, members);
  }
  std::string cases;
  for (const Command& command : Commands()) cases += ZshCase(command);
  return fmt::format(
      "#compdef tare\n"
      "# Completion of tare for zsh; generated from the command table.\n"
      "_tare_machines() {{ compadd -- ${{(f)\"{3}\"}}; _files }}\n"
      "local -a commands=(\n{0}    'help:explain a command, or control'\n  )\n"
      "if (( CURRENT == 2 )) || {{ (( CURRENT == 3 )) && [[ $words[2] == help ]] }}; then\n"
      "  (( CURRENT == 3 )) && commands+=('control:options that control how a program is run')\n"
      "  _describe 'command' commands\n"
      "  return\n"
      "fi\n"
      "local command=$words[2] names=1\n"
      "{1}"
      "shift $names words\n"
      "(( CURRENT -= names ))\n"
      "case $command in\n{2}esac\n",
      tops, groups, cases, kMachineNames);
}

}  // namespace tare::cli
