// trace_phases.cc: change points of the metrics' rates over time.
#include "cli/commands/trace/trace_phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"
#include "stats/change_points.h"
#include "stats/correlation.h"

namespace tare::cli {
namespace {

using format::BucketSummary;
using format::Channel;

constexpr std::size_t kMaxPieces = 200;   // of the time
constexpr std::size_t kMaxMetrics = 8;    // that take part
constexpr std::size_t kShownMetrics = 4;  // columns of the table
constexpr std::uint64_t kMinRecords = 20;
constexpr std::int64_t kMinEvents = 100;
constexpr double kSameCourse = 0.95;  // correlation of metrics of which one suffices

// Means of one metric over `pieces` equal pieces of the time; NaN where there is no record.
std::vector<double> Course(const std::vector<BucketSummary>& buckets, std::size_t per_piece) {
  std::vector<double> course;
  for (std::size_t first = 0; first < buckets.size(); first += per_piece) {
    double sum = 0;
    double count = 0;
    for (std::size_t b = first; b < std::min(first + per_piece, buckets.size()); ++b) {
      if (buckets[b].figures == 0) continue;
      sum += buckets[b].mean;
      count += 1;
    }
    course.push_back(count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
  }
  return course;
}

bool SameCourse(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isnan(a[i]) || std::isnan(b[i])) continue;
    x.push_back(a[i]);
    y.push_back(b[i]);
  }
  const auto correlation = stats::Pearson(x, y, 0.95);
  return correlation && std::abs(correlation->Value()) > kSameCourse;
}

struct Metric {
  std::size_t channel = 0;
  std::vector<double> course;
};

// Metrics that change, without those that say the same as an earlier one.
std::vector<Metric> Distinct(const Trace& trace, std::span<const std::size_t> shown,
                             std::size_t per_piece) {
  std::vector<Metric> metrics;
  for (const std::size_t i : shown) {
    const format::ChannelSummary& summary = trace.summary.channels[i];
    if (summary.figures < kMinRecords || summary.smallest_figure == summary.largest_figure)
      continue;
    // A few events have no mean that could change.
    const bool is_total = trace.head.channels[i].kind == format::ChannelKind::kTotal;
    if (is_total && summary.last.value_or(0) < kMinEvents) continue;
    Metric metric{i, Course(summary.buckets, per_piece)};
    const bool repeats = std::ranges::any_of(
        metrics, [&](const Metric& other) { return SameCourse(other.course, metric.course); });
    if (!repeats) metrics.push_back(std::move(metric));
    if (metrics.size() == kMaxMetrics) break;
  }
  return metrics;
}

double MeanOf(const std::vector<double>& course, std::size_t first, std::size_t end) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (std::isnan(course[i])) continue;
    sum += course[i];
    count += 1;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

// How much of a metric's spread is between phases, from 0 to 1.
double Explained(const std::vector<double>& course, std::span<const std::size_t> bounds) {
  const double mean = MeanOf(course, 0, course.size());
  double all = 0;
  double within = 0;
  for (std::size_t p = 0; p + 1 < bounds.size(); ++p) {
    const double own = MeanOf(course, bounds[p], bounds[p + 1]);
    for (std::size_t i = bounds[p]; i < bounds[p + 1]; ++i) {
      if (std::isnan(course[i])) continue;
      all += (course[i] - mean) * (course[i] - mean);
      within += (course[i] - own) * (course[i] - own);
    }
  }
  return all > 0 ? 1 - within / all : 0;
}

class Phases {
 public:
  Phases(const Trace& trace, std::size_t per_piece, std::vector<Metric> metrics,
         std::vector<stats::ChangePoint> changes)
      : trace_(trace), metrics_(std::move(metrics)), changes_(std::move(changes)) {
    piece_ = static_cast<double>(trace.summary.bucket_width * per_piece);
    bounds_.push_back(0);
    for (const stats::ChangePoint& change : changes_) bounds_.push_back(change.at);
    bounds_.push_back(metrics_.front().course.size());
    std::ranges::stable_sort(metrics_, std::ranges::greater(), [this](const Metric& metric) {
      return Explained(metric.course, bounds_);
    });
  }

  TracePhases Show() const { return {Table(), Answer()}; }

 private:
  std::size_t Count() const { return bounds_.size() - 1; }
  // Seconds, or instructions, after the first record.
  double At(std::size_t piece) const {
    const double length = static_cast<double>(trace_.summary.last_time - trace_.summary.first_time);
    return std::min(static_cast<double>(piece) * piece_, length) * (trace_.ByTime() ? 1e-9 : 1);
  }
  std::string Unit() const { return trace_.ByTime() ? "s" : ""; }

  // A change is somewhere in the piece before it, or in that after it.
  Measured Start(std::size_t phase) const {
    if (phase == 0) return Known(0);
    const stats::ChangePoint& change = changes_[phase - 1];
    return Between(At(change.at), At(change.low - 1), At(change.high + 1), 0.95);
  }

  report::Table Table() const {
    report::Table table{"phases",
                        "Phases: where the metrics' means change",
                        {{"phase"}, {"start", Unit()}, {"length", Unit()}},
                        {}};
    const std::size_t shown = std::min(metrics_.size(), kShownMetrics);
    for (std::size_t m = 0; m < shown; ++m) {
      const Channel& channel = trace_.head.channels[metrics_[m].channel];
      report::Column column{Printable(channel.name), RateUnitOf(trace_, channel).symbol};
      column.thing = true;
      table.columns.push_back(std::move(column));
    }
    for (std::size_t p = 0; p < Count(); ++p) {
      std::vector<report::Cell> row = {Number(static_cast<std::int64_t>(p + 1)), Start(p),
                                       Unbounded(At(bounds_[p + 1]) - At(bounds_[p]))};
      for (std::size_t m = 0; m < shown; ++m) row.emplace_back(MeanCell(metrics_[m], p));
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  report::Cell MeanCell(const Metric& metric, std::size_t phase) const {
    const double mean = MeanOf(metric.course, bounds_[phase], bounds_[phase + 1]);
    if (std::isnan(mean)) return Absent("no records in this phase");
    return Unbounded(mean * RateUnitOf(trace_, trace_.head.channels[metric.channel]).factor);
  }

  std::string Answer() const {
    if (Count() == 1) return "The metrics' means do not change: the program has one phase.";
    const Metric& most = metrics_.front();
    const Channel& channel = trace_.head.channels[most.channel];
    const RateUnit unit = RateUnitOf(trace_, channel);
    const auto mean = [&](std::size_t p) {
      return MeanOf(most.course, bounds_[p], bounds_[p + 1]) * unit.factor;
    };
    // A phase may have no record of this metric.
    std::vector<std::size_t> known;
    for (std::size_t p = 0; p < Count(); ++p) {
      if (!std::isnan(mean(p))) known.push_back(p);
    }
    const std::string text = fmt::format("{} phases, with {} at {}.", Count(),
                                         Count() == 2 ? "a change" : "changes", ChangesText());
    if (known.size() < 2) return text;
    const std::size_t low = std::ranges::min(known, {}, mean);
    const std::size_t high = std::ranges::max(known, {}, mean);
    const auto shown = [&](std::size_t phase) -> std::string {
      const double value = mean(phase);
      const ScaledUnit own = ReadableUnit(std::abs(value), unit.symbol);
      std::string number = report::ShowMeasured(Unbounded(value), own.factor).value;
      if (!own.symbol.empty()) return number + " " + own.symbol;
      return unit.factor != 1 ? number + " processors" : number;
    };
    return fmt::format("{} They differ most clearly in {}: {} in phase {}, {} in phase {}.", text,
                       Printable(channel.name), shown(high), high + 1, shown(low), low + 1);
  }

  // "1.2 s and 3 s", "18,350,000, 22,540,000 instructions and later".
  std::string ChangesText() const {
    constexpr std::size_t kShown = 3;
    std::string text;
    for (std::size_t p = 1; p < Count() && p <= kShown; ++p) {
      const bool last = p + 1 == Count();
      if (p > 1) text += last ? " and " : ", ";
      text += trace_.ByTime() ? report::ShowSeconds(At(bounds_[p])) : Rounded(At(bounds_[p]), 4);
    }
    if (!trace_.ByTime()) text += " instructions";
    return Count() - 1 > kShown ? text + " and later" : text;
  }

  const Trace& trace_;
  std::vector<Metric> metrics_;  // those that differ most between phases first
  std::vector<stats::ChangePoint> changes_;
  std::vector<std::size_t> bounds_;  // of the phases, in pieces
  double piece_ = 0;                 // in units of the clock
};

}  // namespace

// CPU nanoseconds per second are a number of processors. If the clock counts instructions, rates
// are per thousand instructions.
RateUnit RateUnitOf(const Trace& trace, const Channel& channel) {
  if (channel.kind == format::ChannelKind::kLevel) return {channel.unit, 1};
  if (!trace.ByTime()) return {channel.unit.empty() ? "per 1000" : channel.unit + " per 1000", 1};
  if (channel.unit == "ns") return {"", 1e-9};
  return {channel.unit.empty() ? "/s" : channel.unit + "/s", 1};
}

std::optional<TracePhases> PhasesOf(const Trace& trace, std::span<const std::size_t> shown) {
  if (trace.summary.records < kMinRecords || shown.empty()) return std::nullopt;
  // A metric that was added later, or that ended earlier, has fewer.
  std::size_t buckets = 0;
  for (const std::size_t i : shown) {
    buckets = std::max(buckets, trace.summary.channels[i].buckets.size());
  }
  if (buckets == 0) return std::nullopt;
  // No more pieces than records, so that few are empty.
  const auto pieces = std::min<std::uint64_t>(kMaxPieces, trace.summary.records - 1);
  const std::size_t per_piece = (buckets + pieces - 1) / pieces;
  auto metrics = Distinct(trace, shown, per_piece);
  if (metrics.empty()) return std::nullopt;
  std::vector<std::vector<double>> courses;
  for (Metric& metric : metrics) {
    metric.course.resize((buckets + per_piece - 1) / per_piece,
                         std::numeric_limits<double>::quiet_NaN());
    courses.push_back(metric.course);
  }
  stats::ChangeOptions options;
  options.min_length = 6;
  options.filter = 5;
  auto changes = stats::FindChangePoints(courses, options);
  return Phases(trace, per_piece, std::move(metrics), std::move(changes)).Show();
}

}  // namespace tare::cli
