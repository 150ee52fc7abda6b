// help_manual.cc: manual pages, generated from the rows of the help.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/application.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/table_ids.h"

namespace tare::cli {
namespace {

// Escapes for roff: a leading dot or quote is a request, a backslash an escape, a bare dash a
// hyphen.
std::string Roff(std::string_view text) {
  std::string safe;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
    line_start = c == '\n';
  }
  return safe;
}

std::string Paragraphs(std::string_view text) {
  std::string roff;
  while (!text.empty()) {
    const auto end = text.find("\n\n");
    roff += fmt::format("{}\n", Roff(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    roff += ".PP\n";
    text.remove_prefix(end + 2);
  }
  return roff;
}

std::string Heading(std::string_view name) {
  return fmt::format(".TH {} 1 \"\" \"tare {}\" \"tare\"\n", name, Version());
}

void AppendFlags(std::string& page, std::string_view title, std::span<const FlagText> flags) {
  if (flags.empty()) return;
  page += fmt::format(".SH {}\n", title);
  for (const FlagText& flag : flags) {
    page += fmt::format(".TP\n\\fB{}\\fR", Roff(flag.names));
    if (!flag.value.empty()) page += fmt::format(" \\fI{}\\fR", Roff(flag.value));
    page += fmt::format("\n{}\n", Roff(flag.help));
  }
}

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n"
    "0 on success, 2 for invalid options, 125 if tare itself fails, 126 if the program to measure\n"
    "cannot be executed, 127 if it is not found, 128 and the signal if stopped by SIGINT, "
    "SIGTERM,\n"
    "SIGHUP or SIGQUIT; otherwise that of the measured program.\n";

}  // namespace

std::string ManualName(std::string_view command) {
  std::string name = fmt::format("tare-{}", command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string OverviewManual() {
  std::string page = Heading("TARE");
  page +=
      ".SH NAME\ntare \\- measure programs and check how far the numbers can be trusted\n"
      ".SH SYNOPSIS\n\\fBtare\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\nEvery number that tare prints carries a unit, an interval or the word "
      "exact, and a\n"
      "verdict: valid, doubtful or refused, with the reason.\n.SH COMMANDS\n";
  for (const TopName& top : TopNames()) {
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", Roff(ManualName(top.name)), Roff(top.summary));
  }
  page +=
      ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nif set, no colours even on a terminal\n"
      ".TP\n\\fBCOLUMNS\\fR\noutput width in columns\n";
  page += kExitStatus;
  return page;
}

std::string GroupManual(const CommandGroup& group) {
  const std::string name = Roff(ManualName(group.name));
  std::string page = Heading(name);
  page += fmt::format(".SH NAME\n{} \\- {}\n", name, Roff(group.summary));
  page += fmt::format(".SH SYNOPSIS\n\\fBtare {}\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n",
                      Roff(group.name));
  page += fmt::format(".SH DESCRIPTION\n{}.SH COMMANDS\n", Paragraphs(group.description));
  for (const Command* command : CommandsOf(group)) {
    page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", Roff(ManualName(command->text.name)),
                        Roff(command->text.summary));
  }
  page += kExitStatus;
  return page + ".SH SEE ALSO\n\\fBtare\\fR(1)\n";
}

std::string CommandManual(const Command& command) {
  const CommandText& text = command.text;
  const std::string name = Roff(ManualName(text.name));
  std::string page = Heading(name);
  page += fmt::format(".SH NAME\n{} \\- {}\n", name, Roff(text.summary));
  page += ".SH SYNOPSIS\n";
  for (const std::string& synopsis : Synopses(command)) {
    if (!page.ends_with("SYNOPSIS\n")) page += ".br\n";
    page += fmt::format("\\fBtare {}\\fR{}\n", Roff(text.name),
                        Roff(synopsis.substr(text.name.size())));
  }
  page += fmt::format(".SH DESCRIPTION\n{}", Paragraphs(text.description));
  const FlagGroups flags = FlagsOf(command);
  AppendFlags(page, "OPTIONS", flags.own);
  AppendFlags(page, "OPTIONS THAT CONTROL HOW THE PROGRAM IS RUN", flags.control);
  AppendFlags(page, "OPTIONS OF ALL COMMANDS", flags.common);
  page += ".SH TABLES\n";
  for (const TableId& table : TableIds(text.name)) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", Roff(table.id), Roff(WhatItIs(table)));
  }
  if (!text.examples.empty()) page += ".SH EXAMPLES\n";
  for (const Example& example : text.examples) {
    page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", Roff(example.command), Roff(example.what));
  }
  page += kExitStatus;
  page += ".SH SEE ALSO\n\\fBtare\\fR(1)";
  if (const CommandGroup* group = GroupOf(command)) {
    page += fmt::format(", \\fB{}\\fR(1)", Roff(ManualName(group->name)));
  }
  return page + "\n";
}

}  // namespace tare::cli
