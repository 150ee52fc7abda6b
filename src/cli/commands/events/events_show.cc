// events_show.cc: `tare events show` and `tare events check`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/grouped.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/events/events_tables.h"
#include "measure/events/print_trace.h"

namespace tare::cli {
namespace {

struct EventsShowOptions {
  std::optional<std::int64_t> top;
  std::optional<double> confidence;
  std::optional<std::int64_t> print;
  std::string match;
  bool correct = false;
  bool verbose = false;
};

const auto kEventsShowFlags = std::to_array<Flag<EventsShowOptions>>({
    {{"--top", "N", "rows of lists; 0 for all (default: 15)"}, &EventsShowOptions::top},
    {{"--print", "N", "also print the first N events; 0 for all"}, &EventsShowOptions::print},
    {{"--match", "TEXT", "print only events whose function or name contains TEXT"},
     &EventsShowOptions::match},
    {{"--correct", "", "also show spans without the calibrated cost of recording"},
     &EventsShowOptions::correct},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &EventsShowOptions::confidence},
    {{"-v,--verbose", "", "show all rows"}, &EventsShowOptions::verbose},
});

constexpr std::array kEventsShowExamples = {
    Example{"tare events show sort.events", "what is in the trace"},
    Example{"tare events show --print 20 --match main sort.events", "the first events of main"},
    Example{"tare events show --correct work.events", "spans without the cost of recording"},
};

constexpr std::int64_t kMaxPrinted = 1'000'000;

Result<Outcome> RunEventsShow(const EventsShowOptions& options, Session& session) {
  TRY(const double confidence, Confidence(options.confidence));
  const std::string& file = session.operands.front();
  TRY(const auto summary, events::Summarize(file, confidence));
  const std::string name = file == "-" ? "standard input" : file;
  std::optional<report::Table> printed;
  if (options.print || !options.match.empty()) {
    const std::int64_t wanted = options.print.value_or(20);
    const auto count =
        static_cast<std::uint64_t>(wanted == 0 ? kMaxPrinted : std::min(wanted, kMaxPrinted));
    TRY(const auto lines, events::PrintEvents(file, count, options.match));
    report::Table table{"printed", "Events in order", {{"thread"}, {"event"}, {"where"}}, {}};
    table.whole = true;  // as many rows as were asked for
    for (const events::PrintedEvent& line : lines)
      table.rows.push_back(
          {Number(std::int64_t{line.thread}), Printable(line.event), Printable(line.where)});
    printed = std::move(table);
  }
  const auto make = [&](bool all) -> Result<report::Document> {
    EventsView view;
    view.top = static_cast<std::size_t>(options.top.value_or(options.verbose || all ? 0 : 15));
    view.correct = options.correct;
    report::Document document;
    document.title = fmt::format("Event trace {}", Printable(name));
    ShowTrace(summary, name, view, document);
    if (printed) document.blocks.emplace_back(*printed);
    return document;
  };
  TRY(auto outcome, MakeOutcome(session, make));
  outcome.keep_blocks = printed.has_value();
  return outcome;
}

struct EventsCheckOptions {
  bool verbose = false;
};

const auto kEventsCheckFlags = std::to_array<Flag<EventsCheckOptions>>({
    {{"-v,--verbose", "", "show how often each rule was tested"}, &EventsCheckOptions::verbose},
});

constexpr std::array kEventsCheckExamples = {
    Example{"tare events check sort.events", "whether the trace is complete and consistent"},
    Example{"tare events check --json sort.events", "the same for a script"},
};

Result<Outcome> RunEventsCheck(const EventsCheckOptions&, Session& session) {
  const std::string& file = session.operands.front();
  TRY(const auto checked, events::CheckTrace(file));
  Outcome outcome;
  outcome.document.title = fmt::format("Check of {}", Printable(file));
  const auto broken = std::ranges::count_if(
      checked.rules, [](const events::CheckedRule& rule) { return rule.broken > 0; });
  std::string answer = fmt::format(
      "{}: {} events; {}.", Printable(file), Grouped(checked.events),
      checked.outcome.complete ? "the trace is complete" : Printable(checked.outcome.reason));
  answer += broken == 0 ? " No rule is broken." : fmt::format(" {} rules are broken.", broken);
  outcome.document.blocks.emplace_back(report::Text{"answer", answer});
  report::Table table{"checks", "Rules", {{"rule"}, {"tested"}, {"broken"}, {"first"}}, {}};
  for (const events::CheckedRule& rule : checked.rules)
    table.rows.push_back(
        {rule.rule, Count(rule.tested), Count(rule.broken), Printable(rule.first)});
  outcome.document.blocks.emplace_back(std::move(table));
  if (!checked.outcome.complete)
    AddCaveats(outcome.document,
               std::vector<Caveat>{{CaveatId::kIncomplete, Printable(checked.outcome.reason)}});
  outcome.exit_status = broken > 0 || !checked.outcome.complete ? 1 : 0;
  return outcome;
}

}  // namespace

Command EventsShowCommand() {
  return MakeCommand<EventsShowOptions>(
      {"events show",
       "show what is in an event trace",
       "Reads a whole event trace and shows how many events it has, of which functions or names, "
       "how long spans took, and how large the trace is. A trace that was cut or damaged is read "
       "up to the damage and called incomplete.\n\n"
       "In a trace that is a sample, shares have confidence intervals. Spans that were timed with "
       "a coarse clock get an interval from how often the clock advanced.",
       kEventsShowExamples,
       false,
       {"FILE", 1, 1}},
      kEventsShowFlags, RunEventsShow);
}

Command EventsCheckCommand() {
  return MakeCommand<EventsCheckOptions>(
      {"events check",
       "check that an event trace is complete and consistent",
       "Tests rules that every trace must obey: a conditional branch continues at its target or "
       "behind itself, a block without branch continues behind itself, spans nest, times do not "
       "decrease. The exit status is 1 if a rule is broken or the trace is incomplete.",
       kEventsCheckExamples,
       false,
       {"FILE", 1, 1}},
      kEventsCheckFlags, RunEventsCheck);
}

}  // namespace tare::cli
