// count_tables.cc: means, spreads and ledgers as cells.
#include "cli/commands/count/count_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "measure/count/native_summary.h"
#include "report/figures.h"
#include "stats/summary.h"

namespace tare::cli {
namespace {

using count::EngineCounts;
using count::Metric;

// For a usable engine, which has at least one run.
stats::Summary Summary(const EngineCounts& counts, Metric metric) {
  std::vector<double> values;
  for (const auto& run : counts.runs) values.push_back(static_cast<double>(run[metric]));
  const auto summary = stats::Summarize(values);
  CHECK(summary.has_value());
  return *summary;
}

// If an engine knows some code only within bounds, the total is bounded too. Bounds exist for
// instructions only.
void AddBounds(const EngineCounts& counts, Metric metric, Measured& cell) {
  if (!counts.coverage) return;
  const engine::InstructionBounds bounds = counts.coverage->Total();
  if (bounds.IsExact()) return;
  cell.exact = false;
  if (metric != Metric::kInstructions || bounds.high == UINT64_MAX) return;
  cell.low = static_cast<double>(bounds.low);
  cell.high = static_cast<double>(bounds.high);
}

}  // namespace

bool AllSame(const EngineCounts& counts, Metric metric) {
  return std::ranges::all_of(counts.runs, [&](const count::MetricCounts& run) {
    return run[metric] == counts.runs.front()[metric];
  });
}

Measured MeanCell(const EngineCounts& counts, Metric metric) {
  if (!counts.Usable()) return Absent(counts.absence);
  Measured cell;
  if (AllSame(counts, metric)) {
    cell = Count(counts.runs.front()[metric]);
  } else {
    const stats::Summary summary = Summary(counts, metric);
    cell.value = summary.mean;
    cell.low = summary.minimum;
    cell.high = summary.maximum;
  }
  if (!AllSame(counts, metric)) return WithCaveats(std::move(cell), counts.caveats);
  AddBounds(counts, metric, cell);
  if (counts.runs.size() < 2) return WithCaveats(std::move(cell), counts.caveats);
  // What differs from run to run is another metric.
  std::vector<Caveat> caveats = counts.caveats;
  std::erase_if(caveats,
                [](const Caveat& caveat) { return caveat.key == CaveatId::kNotRepeatable; });
  return WithCaveats(std::move(cell), caveats);
}

Measured DifferenceFromReference(const count::CountReport& report, std::size_t engine) {
  CHECK(report.reference.has_value());
  const EngineCounts& counts = report.engines[engine];
  const EngineCounts& reference = report.engines[*report.reference];
  if (AllSame(counts, Metric::kInstructions) && AllSame(reference, Metric::kInstructions)) {
    return Exact(report.ledgers[engine].total);
  }
  const stats::Summary own = Summary(counts, Metric::kInstructions);
  const stats::Summary other = Summary(reference, Metric::kInstructions);
  Measured difference = Unbounded(own.mean - other.mean);
  difference.low = own.minimum - other.maximum;
  difference.high = own.maximum - other.minimum;
  return Doubtful(std::move(difference), "the counts differ from run to run");
}

std::string DifferenceOfMeans(const count::CountReport& report, std::size_t engine) {
  const Measured difference = DifferenceFromReference(report, engine);
  const auto amount = std::llround(std::abs(difference.Value()));
  return fmt::format("{} counts {} {} on average, {} the variation of the runs",
                     Name(report.engines[engine].engine),
                     report::ShowMeasured(Unbounded(static_cast<double>(amount)), 1).value,
                     difference.Value() < 0 ? "fewer" : "more",
                     difference.Contains(0) ? "within" : "beyond");
}

namespace {

const count::MetricText& TextOf(Metric metric) {
  return count::MetricTable()[static_cast<std::size_t>(metric)];
}

std::vector<report::Cell> NativeRow(const count::CountReport& report,
                                    std::span<const Metric> metrics, double confidence) {
  const auto runs = static_cast<std::int64_t>(report.native_runs.size());
  std::vector<report::Cell> row = {std::string("hardware"), Number{runs}};
  for (const Metric metric : metrics) {
    const auto event = count::HardwareEvent(report.native_runs, std::string(TextOf(metric).id));
    if (report.of_region) {
      row.emplace_back(Absent("hardware counters count the whole program"));
    } else if (!event) {
      row.emplace_back(Absent("the processor has no such event"));
    } else if (event->values.empty()) {
      row.emplace_back(Absent(event->absence));
    } else {
      row.emplace_back(Doubtful(count::MeanOfRuns(*event, confidence),
                                runs == 1 ? "one native run, including interrupts and page faults"
                                          : "native runs, including interrupts and page faults"));
    }
  }
  const auto instructions = count::HardwareEvent(report.native_runs, "instructions");
  if (report.of_region || !instructions) {
    row.emplace_back(Absent("hardware counters count the whole program"));
  } else {
    row.emplace_back(count::SpreadOfRuns(*instructions).variation);
  }
  return row;
}

Measured VariationCell(const EngineCounts& counts) {
  if (!counts.Usable()) return Absent(counts.absence);
  if (counts.runs.size() < 2) return Absent("one run");
  if (AllSame(counts, Metric::kInstructions)) return Known(0);
  Measured cell;
  cell.value = Summary(counts, Metric::kInstructions).coefficient_of_variation;
  return Doubtful(cell, "the count differs from run to run");
}

}  // namespace

report::Table CountsTable(const count::CountReport& report, std::span<const Metric> metrics,
                          double confidence) {
  report::Table table{"counts", "Counts by engine", {{"engine"}, {"runs"}}, {}};
  for (const Metric metric : metrics) {
    table.columns.push_back({std::string(TextOf(metric).id), std::string(TextOf(metric).unit)});
  }
  table.columns.push_back({"cv"});
  // Where all runs are the same, the finding says so.
  table.columns.back().detail =
      !report.native && std::ranges::all_of(report.engines, [](const EngineCounts& counts) {
        return !counts.Usable() || AllSame(counts, Metric::kInstructions);
      });
  if (report.native) {
    table.rows.push_back(NativeRow(report, metrics, confidence));
    std::vector<report::Cell> kernel = {
        std::string("kernel"), Number{static_cast<std::int64_t>(report.native_runs.size())}};
    kernel.resize(table.columns.size(),
                  Absent("the kernel counts no instructions; see table events"));
    table.rows.push_back(std::move(kernel));
  }
  for (const EngineCounts& counts : report.engines) {
    std::vector<report::Cell> row = {std::string(Name(counts.engine)),
                                     Number{static_cast<std::int64_t>(counts.runs.size())}};
    for (const Metric metric : metrics) row.emplace_back(MeanCell(counts, metric));
    row.emplace_back(VariationCell(counts));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Table SpreadTable(const count::CountReport& report, std::span<const Metric> metrics) {
  report::Table table{"spread",
                      "Repeatability over the runs",
                      {{"engine"}, {"metric"}, {"mean"}, {"sd"}, {"cv"}, {"min"}, {"max"}},
                      {}};
  for (const EngineCounts& counts : report.engines) {
    if (!counts.Usable() || counts.runs.size() < 2) continue;
    for (const Metric metric : metrics) {
      const stats::Summary summary = Summary(counts, metric);
      const double variation = summary.mean > 0 ? summary.coefficient_of_variation : 0;
      table.rows.push_back({std::string(Name(counts.engine)), std::string(TextOf(metric).id),
                            MeanCell(counts, metric), Known(summary.standard_deviation),
                            Known(variation), Known(summary.minimum), Known(summary.maximum)});
    }
  }
  return table;
}

namespace {

// Compares the hardware count with the reference. What is known to add to it is a range where it
// was not counted itself.
void AddHardwareLedger(const count::CountReport& report, count::RepConvention convention,
                       std::uint64_t reference, const std::string& name, report::Table& table) {
  const auto corrected = CorrectedHardware(report, convention, 0.95);
  if (reference == 0 || !corrected) return;
  const auto add = [&](const count::CauseText& text, double value, double low, double high) {
    Measured amount = Known(value);
    if (low == high) {
      amount = Exact(std::llround(value));
    } else {
      amount.low = low;
      amount.high = high;
    }
    const Measured share = Scaled(amount, 100 / static_cast<double>(reference));
    table.rows.push_back({std::string("hardware"), name, std::string(text.id), std::move(amount),
                          share, std::string(text.meaning), std::string()});
  };
  const Measured& raw = corrected->raw;
  const auto of_reference = static_cast<double>(reference);
  count::Overcount rest{count::Cause::kUnexplained, raw.Value() - of_reference,
                        raw.Low() - of_reference, raw.High() - of_reference};
  add({count::Cause::kUnexplained, "total", "all causes together"}, rest.value, rest.low,
      rest.high);
  for (const count::Overcount& one : corrected->count.causes) {
    add(Text(one.cause), one.value, one.low, one.high);
    rest.value -= one.value;
    rest.low -= one.high;
    rest.high -= one.low;
  }
  add(Text(count::Cause::kUnexplained), rest.value, rest.low, rest.high);
}

}  // namespace

report::Table LedgerTable(const count::CountReport& report, count::RepConvention convention) {
  report::Table table{"ledger",
                      "Difference from the reference in instructions, by cause",
                      {{"engine"},
                       report::Detail({"reference"}),
                       report::Kept({"cause"}),
                       report::Kept({"difference"}),
                       {"share", "%"},
                       {"meaning"},
                       report::Detail({"where", "", true})},
                      {}};
  if (!report.reference) return table;
  const EngineCounts& reference = report.engines[*report.reference];
  const std::uint64_t all = reference.tally.total[Metric::kInstructions];
  bool of_first_runs = false;
  const auto mark = [&](Measured measured) {
    if (!of_first_runs) return measured;
    measured.exact = false;
    return Doubtful(std::move(measured), "of the first run of both; other runs differ");
  };
  const auto difference = [&](std::int64_t part) { return mark(Exact(part)); };
  const auto share = [&](std::int64_t part) {
    if (all == 0) return Absent("nothing was counted");
    return mark(Known(100 * static_cast<double>(part) / static_cast<double>(all)));
  };
  if (!report.of_region) {
    AddHardwareLedger(report, convention, all, std::string(Name(reference.engine)), table);
  }
  for (std::size_t i = 0; i < report.ledgers.size(); ++i) {
    const EngineCounts& counts = report.engines[i];
    if (i == *report.reference || !counts.Usable()) continue;
    const count::Ledger& ledger = report.ledgers[i];
    const std::string engine(Name(counts.engine));
    const std::string other(Name(reference.engine));
    of_first_runs = !DifferenceFromReference(report, i).exact;
    table.rows.push_back({engine, other, std::string("total"), difference(ledger.total),
                          share(ledger.total), std::string("all causes together"), std::string()});
    bool stated = false;
    for (const count::LedgerEntry& entry : ledger.entries) {
      stated = stated || entry.cause == count::Cause::kUnexplained;
      table.rows.push_back({engine, other, std::string(Text(entry.cause).id),
                            difference(entry.difference), share(entry.difference),
                            std::string(Text(entry.cause).meaning), Printable(entry.where)});
    }
    if (!stated) {
      const auto& text = Text(count::Cause::kUnexplained);
      table.rows.push_back({engine, other, std::string(text.id), difference(0), share(0),
                            std::string(text.meaning), std::string()});
    }
  }
  return table;
}

std::vector<Caveat> AllCaveats(const count::CountReport& report) {
  std::vector<Caveat> caveats = report.caveats;
  for (const EngineCounts& counts : report.engines) {
    caveats.insert(caveats.end(), counts.caveats.begin(), counts.caveats.end());
  }
  return caveats;
}

namespace {

std::string WhatIsCounted(const count::CountReport& report,
                          const std::optional<engine::Region>& region) {
  if (region) {
    return fmt::format(
        "The counts cover {}, from its first instruction to its return, including callees.",
        Printable(region->function));
  }
  if (IsReplaced(AllCaveats(report))) {
    return "The counts end where the program replaced itself by another one; --children counts "
           "that one, too.";
  }
  const auto is_compiled = [](const EngineCounts& counts) {
    return engine::Row(counts.engine).needs_instrumentation && counts.Usable();
  };
  const auto compiled = std::ranges::count_if(report.engines, is_compiled);
  const auto usable = std::ranges::count_if(report.engines, &EngineCounts::Usable);
  std::string text = "The counts cover the whole program, including the dynamic loader.";
  if (compiled == 0) return text;
  if (compiled == usable) return "The counts cover only code built by tare-cc.";
  return text + " The engine compiled counts only code built by tare-cc.";
}

std::string Shown(std::int64_t count) { return report::ShowMeasured(Exact(count), 1).value; }

// What was counted, and how far the engines agree.
std::string CountFinding(const count::CountReport& report) {
  if (!report.reference) return "";
  const EngineCounts& reference = report.engines[*report.reference];
  const Measured instructions = MeanCell(reference, Metric::kInstructions);
  if (!instructions.value) return "";
  std::string text = fmt::format(
      "{} instructions by {}", report::ShowMeasured(instructions, 1).value, Name(reference.engine));
  if (reference.runs.size() > 1) {
    text += AllSame(reference, Metric::kInstructions)
                ? fmt::format(", the same in {} runs", reference.runs.size())
                : fmt::format(", the mean of {} runs that differ", reference.runs.size());
  }
  for (std::size_t i = 0; i < report.ledgers.size(); ++i) {
    if (i == *report.reference || !report.engines[i].Usable()) continue;
    if (!DifferenceFromReference(report, i).exact) {
      text += "; " + DifferenceOfMeans(report, i);
      continue;
    }
    const count::Ledger& ledger = report.ledgers[i];
    if (ledger.total == 0) continue;
    text += fmt::format("; {} counts {} {}", Name(report.engines[i].engine),
                        Shown(std::abs(ledger.total)), ledger.total < 0 ? "fewer" : "more");
    text += UnexplainedText(ledger);
  }
  return text + ".";
}

// Only the mean itself is shown.
constexpr double kSummaryConfidence = 0.95;

// The finding where no engine was asked for: instructions if the processor counts them, and what
// the kernel counted.
std::string NativeFinding(const count::CountReport& report) {
  const auto events = count::NativeEventsOf(report.native_runs);
  std::string text;
  const auto add = [&](std::string_view event, std::string_view one, std::string_view several) {
    const auto seen = std::ranges::find(events, event, &count::NativeEvent::event);
    if (seen == events.end() || seen->values.empty()) return;
    const Measured mean = count::MeanOfRuns(*seen, kSummaryConfidence);
    const std::string number = seen->unit == "ns" ? report::ShowSeconds(1e-9 * mean.Value())
                                                  : report::ShowMeasured(mean, 1).value;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, number == "1" ? one : several);
  };
  add("instructions", "instruction", "instructions");
  add("task-clock", "of processor time", "of processor time");
  add("page-faults", "page fault", "page faults");
  add("context-switches", "context switch", "context switches");
  if (text.empty()) return text;
  return report.native_runs.size() == 1
             ? fmt::format("{} in one native run. ", text)
             : fmt::format("{}, means of {} native runs. ", text, report.native_runs.size());
}

// Whether the difference of every engine from the reference is exactly 0.
bool SameInstructions(const count::CountReport& report) {
  for (std::size_t i = 0; i < report.engines.size(); ++i) {
    if (i == *report.reference || !report.engines[i].Usable()) continue;
    const Measured difference = DifferenceFromReference(report, i);
    if (!difference.exact || difference.Value() != 0) return false;
  }
  return true;
}

bool HasValgrind(const count::CountReport& report) {
  return std::ranges::any_of(report.engines, [](const EngineCounts& counts) {
    return counts.engine == engine::Engine::kValgrind && counts.Usable();
  });
}

}  // namespace

std::string UnexplainedText(const count::Ledger& ledger) {
  if (ledger.unexplained == 0) return ", all of them explained";
  const std::int64_t known = ledger.total - ledger.unexplained;
  // Known causes may outweigh a part of the rest.
  const bool opposed = known != 0 && (known < 0) != (ledger.unexplained < 0);
  if (!opposed) return fmt::format(", {} of them unexplained", Shown(std::abs(ledger.unexplained)));
  const auto side = [](std::int64_t amount) {
    return fmt::format("{} {}", Shown(std::abs(amount)), amount < 0 ? "fewer" : "more");
  };
  return fmt::format(" ({} for known causes, {} unexplained)", side(known),
                     side(ledger.unexplained));
}

std::string CountSummary(const count::CountReport& report,
                         const std::optional<engine::Region>& region,
                         count::RepConvention convention) {
  std::string text = CountFinding(report);
  if (!text.empty()) text += " ";
  if (report.engines.empty()) text = NativeFinding(report);
  if (const std::string failure = report.ended.Failure(); !failure.empty()) {
    text += fmt::format("The program {}. ", failure);
  }
  if (!report.reference && !report.engines.empty()) {
    // Some reasons begin with the engine's name.
    const std::string engine = fmt::format("{}: ", Name(report.engines.front().engine));
    const std::string& absence = report.engines.front().absence;
    return text + fmt::format("No engine counted the instructions: {}{}.",
                              absence.starts_with(engine) ? "" : engine, absence);
  }
  text += WhatIsCounted(report, region);
  if (report.reference) {
    // Where none ran, either convention gives the same count.
    if (report.engines[*report.reference].tally.total[Metric::kRepeatedInstructions] > 0) {
      text += convention == count::RepConvention::kOnce
                  ? " A rep instruction counts once."
                  : " A rep instruction counts once per iteration.";
    }
  }
  std::size_t usable = 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < report.engines.size(); ++i) {
    if (!report.engines[i].Usable()) continue;
    // The virtual engine is Valgrind with models, so it is not independent of the Valgrind engine.
    if (report.engines[i].engine == engine::Engine::kVirtual && HasValgrind(report)) continue;
    ++usable;
    const count::MetricCounts& reference = report.engines[*report.reference].tally.total;
    if (std::ranges::all_of(report.engines[i].runs,
                            [&](const count::MetricCounts& run) { return run == reference; })) {
      ++agreeing;
    }
  }
  if (usable > 1 && agreeing == usable) {
    text += fmt::format(" {} independent engines agree on every metric.", usable);
  } else if (usable > 1 && SameInstructions(report)) {
    text += fmt::format(
        " {} independent engines agree on the instructions, but not on every metric.", usable);
  }
  return text;
}

}  // namespace tare::cli
