// profile_tables_compare.cc: plans, two profiles, and sampling beside exact counts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "binary/elf/function.h"
#include "cli/cells.h"
#include "cli/commands/profile/profile_tables.h"
#include "measure/profile/process_maps.h"
#include "report/figures.h"
#include "stats/interval.h"

namespace tare::cli {
namespace {

std::string Signed(double change) { return (change > 0 ? "+" : "") + Rounded(change, 3); }

}  // namespace

void ShowPlan(const profile::PlanRequest& request, const profile::SamplePlan& plan,
              report::Document& document) {
  std::string text = fmt::format(
      "A part with {} % of the time gets at least {} samples with a chance of {} % if "
      "there "
      "are {} samples",
      Rounded(100 * request.share, 4), request.samples, Rounded(100 * request.chance, 6),
      Grouped(plan.samples));
  if (plan.period_seconds) {
    text += fmt::format(
        ": sample every {} ({} per second) for {}", report::ShowSeconds(*plan.period_seconds),
        Rounded(1 / *plan.period_seconds, 3), report::ShowSeconds(*request.seconds));
  } else if (plan.duration_seconds) {
    text +=
        fmt::format(": {} of processor time at {} per second",
                    report::ShowSeconds(*plan.duration_seconds), Rounded(*request.frequency, 4));
  }
  text += ".";
  if (request.parts > 1) {
    text += fmt::format(" For all {} parts at once, {} samples are needed", request.parts,
                        Grouped(plan.samples_together));
    if (plan.period_together_seconds)
      text += fmt::format(": one every {}", report::ShowSeconds(*plan.period_together_seconds));
    text += ".";
  }
  document.blocks.emplace_back(report::Text{"answer", text});
  report::Table table{
      "plan",
      "Samples needed",
      {{"for"}, {"samples"}, {"period", "s"}, {"frequency", "Hz"}, {"duration", "s"}},
      {}};
  const auto row = [&](const std::string& name, std::uint64_t samples,
                       const std::optional<double>& period, const std::optional<double>& duration) {
    table.rows.push_back({name, Count(samples),
                          period ? Unbounded(*period) : Absent("give the duration: --duration"),
                          period              ? Unbounded(1 / *period)
                          : request.frequency ? Known(*request.frequency)
                                              : Absent("give the duration: --duration"),
                          duration          ? Unbounded(*duration)
                          : request.seconds ? Known(*request.seconds)
                                            : Absent("give the rate: --frequency")});
  };
  row("each part", plan.samples, plan.period_seconds, plan.duration_seconds);
  if (request.parts > 1)
    row("all parts at once", plan.samples_together, plan.period_together_seconds,
        plan.duration_together_seconds);
  document.blocks.emplace_back(std::move(table));
}

void ShowDiff(const format::SampledProfile& first, const format::SampledProfile& second,
              const profile::ProfileDiff& diff, const ProfileView& view,
              report::Document& document) {
  std::string text;
  if (diff.significant == 0) {
    text = fmt::format("The shares of no function differ significantly ({} % confidence).",
                       Rounded(100 * view.confidence, 4));
  } else {
    const auto& most = diff.functions.front();
    text = fmt::format(
        "{} function{} changed. {} changed most: from {} % to {} % of the time, "
        "{} percentage points ({} to {}).",
        diff.significant, diff.significant == 1 ? "" : "s", Printable(most.function),
        Rounded(most.share[0].Value(), 3), Rounded(most.share[1].Value(), 3),
        Signed(most.share_change.Value()), Signed(most.share_change.Low()),
        Signed(most.share_change.High()));
  }
  text += fmt::format(" Processor time: {} and {}.", report::ShowSeconds(diff.seconds[0]),
                      report::ShowSeconds(diff.seconds[1]));
  if (first.facts.arguments != second.facts.arguments)
    text += fmt::format(" The command lines differ: '{}' and '{}'.",
                        Printable(first.facts.arguments), Printable(second.facts.arguments));
  document.blocks.emplace_back(report::Text{"answer", text});
  report::Table table{"changes",
                      "Functions whose share changed",
                      {report::SymbolColumn("function"),
                       {"object"},
                       {"before", "%"},
                       {"after", "%"},
                       {"change", "%"},
                       {"time_change", "s"}},
                      {}};
  if (view.all) {
    table.title = "Functions by change of their share";
    table.columns.insert(table.columns.end(),
                         {{"samples_before"}, {"samples_after"}, {"p"}, {"significant"}});
  }
  for (const auto& change : diff.functions) {
    if (!view.all && !change.significant) break;
    if (!view.all && view.top != 0 && table.rows.size() == view.top) break;
    std::vector<report::Cell> row = {
        Printable(change.function), Printable(change.object), change.share[0], change.share[1],
        change.share_change,        change.time_change};
    if (view.all) {
      row.emplace_back(Count(change.samples[0]));
      row.emplace_back(Count(change.samples[1]));
      row.emplace_back(Known(change.p));
      row.emplace_back(std::string(change.significant ? "yes" : "no"));
    }
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty() || view.all) document.blocks.emplace_back(std::move(table));
  AddCaveats(document, profile::CaveatsOf(first));
  AddCaveats(document, profile::CaveatsOf(second));
}

namespace {

struct SampledAndCounted {
  std::string object;  // file name
  std::string function;
  std::uint64_t samples = 0;
  std::uint64_t instructions = 0;
};

// Why the share of time differs from the share of instructions.
std::string ReasonOf(const std::string& object, const SampledAndCounted& row, const Measured& share,
                     double counted) {
  if (object == profile::kKernelObject) return "kernel code, which the counts lack";
  if (row.samples < profile::kMinSamples && counted < share.High()) return "few samples";
  if (share.Contains(counted)) return "agrees";
  if (row.instructions == 0) return "generated code, which counts lack";
  if (object.starts_with("ld-linux")) return "start-up, before the first sample";
  const double ratio = share.Value() / counted;
  return fmt::format("{} times the mean cost", Rounded(ratio, ratio > 1 ? 3 : 2));
}

}  // namespace

Result<void> ShowBoth(const format::SampledProfile& profile, const count::Tally& tally,
                      const ProfileView& view, report::Document& document) {
  TRY(const profile::Shares shares,
      profile::SharesOf(profile, profile::Part::kFunction, view.confidence));
  // By address: the engines name functions of stripped files by it.
  std::map<std::pair<std::string, std::uint64_t>, SampledAndCounted> rows;
  std::uint64_t sampled = 0;
  std::uint64_t in_kernel = 0;
  for (const auto& row : shares.rows) {
    (row.object == profile::kKernelObject ? in_kernel : sampled) += row.samples;
    auto& joined = rows[{row.object, row.start}];
    joined.object = profile::FileNameOf(row.object);
    joined.function = row.function;
    joined.samples += row.samples;
  }
  std::uint64_t counted = 0;
  for (const auto& [key, function] : tally.functions) {
    const std::uint64_t own = function.metrics[count::Metric::kInstructions];
    counted += own;
    auto& joined = rows[{key.object, key.start}];
    if (joined.function.empty()) {
      joined.object = profile::FileNameOf(key.object);
      joined.function = elf::Demangled(function.function);
    }
    joined.instructions += own;
  }
  if (sampled == 0 || counted == 0)
    return Fail(ErrorKind::kUnsupported,
                "there are no samples in user mode to compare with counts");
  std::vector<SampledAndCounted> sorted;
  for (const auto& [key, row] : rows) sorted.push_back(row);
  std::ranges::stable_sort(sorted, std::greater(), [&](const auto& row) {
    return std::max(static_cast<double>(row.samples) / static_cast<double>(sampled),
                    static_cast<double>(row.instructions) / static_cast<double>(counted));
  });
  report::Table table{"both",
                      "Share of time in user mode, and share of executed instructions",
                      {report::SymbolColumn("function"),
                       {"object"},
                       {"samples"},
                       report::Kept({"share", "%"}),
                       report::Kept({"instructions_share", "%"}),
                       report::Kept({"verdict"})},
                      {}};
  if (view.all) table.columns.insert(table.columns.begin() + 3, report::Column{"instructions"});
  std::size_t outside = 0;
  std::size_t compared = 0;
  std::string example;
  for (const auto& row : sorted) {
    const bool kernel = row.object == profile::kKernelObject;
    if (kernel && !view.all) continue;
    TRY(Measured share,
        stats::ProportionInterval(kernel ? 0 : row.samples, sampled, view.confidence));
    share = Scaled(std::move(share), 100);
    const double of_counts =
        100 * static_cast<double>(row.instructions) / static_cast<double>(counted);
    const std::string reason = ReasonOf(row.object, row, share, of_counts);
    if (!kernel && (row.samples >= profile::kMinSamples || of_counts > share.High())) {
      ++compared;
      if (!share.Contains(of_counts)) {
        ++outside;
        if (example.empty())
          example =
              fmt::format("{}: {} % of the time, {} % of the instructions ({})",
                          Printable(row.function), Rounded(share.Value(), 3), Rounded(of_counts, 3),
                          reason.ends_with("mean cost") ? reason + " per instruction" : reason);
      }
    }
    const bool matters = row.samples >= profile::kMinSamples || of_counts >= 1;
    if (!view.all && (!matters || (view.top != 0 && table.rows.size() == view.top))) continue;
    std::vector<report::Cell> cells = {Printable(row.function), Printable(row.object),
                                       Count(row.samples),      share,
                                       Known(of_counts),        reason};
    if (view.all) cells.insert(cells.begin() + 3, report::Cell(Count(row.instructions)));
    table.rows.push_back(std::move(cells));
  }
  std::string text = fmt::format(
      "In {} of {} functions with enough samples the share of time differs from the share of "
      "executed instructions by more than chance.",
      outside, compared);
  if (!example.empty()) text += fmt::format(" {}.", example);
  text += fmt::format(
      " {} % of all samples are in the kernel, which counts of instructions lack.",
      Rounded(100 * static_cast<double>(in_kernel) / static_cast<double>(shares.samples), 3));
  document.blocks.emplace_back(report::Text{"answer", text});
  document.blocks.emplace_back(std::move(table));
  AddCaveats(document, profile::CaveatsOf(profile));
  return {};
}

}  // namespace tare::cli
