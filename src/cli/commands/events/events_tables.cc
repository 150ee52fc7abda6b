// events_tables.cc: the answer and the tables of an event trace.
#include "cli/commands/events/events_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/signal_text.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using events::TraceSummary;

std::string EventBytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const ScaledUnit unit = ReadableUnit(value, "B");
  return fmt::format("{} {}", report::ShowRounded(value * unit.factor, 3), unit.symbol);
}

std::string ProgramOf(const TraceSummary& summary) {
  const std::string& program = summary.head.program;
  const std::size_t slash = program.rfind('/');
  return Printable(slash == std::string::npos ? program : program.substr(slash + 1));
}

double SmallerBy(const TraceSummary& summary) {
  return summary.outcome.bytes == 0
             ? 0
             : static_cast<double>(summary.raw_bytes) / static_cast<double>(summary.outcome.bytes);
}

std::string CompletenessText(const format::EventTraceOutcome& outcome) {
  if (!outcome.complete) return fmt::format(" The trace is {}.", Printable(outcome.reason));
  constexpr std::uint64_t kSignalled = 128;  // plus the signal, as shells report it
  const std::uint64_t status = outcome.end ? outcome.end->exit_status : 0;
  if (status == 0) return " The trace is complete.";
  constexpr std::uint64_t kTimeout = 124;  // run::Ended::ShellStatus()
  if (status == kTimeout)
    return fmt::format(
        " The trace is complete; the program ended with status {}, as after a "
        "timeout.",
        status);
  return status > kSignalled && status < 2 * kSignalled
             ? fmt::format(" The trace is complete up to where {} ended the program.",
                           SignalText(static_cast<int>(status - kSignalled)))
             : fmt::format(" The trace is complete; the program exited with status {}.", status);
}

std::string EventsAnswer(const TraceSummary& summary, const std::string& name,
                         const EventsView& view) {
  std::string text = fmt::format("{}: ", Printable(name));
  if (summary.blocks == 0 && summary.timed == 0 && summary.head.content == "events") {
    text += "no events";
  } else if (summary.blocks > 0 || summary.timed == 0) {
    text += fmt::format("{} blocks", Grouped(summary.blocks));
    if (summary.instructions > 0)
      text += fmt::format(" ({} instructions)", Grouped(summary.instructions));
  }
  const bool all_of_system = summary.of_system > 0 && summary.of_system == summary.timed;
  if (summary.timed > 0) {
    text += fmt::format("{}{} {}events", summary.blocks > 0 ? " and " : "", Grouped(summary.timed),
                        all_of_system ? "system " : "");
  }
  if (summary.of_system > 0 && !all_of_system) {
    text += fmt::format(" ({} of the system)", Grouped(summary.of_system));
  }
  text += fmt::format(" of {} in {}", ProgramOf(summary), EventBytes(summary.outcome.bytes));
  if (summary.raw_bytes > summary.outcome.bytes)
    text += fmt::format(", {} times smaller than uncompressed",
                        report::ShowRounded(SmallerBy(summary), 3));
  text += ".";
  if (summary.skipped > 0) {
    const double all = static_cast<double>(summary.blocks + summary.skipped);
    text += fmt::format(" It is a sample: {} % of all blocks.",
                        report::ShowRounded(100 * static_cast<double>(summary.blocks) / all, 3));
  }
  if (view.replaced && summary.outcome.complete) {
    return text + fmt::format(
                      " The {} replaced itself by another one; {}--children records that "
                      "one, too.",
                      summary.processes > 1 ? "blocks of a process end where its program"
                                            : "trace ends where the program",
                      summary.head.source == "qemu" ? "--by valgrind " : "");
  }
  return text + CompletenessText(summary.outcome);
}

// One row: scripts read columns by name.
report::Table SummaryTable(const TraceSummary& summary) {
  report::Table table{"summary", "Trace", {{"what"}, {"value"}}, {}};
  const auto add = [&](std::string what, report::Cell value) {
    table.rows.push_back({std::move(what), std::move(value)});
  };
  const auto& head = summary.head;
  add("program", ProgramOf(summary));
  add("recorded by", Printable(head.source));
  add("content", Printable(head.content));
  add("encoding", std::string(format::Name(head.encoding)));
  add("state", std::string(summary.outcome.complete ? "complete" : "incomplete"));
  add("events", Count(summary.blocks + summary.timed));
  if (summary.blocks > 0) {
    add("blocks", Count(summary.blocks));
    add("instructions", summary.instructions > 0
                            ? Count(summary.instructions)
                            : Absent("the compiled engine does not count instructions"));
    add("different blocks", Count(summary.different_blocks));
    if (summary.words > 0) {
      add("loads", Count(summary.loads));
      add("stores", Count(summary.stores));
    }
    if (summary.signals > 0) add("signals", Count(summary.signals));
    if (summary.head.sample_period > 0) add("blocks left out", Count(summary.skipped));
  }
  if (summary.timed > 0) {
    add("timed events", Count(summary.timed));
    if (summary.of_system > 0) add("system events", Count(summary.of_system));
    add("time", WithUnit("s", Unbounded(summary.seconds)));
    if (summary.unmatched > 0) add("unmatched spans", Count(summary.unmatched));
  }
  add("processes", Count(summary.processes));
  add("threads", Count(summary.threads));
  add("lost", Count(summary.outcome.end ? summary.outcome.end->lost : 0));
  add("bytes", WithUnit("B", Count(summary.outcome.bytes)));
  add("raw bytes", WithUnit("B", Count(summary.raw_bytes)));
  add("smaller by", Unbounded(SmallerBy(summary)));
  const auto cost = [&](std::string what, const format::TraceCost& of) {
    if (of.ns > 0)
      add(std::move(what), WithUnit("ns", Between(of.ns, of.low_ns, of.high_ns, 0.95)));
  };
  cost("cost of an event", head.event_cost);
  cost("cost of a span", head.span_cost);
  return table;
}

report::Table FunctionsTable(const TraceSummary& summary, std::size_t top) {
  report::Table table{
      "functions",
      "Functions by executed instructions",
      {report::SymbolColumn("function"), {"object"}, {"blocks"}, {"instructions"}, {"share", "%"}},
      {}};
  const std::size_t shown =
      top == 0 ? summary.functions.size() : std::min(top, summary.functions.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& row = summary.functions[i];
    const std::size_t slash = row.object.rfind('/');
    table.rows.push_back(
        {Printable(row.name),
         Printable(slash == std::string::npos ? row.object : row.object.substr(slash + 1)),
         Count(row.blocks),
         summary.instructions > 0 ? report::Cell(Count(row.instructions))
                                  : report::Cell(Absent("the engine does not count instructions")),
         Scaled(row.share, 100)});
  }
  if (shown < summary.functions.size())
    table.title = fmt::format("The first {} of {} functions by executed instructions (-v: all)",
                              shown, Grouped(summary.functions.size()));
  return table;
}

std::string KindName(format::SiteKind kind) {
  switch (kind) {
    case format::SiteKind::kSpan:
      return "span";
    case format::SiteKind::kValue:
      return "value";
    case format::SiteKind::kSystem:
      return "system";
    case format::SiteKind::kEvent:
      break;
  }
  return "event";
}

// Values that can be averaged; addresses and numbers of processors cannot.
bool HasQuantity(const events::SiteTotals& site) {
  return site.kind == format::SiteKind::kValue ||
         (site.kind == format::SiteKind::kSystem && site.name.starts_with("disk-"));
}

report::Table SitesTable(const TraceSummary& summary, const EventsView& view) {
  report::Table table{"events",
                      "Events by name",
                      {{"name"}, {"kind"}, {"count"}, {"time", "s"}, {"own", "s"}, {"mean", "s"}},
                      {}};
  if (view.correct) table.columns.push_back({"corrected", "s"});
  table.columns.push_back({"value"});
  const std::size_t shown =
      view.top == 0 ? summary.sites.size() : std::min(view.top, summary.sites.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& site = summary.sites[i];
    const bool is_span = site.kind == format::SiteKind::kSpan;
    std::vector<report::Cell> row = {
        Printable(site.name), KindName(site.kind),
        site.absent.empty() ? Count(site.events) : Absent(Printable(site.absent))};
    if (is_span && site.events > 0) {
      row.insert(row.end(), {Unbounded(site.seconds), Unbounded(site.own_seconds), site.mean});
    } else {
      row.insert(row.end(), 3, report::Cell());
    }
    if (view.correct)
      row.push_back(is_span && site.events > 0 ? report::Cell(site.corrected) : report::Cell());
    if (HasQuantity(site) && site.events > 0) {
      row.emplace_back(
          fmt::format("{} to {}, mean {}", report::ShowRounded(site.min_value, 4),
                      report::ShowRounded(site.max_value, 4),
                      report::ShowRounded(site.sum_value / static_cast<double>(site.events), 4)));
    } else {
      row.emplace_back();
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

void ShowTrace(const TraceSummary& summary, const std::string& name, const EventsView& view,
               report::Document& document) {
  document.blocks.emplace_back(report::Text{"answer", EventsAnswer(summary, name, view)});
  document.blocks.emplace_back(SummaryTable(summary));
  if (!summary.functions.empty()) document.blocks.emplace_back(FunctionsTable(summary, view.top));
  if (!summary.sites.empty()) document.blocks.emplace_back(SitesTable(summary, view));
  std::vector<Caveat> caveats;
  if (!summary.outcome.complete)
    caveats.push_back({CaveatId::kIncomplete, Printable(summary.outcome.reason)});
  AddCaveats(document, caveats);
}

void ShowPassedOn(const events::Recorded& recorded, const std::string& to, int status,
                  report::Document& document) {
  const std::uint64_t events = recorded.blocks + recorded.timed;
  document.blocks.emplace_back(report::Text{
      "answer", fmt::format("Passed {} events ({}) to '{}', which ended with status {}.",
                            Grouped(events), EventBytes(recorded.bytes), Printable(to), status)});
  report::Table table{"summary", "Trace", {{"what"}, {"value"}}, {}};
  table.rows.push_back({std::string("events"), Count(events)});
  table.rows.push_back({std::string("bytes"), WithUnit("B", Count(recorded.bytes))});
  table.rows.push_back({std::string("status of the command"), Number(std::int64_t{status})});
  document.blocks.emplace_back(std::move(table));
}

}  // namespace tare::cli
