// replay_tables.cc: replays as tables and sentences.
#include "cli/commands/replay/replay_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "base/derived.h"
#include "base/printable.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

// To a hundredth of a percent: less is no finding.
Measured ShareOfTime(double part, double whole) {
  return Unbounded(whole > 0 ? std::round(1e4 * part / whole) / 100 : 0.0);
}

// A part of the replayed time, or a time like it.
Measured Part(double value, const Measured& time) {
  return WithWorstVerdict(Unbounded(value), {time});
}

constexpr double kNoBound = std::numeric_limits<double>::quiet_NaN();
// In the order of the legend.
constexpr std::array<std::string_view, 3> kOrigins = {"replayed", "synthesized", "extrapolated"};

Measured Bytes(std::uint64_t bytes) {
  return Exact(static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

}  // namespace

std::string ReplayAnswer(const ReplayedTrace& replayed) {
  const auto ranks = replayed.result.ranks.size();
  std::string text =
      fmt::format("{} takes {} with {} rank{} on network {}", Printable(replayed.program),
                  report::ShowSeconds(replayed.time.Value()), ranks, ranks == 1 ? "" : "s",
                  Printable(replayed.network));
  if (replayed.time.HasInterval() && replayed.time.Low() < replayed.time.High()) {
    text += fmt::format(" ({} to {})", report::ShowSeconds(replayed.time.Low()),
                        report::ShowSeconds(replayed.time.High()));
  }
  if (replayed.recorded > 0)
    text += fmt::format("; recorded: {}", report::ShowSeconds(replayed.recorded));
  return text + ". " + ScalingLimit(replayed);
}

std::string ScalingLimit(const ReplayedTrace& replayed) {
  const double time = replayed.time.Value();
  if (!(time > 0))
    return "It takes no time: nothing was recorded between MPI_Init and MPI_Finalize.";
  struct Loss {
    std::string_view what;
    double share;
  };
  const replay::Efficiency& e = replayed.efficiency;
  const std::array<Loss, 3> losses = {
      {{"unequal computation (load balance)", 1 - e.balance},
       {"ranks that wait for each other (serialization)", 1 - e.serialization},
       {"the network (transfer)", 1 - e.transfer}}};
  const Loss& largest = *std::ranges::max_element(losses, {}, &Loss::share);
  constexpr double kLittle = 0.05;
  if (replayed.result.ranks.size() == 1) return "One rank computes alone; no network can help.";
  if (1 - e.parallel < kLittle) {
    return fmt::format(
        "Ranks compute {:.0f} % of the time: only faster processors would help much.",
        100 * e.parallel);
  }
  return fmt::format("Ranks compute {:.0f} % of the time; {} limit{} scaling most, by {:.0f} %.",
                     100 * e.parallel, largest.what, largest.what.starts_with("ranks") ? "" : "s",
                     100 * largest.share);
}

report::Table ResultTable(const ReplayedTrace& replayed) {
  report::Table table{"result",
                      "Predicted time from the end of MPI_Init to MPI_Finalize",
                      {{"engine"},
                       {"network", "", false, false, true},
                       {"ranks"},
                       {"time", "s"},
                       {"recorded", "s"},
                       {"difference", "%"}},
                      {}};
  report::Cell recorded;
  report::Cell difference;
  if (replayed.recorded > 0) {
    recorded = Unbounded(replayed.recorded);
    difference = WithWorstVerdict(
        ShareOfTime(replayed.time.Value() - replayed.recorded, replayed.recorded), {replayed.time});
  }
  table.rows.push_back({std::string(Name(replayed.engine)), replayed.network,
                        Number(static_cast<std::int64_t>(replayed.result.ranks.size())),
                        replayed.time, recorded, difference});
  return table;
}

report::Table RankTable(const ReplayedTrace& replayed, std::size_t top) {
  const auto& ranks = replayed.result.ranks;
  std::string title = "Time of each rank";
  std::vector<std::size_t> shown(ranks.size());
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = i;
  if (top > 0 && shown.size() > top) {
    title = fmt::format("Time of {} of {} ranks: those that compute most", top, ranks.size());
    std::ranges::stable_sort(shown, std::greater(),
                             [&](std::size_t i) { return ranks[i].compute; });
    shown.resize(top);
    std::ranges::sort(shown);
  }
  report::Table table{
      "ranks", title, {{"rank"}, {"compute", "s"}, {"wait", "s"}, {"transfer", "s"}}, {}};
  for (const std::size_t i : shown) {
    table.rows.push_back({Number(static_cast<std::int64_t>(i)),
                          Part(ranks[i].compute, replayed.time), Part(ranks[i].wait, replayed.time),
                          Part(ranks[i].transfer, replayed.time)});
  }
  return table;
}

report::Table EfficiencyTable(const ReplayedTrace& replayed) {
  report::Table table{"efficiency",
                      "Parallel efficiency and its factors",
                      {{"factor"}, {"value", "%"}, {"meaning"}},
                      {}};
  const replay::Efficiency& e = replayed.efficiency;
  const auto add = [&](std::string name, double value, std::string meaning) {
    table.rows.push_back({std::move(name), Part(100 * value, replayed.time), std::move(meaning)});
  };
  add("parallel", e.parallel, "mean computation over time");
  add("load balance", e.balance, "mean over maximum of computation");
  add("serialization", e.serialization, "maximum of computation over ideal time");
  add("transfer", e.transfer, "time on an ideal network over time");
  return table;
}

report::Table PathTable(const ReplayedTrace& replayed) {
  const replay::CriticalPath& path = replayed.result.path;
  report::Table table{
      "critical_path",
      path.messages > 0 ? fmt::format("Critical path: {:.0f} messages between nodes", path.messages)
                        : "Critical path",
      {{"part"}, {"time", "s"}, {"share", "%"}},
      {}};
  const auto add = [&](std::string part, double seconds) {
    table.rows.push_back(
        {std::move(part), Part(seconds, replayed.time),
         WithWorstVerdict(ShareOfTime(seconds, replayed.result.seconds), {replayed.time})});
  };
  add("computation", path.compute);
  add("overhead", path.overhead);
  add("latency", path.latency);
  add("transmission", path.transmission);
  add("queueing", path.queueing);
  return table;
}

report::Table SensitivityTable(const ReplayedTrace& replayed) {
  report::Table table{
      "sensitivity", "What would help", {{"change"}, {"time", "s"}, {"saved", "%"}, {"slope"}}, {}};
  const double time = replayed.result.seconds;
  for (const WhatIfTime& limit : replayed.limits) {
    if (!limit.seconds) continue;
    report::Cell slope;
    if (limit.change == "latency=x0.5" && replayed.latency_step > 0) {
      const double per_microsecond = (time - *limit.seconds) / replayed.latency_step * 1e-6;
      slope = fmt::format("{} per µs", report::ShowSeconds(std::max(per_microsecond, 0.0)));
    }
    const Measured changed = Doubtful(Unbounded(*limit.seconds), "the machine is projected");
    table.rows.push_back({limit.change, changed,
                          WithWorstVerdict(ShareOfTime(time - *limit.seconds, time), {changed}),
                          slope});
  }
  return table;
}

report::Timeline PathTimeline(const ReplayedTrace& replayed) {
  constexpr std::size_t kMaxSpans = 2000;
  report::Timeline timeline{"path_timeline", "Ranks on the critical path", "s", {}};
  std::map<std::int32_t, report::Lane> lanes;
  const auto& parts = replayed.result.path.parts;
  for (std::size_t i = 0; i < parts.size() && i < kMaxSpans; ++i) {
    report::Lane& lane = lanes[parts[i].rank];
    lane.name = fmt::format("rank {}", parts[i].rank);
    lane.spans.push_back({parts[i].from, parts[i].to, "path"});
  }
  for (auto& [rank, lane] : lanes) timeline.lanes.push_back(std::move(lane));
  return timeline;
}

report::Bars RankBars(const ReplayedTrace& replayed, std::size_t top) {
  report::Bars bars{"rank_bars", "Time of each rank", "s", {"compute", "wait", "transfer"}, {}};
  const auto& ranks = replayed.result.ranks;
  for (std::size_t i = 0; i < ranks.size() && i < top; ++i) {
    bars.bars.push_back({fmt::format("rank {}", i),
                         {Part(ranks[i].compute, replayed.time), Part(ranks[i].wait, replayed.time),
                          Part(ranks[i].transfer, replayed.time)}});
  }
  return bars;
}

report::Table PairTable(const replay::Traffic& traffic, std::size_t top) {
  report::Table table{"messages",
                      fmt::format("Point-to-point messages by sender and receiver ({} pairs)",
                                  traffic.pairs.size()),
                      {{"from"}, {"to"}, {"messages"}, {"bytes", "B"}, {"mean", "B"}},
                      {}};
  for (const replay::Pair& pair : traffic.pairs) {
    if (top > 0 && table.rows.size() >= top) break;
    table.rows.push_back(
        {Number(std::int64_t{pair.from}), Number(std::int64_t{pair.to}), Bytes(pair.messages),
         Bytes(pair.bytes),
         Unbounded(static_cast<double>(pair.bytes) / static_cast<double>(pair.messages))});
  }
  return table;
}

report::Table SizeTable(const replay::Traffic& traffic) {
  report::Table table{"message_sizes",
                      "Point-to-point messages by size",
                      {{"up_to", "B"}, {"messages"}, {"bytes", "B"}},
                      {}};
  for (const replay::SizeClass& size : traffic.sizes) {
    table.rows.push_back({Bytes(size.bytes), Bytes(size.messages), Bytes(size.total)});
  }
  return table;
}

report::Table CollectiveTable(const replay::Traffic& traffic) {
  report::Table table{"collectives",
                      "Collective calls of all ranks",
                      {{"collective"}, {"calls"}, {"bytes", "B"}},
                      {}};
  for (const replay::CollectiveUse& use : traffic.collectives) {
    table.rows.push_back({std::string(Name(use.collective)), Bytes(use.calls), Bytes(use.bytes)});
  }
  return table;
}

std::string ScalingAnswer(std::span<const ScalingRow> rows) {
  const ScalingRow& first = rows.front();
  const ScalingRow* last = &first;
  const ScalingRow* beyond = nullptr;
  for (const ScalingRow& row : rows) {
    if (!row.time.value) continue;
    if (row.origin == "replayed" && row.ranks > last->ranks) last = &row;
    if (row.origin == "extrapolated" && (beyond == nullptr || row.ranks > beyond->ranks)) {
      beyond = &row;
    }
  }
  std::string text;
  if (last->ranks > first.ranks && last->time.Value() > 0) {
    text = fmt::format("From {} to {} ranks the time goes from {} to {}, a speedup of {}.",
                       first.ranks, last->ranks, report::ShowSeconds(first.time.Value()),
                       report::ShowSeconds(last->time.Value()),
                       report::ShowRounded(first.time.Value() / last->time.Value(), 3));
  }
  if (beyond == nullptr) return text;
  if (!text.empty()) text += " ";
  text += fmt::format("{} ranks are extrapolated to take {}", beyond->ranks,
                      report::ShowSeconds(beyond->time.Value()));
  if (beyond->time.HasInterval()) {
    text += fmt::format(" ({} to {})", report::ShowSeconds(beyond->time.Low()),
                        report::ShowSeconds(beyond->time.High()));
  }
  return text + ".";
}

report::Table ScalingTable(std::span<const ScalingRow> rows, bool weak) {
  report::Table table{
      "scaling",
      weak ? "Weak scaling: the work of a rank stays the same"
           : "Strong scaling: more ranks share the same work",
      {{"ranks"}, {"origin"}, {"time", "s"}, {"recorded", "s"}, {"speedup"}, {"efficiency", "%"}},
      {}};
  table.whole = true;  // every row was asked for
  for (const ScalingRow& row : rows) {
    report::Cell recorded;
    report::Cell speedup;
    report::Cell efficiency;
    if (row.recorded > 0) recorded = Unbounded(row.recorded);
    if (row.time.value && row.time.Value() > 0 && rows.front().time.Value() > 0) {
      const double ratio = rows.front().time.Value() / row.time.Value();
      speedup = WithWorstVerdict(Unbounded(weak ? ratio * row.ranks / rows.front().ranks : ratio),
                                 {rows.front().time, row.time});
    }
    if (row.efficiency > 0) efficiency = Part(100 * row.efficiency, row.time);
    table.rows.push_back(
        {Number(std::int64_t{row.ranks}), row.origin, row.time, recorded, speedup, efficiency});
  }
  return table;
}

report::Series ScalingPlot(std::span<const ScalingRow> rows) {
  report::Series plot{"scaling_plot", "Time by number of ranks", {"ranks"}, true, {}, true, {}};
  const auto line_of = [&](std::string_view name) -> report::Line& {
    const auto found = std::ranges::find(plot.lines, name, &report::Line::name);
    if (found != plot.lines.end()) return *found;
    return plot.lines.emplace_back(std::string(name), "s");
  };
  for (const ScalingRow& row : rows) {
    if (!(row.recorded > 0)) continue;
    report::Line& line = line_of("recorded");
    line.points = true;
    line.source = "recorded run";
    line.x.push_back(row.ranks);
    line.y.push_back(row.recorded);
  }
  std::vector<std::string> origins(kOrigins.begin(), kOrigins.end());
  for (const ScalingRow& row : rows) {
    if (std::ranges::find(origins, row.origin) == origins.end()) origins.push_back(row.origin);
  }
  for (const std::string& origin : origins) {
    for (const ScalingRow& row : rows) {
      if (row.origin != origin || !row.time.value) continue;
      report::Line& line = line_of(origin);
      line.x.push_back(row.ranks);
      line.y.push_back(row.time.Value());
      const bool bounded = row.time.HasInterval();
      line.low.push_back(bounded ? *row.time.low : kNoBound);
      line.high.push_back(bounded ? *row.time.high : kNoBound);
      if (!line.verdict || *line.verdict < row.time.verdict) {
        line.verdict = row.time.verdict;
        line.reason = row.time.reason;
      }
    }
  }
  return plot;
}

}  // namespace tare::cli
