// profile_tables.cc: shares as tables, and the sentences above them.
#include "cli/commands/profile/profile_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"
#include "stats/interval.h"

namespace tare::cli {
namespace {

using profile::Part;
using profile::PartShare;
using profile::Shares;

std::string ObjectText(const std::string& object) { return Printable(profile::FileNameOf(object)); }

Measured RankCell(const stats::RankRange& rank, std::size_t place, double confidence) {
  Measured cell = Between(static_cast<double>(place), static_cast<double>(rank.best),
                          static_cast<double>(rank.worst), confidence);
  cell.value = static_cast<std::int64_t>(place);
  return cell;
}

// By its own samples, however the rows are shown: that is the order of `shares.rows`.
std::size_t PlaceOf(const PartShare& row, const Shares& shares) {
  return static_cast<std::size_t>(&row - shares.rows.data()) + 1;
}

std::string_view TableId(Part part) {
  return part == Part::kFunction ? "functions" : part == Part::kLine ? "lines" : "blocks";
}

report::Table ShareTable(const Shares& shares, Part part, const ProfileView& view,
                         std::span<const Caveat> caveats) {
  // What fits into 80 columns.
  const bool inclusive = view.inclusive || view.all;
  const bool ranks = view.all || (view.verbose && !view.inclusive);
  const bool objects = view.all || part == Part::kFunction;
  const bool times = view.all || (!view.inclusive && !view.verbose);
  report::Table table{std::string(TableId(part)),
                      fmt::format("{} by {}",
                                  part == Part::kFunction ? "Functions"
                                  : part == Part::kLine   ? "Source lines"
                                                          : "Basic blocks",
                                  view.inclusive ? "samples with callees" : "samples"),
                      {report::SymbolColumn("function")},
                      {}};
  auto& columns = table.columns;
  if (part == Part::kLine) columns.push_back({"line"});
  if (part == Part::kBlock) columns.push_back({"offset"});
  if (objects) columns.push_back({"object"});
  columns.push_back({view.inclusive && !view.all ? "own_samples" : "samples"});
  columns.push_back({"share", "%"});
  if (times) columns.push_back({"time", "s"});
  if (part == Part::kBlock && view.all) columns.push_back({"instructions"});
  if (inclusive && view.all) columns.push_back({"inclusive_samples"});
  if (inclusive) {
    report::Column shared{"inclusive", "%"};
    columns.push_back(view.inclusive ? report::Kept(std::move(shared)) : shared);
  }
  if (ranks) columns.push_back({"rank"});

  std::vector<const PartShare*> rows;
  for (const PartShare& row : shares.rows) rows.push_back(&row);
  if (view.inclusive) std::ranges::stable_sort(rows, std::greater(), &PartShare::inclusive_samples);
  for (const PartShare* row : rows) {
    if (!view.all && !view.inclusive && row->samples == 0) continue;
    if (!view.all && view.top != 0 && table.rows.size() == view.top) break;
    std::vector<report::Cell> cells = {Printable(row->function)};
    if (part == Part::kLine) {
      cells.emplace_back(
          row->file.empty()
              ? std::string("?")
              : fmt::format("{}:{}", Printable(profile::FileNameOf(row->file)), row->line));
    }
    if (part == Part::kBlock) {
      cells.emplace_back(row->instructions == 0 ? std::string("?")
                                                : fmt::format("{:#x}", row->offset));
    }
    if (objects) cells.emplace_back(ObjectText(row->object));
    cells.emplace_back(Count(row->samples));
    cells.emplace_back(WithCaveats(row->share, caveats));
    if (times) cells.emplace_back(WithCaveats(row->time, caveats));
    if (part == Part::kBlock && view.all) cells.emplace_back(Count(row->instructions));
    if (inclusive && view.all) cells.emplace_back(Count(row->inclusive_samples));
    if (inclusive) cells.emplace_back(WithCaveats(row->inclusive_share, caveats));
    if (ranks && !view.all) {
      cells.emplace_back(row->rank.best == row->rank.worst
                             ? fmt::format("{}", row->rank.best)
                             : fmt::format("{} to {}", row->rank.best, row->rank.worst));
    } else if (ranks) {
      cells.emplace_back(row->samples == 0
                             ? report::Cell(Absent("it has no samples of its own"))
                             : RankCell(row->rank, PlaceOf(*row, shares), shares.confidence));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Samples by process and its command, for the system and for programs with children.
report::Table ProcessTable(const format::SampledProfile& profile, double seconds,
                           const ProfileView& view) {
  report::Table table{"processes",
                      "Processes by samples",
                      {{"process"}, {"command"}, {"samples"}, {"share", "%"}, {"time", "s"}},
                      {}};
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> counts;
  for (const auto& sample : profile.samples) {
    const auto& thread = profile.threads[sample.thread];
    std::string command = thread.command;
    // A process is named after its first thread.
    for (const auto& other : profile.threads) {
      if (other.process == thread.process && other.thread == thread.process && thread.process != 0)
        command = other.command;
    }
    ++counts[{thread.process, command}];
  }
  std::vector<std::pair<std::pair<std::uint32_t, std::string>, std::uint64_t>> rows(counts.begin(),
                                                                                    counts.end());
  std::ranges::stable_sort(rows, std::greater(), [](const auto& row) { return row.second; });
  for (const auto& [key, count] : rows) {
    if (!view.all && table.rows.size() == 10) break;
    const auto share = stats::ProportionInterval(count, profile.samples.size(), view.confidence);
    if (!share) continue;
    table.rows.push_back({Number(std::int64_t{key.first}), Printable(key.second), Count(count),
                          Scaled(*share, 100), Scaled(*share, seconds)});
  }
  return table;
}

report::Table SamplingTable(const format::SampledProfile& profile, const Shares& shares) {
  const auto& facts = profile.facts;
  const auto step = profile::CheckStep(profile);
  report::Table table{"sampling", "How it was sampled", {{"fact"}, {"value"}}, {}};
  const auto add = [&](const char* fact, report::Cell value) {
    table.rows.push_back({std::string(fact), std::move(value)});
  };
  const std::string unit = facts.event == "cpu-clock" ? "ns" : "cycles";
  add("event", facts.event);
  add("call graph", facts.chains);
  add("samples", Count(shares.samples));
  add("lost samples", Count(facts.lost));
  add("times throttled", Count(facts.throttled));
  add("first period", WithUnit(unit, Count(facts.period[0])));
  add("second period", WithUnit(unit, Count(facts.period[1])));
  add("samples with the first period", Count(step.samples[0]));
  add("samples with the second period", Count(step.samples[1]));
  add("p-value that both periods agree", step.test.degrees > 0
                                             ? report::Cell(Unbounded(step.test.p))
                                             : report::Cell(Absent("too few samples to compare")));
  add("processor time", WithUnit("s", Unbounded(shares.cpu_seconds)));
  add("elapsed time", WithUnit("s", Unbounded(1e-9 * static_cast<double>(facts.wall_ns))));
  add("runs", Count(facts.runs));
  add("cost of sampling", WithUnit("%", profile::CostOf(profile)));
  add("processor time of tare itself",
      WithUnit("s", Unbounded(1e-9 * static_cast<double>(facts.own_cpu_ns))));
  add("incomplete call chains", WithUnit("%", Unbounded(profile::BrokenChains(profile))));
  return table;
}

std::string ProgramText(const format::SampledProfile& profile) {
  const std::string& program = profile.facts.program;
  if (program == "the whole system") return "The whole system";
  if (!program.starts_with('/')) return Printable(program);
  return Printable(profile::FileNameOf(program));
}

// Whether the first function has the largest share, or which others may.
std::string MostText(const Shares& shares, double confidence) {
  const PartShare& first = shares.rows.front();
  const auto may_be_first = [&](const PartShare& row) {
    return row.samples > 0 &&
           stats::LargestShareByChance(first.samples, row.samples) > 1 - confidence;
  };
  const auto others =
      std::ranges::count_if(shares.rows.begin() + 1, shares.rows.end(), may_be_first);
  if (others > 1) return fmt::format(", but {} other functions may have as much", others);
  if (others == 1)
    return fmt::format(", but {} may have as much", Printable(shares.rows[1].function));
  return shares.rows.size() > 1 && shares.rows[1].samples > 0 ? ", certainly the most" : "";
}

std::string AnswerOf(const format::SampledProfile& profile, const Shares& shares,
                     double confidence) {
  const PartShare& first = shares.rows.front();
  std::string text = fmt::format(
      "{} used {} of processor time{}. {} ({}) has {} % of it ({} to {} %)", ProgramText(profile),
      report::ShowSeconds(shares.cpu_seconds), profile.facts.with_kernel ? "" : " in user mode",
      Printable(first.function), ObjectText(first.object), Rounded(first.share.Value(), 3),
      Rounded(first.share.Low(), 3), Rounded(first.share.High(), 3));
  text += MostText(shares, confidence) + ".";
  const Measured cost = profile::CostOf(profile);
  text += fmt::format(" {} samples", Grouped(shares.samples));
  if (profile.facts.lost > 0) text += fmt::format(", {} lost", Grouped(profile.facts.lost));
  text +=
      cost.value ? fmt::format("; sampling cost {} % of the time.", Rounded(cost.Value(), 2)) : ".";
  return text;
}

// A program that ended before the first sample has an empty table.
void ShowNoSamples(const format::SampledProfile& profile, const ProfileView& view,
                   report::Document& document) {
  document.blocks.emplace_back(report::Text{
      "answer",
      fmt::format("{} used {} of processor time, too little for a sample. Sample more "
                  "often (--frequency) or add the samples of several runs (--runs).",
                  ProgramText(profile),
                  report::ShowSeconds(1e-9 * static_cast<double>(profile.facts.cpu_ns)))});
  Shares none;
  document.blocks.emplace_back(ShareTable(none, Part::kFunction, view, {}));
  AddCaveats(document, std::vector<Caveat>{{CaveatId::kFewSamples, "there are none"}});
}

}  // namespace

Result<void> ShowProfile(const format::SampledProfile& profile, const ProfileView& view,
                         report::Document& document) {
  if (profile.samples.empty()) {
    ShowNoSamples(profile, view, document);
    return {};
  }
  auto caveats = profile::CaveatsOf(profile);
  const bool shows_callers = view.inclusive || view.tree || view.verbose || view.all;
  if (!shows_callers) {
    std::erase_if(caveats,
                  [](const Caveat& caveat) { return caveat.key == CaveatId::kBrokenChains; });
  }
  TRY(const Shares functions, profile::SharesOf(profile, Part::kFunction, view.confidence));
  document.blocks.emplace_back(
      report::Text{"answer", AnswerOf(profile, functions, view.confidence)});
  if (view.part == Part::kFunction || view.all)
    document.blocks.emplace_back(ShareTable(functions, Part::kFunction, view, caveats));
  for (const Part part : {Part::kLine, Part::kBlock}) {
    if (view.part != part && !view.all) continue;
    TRY(const Shares shares, profile::SharesOf(profile, part, view.confidence));
    document.blocks.emplace_back(ShareTable(shares, part, view, caveats));
  }
  report::Table processes = ProcessTable(profile, functions.cpu_seconds, view);
  if (processes.rows.size() > 1 || view.all) document.blocks.emplace_back(std::move(processes));
  if (view.tree || view.all) document.blocks.emplace_back(CallTree(profile, view.all ? 0.1 : 1));
  if (view.verbose || view.all) document.blocks.emplace_back(SamplingTable(profile, functions));
  AddCaveats(document, caveats);
  return {};
}

}  // namespace tare::cli
