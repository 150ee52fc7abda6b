// trace_merge.cc: warping that preserves totals, and warping via other runs to measure its
// uncertainty.
#include "analysis/perturb/trace_merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/perturb/pair_correlation.h"
#include "base/printable.h"
#include "format/series_writer.h"
#include "stats/sample.h"

namespace tare::perturb {
namespace {

// The boundaries of the first trace's records, in records of the second: one more than there are
// records, never decreasing, from the second's start to its end.
using Edges = std::vector<double>;

// Noise makes an alignment path stop and jump, but programs change speed more slowly. So the path
// is smoothed over the share `smoothed` of its length to either side.
Edges EdgesOf(const Alignment& alignment, double smoothed) {
  const std::size_t length = alignment.path.back().a + 1;
  std::vector<double> met(length);
  std::vector<double> middle(length);
  for (const stats::DtwStep& step : alignment.path) {
    met[step.a] += 1;
    middle[step.a] += static_cast<double>(step.b) + 0.5;
  }
  std::vector<double> sums = {0};
  for (std::size_t a = 0; a < length; ++a) sums.push_back(sums.back() + middle[a] / met[a]);
  const auto half_width =
      static_cast<std::size_t>(std::ceil(smoothed * static_cast<double>(length)));
  std::vector<double> smooth(length);
  for (std::size_t a = 0; a < length; ++a) {
    const std::size_t wide = std::min({half_width, a, length - 1 - a});
    smooth[a] = (sums[a + wide + 1] - sums[a - wide]) / static_cast<double>(2 * wide + 1);
  }
  Edges edges(length + 1);
  for (std::size_t a = 1; a < length; ++a) {
    edges[a] = std::max(edges[a - 1], (smooth[a - 1] + smooth[a]) / 2);
  }
  edges[length] = static_cast<double>(alignment.path.back().b + 1);
  return edges;
}

// The sum of all values before a position, which may be inside a record.
class Cumulated {
 public:
  explicit Cumulated(std::span<const double> values) : sums_{0} {
    for (const double value : values) sums_.push_back(sums_.back() + value);
  }
  double At(double place) const {
    const auto whole = std::min(static_cast<std::size_t>(place), sums_.size() - 2);
    const double part = place - static_cast<double>(whole);
    return sums_[whole] + part * (sums_[whole + 1] - sums_[whole]);
  }

 private:
  std::vector<double> sums_;
};

// `signal` belongs to the second trace. For a total, each record gets the sum over its range of the
// second trace, so that nothing is lost; for a level, the mean.
std::vector<double> Placed(const Edges& edges, const Signal& signal) {
  constexpr double kNarrow = 1e-3;
  const Cumulated cumulated(signal.values);
  std::vector<double> placed;
  for (std::size_t a = 0; a + 1 < edges.size(); ++a) {
    if (signal.total) {
      placed.push_back(cumulated.At(edges[a + 1]) - cumulated.At(edges[a]));
      continue;
    }
    const double from = std::min(edges[a], edges.back() - kNarrow);
    const double to = std::max(edges[a + 1], from + kNarrow);
    placed.push_back((cumulated.At(to) - cumulated.At(from)) / (to - from));
  }
  return placed;
}

// Aligns `b` with `a`, with the smoothing that makes the watched metrics of both most similar.
Result<Edges> AlignEdges(const Baseline& baseline, const TraceSignals& a, const TraceSignals& b,
                         const AlignOptions& options) {
  constexpr std::array kSmoothed = {0.005, 0.01, 0.02, 0.05, 0.1, 0.2};
  TRY(const auto alignment, Align(baseline, a, b, options));
  Edges best;
  double max = 0;
  for (const double smoothed : kSmoothed) {
    Edges edges = EdgesOf(alignment, smoothed);
    double similarity = 0;
    for (const std::string& metric : baseline.metrics) {
      const auto correlation =
          Correlate(Ranked(a.Find(metric)->values), Ranked(Placed(edges, *b.Find(metric))));
      similarity += FisherZ(correlation.value_or(0));
    }
    if (!best.empty() && similarity <= max) continue;
    max = similarity;
    best = std::move(edges);
  }
  return best;
}

// The mean and the range of the central 90 %.
Measured Summary(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return Between(stats::MomentsOf(values).mean, at(0.05), at(0.95), 0.9);
}

class Merger {
 public:
  Merger(const Baseline& baseline, const OuterBaseline& outer, const AlignOptions& align)
      : baseline_(baseline), align_(align), reference_(MostTypical(outer)) {}

  const TraceSignals& Reference() const { return baseline_.runs[reference_]; }
  std::size_t ReferenceNumber() const { return reference_; }

  Result<void> Prepare() {
    for (std::size_t i = 0; i < baseline_.runs.size(); ++i) {
      if (i == reference_) continue;
      TRY(auto edges, AlignEdges(baseline_, Reference(), baseline_.runs[i], align_));
      others_.push_back(i);
      edges_to_reference_.push_back(std::move(edges));
    }
    return {};
  }

  struct AlignedMetric {
    Signal signal;
    Trust trust;
  };

  Result<std::vector<AlignedMetric>> AlignTrace(const TraceSignals& trace) const {
    TRY(const Edges direct, AlignEdges(baseline_, Reference(), trace, align_));
    std::vector<Edges> detours;
    for (const std::size_t other : others_) {
      TRY(auto detour, AlignEdges(baseline_, baseline_.runs[other], trace, align_));
      detours.push_back(std::move(detour));
    }
    std::vector<AlignedMetric> aligned_metrics;
    for (const Signal& signal : trace.signals) {
      if (!signal.IsSoftware()) continue;
      AlignedMetric aligned;
      aligned.signal = signal;
      aligned.signal.values = Placed(direct, signal);
      aligned.trust = {signal.name, trace.name, std::nullopt, ""};
      std::vector<double> agreements;
      for (std::size_t i = 0; i < detours.size(); ++i) {
        Signal there = signal;
        there.values = Placed(detours[i], signal);
        const auto agreement =
            Correlate(Ranked(aligned.signal.values), Ranked(Placed(edges_to_reference_[i], there)));
        if (agreement) agreements.push_back(*agreement);
      }
      if (!agreements.empty()) aligned.trust.agreement = Summary(std::move(agreements));
      aligned_metrics.push_back(std::move(aligned));
    }
    return aligned_metrics;
  }

 private:
  const Baseline& baseline_;
  const AlignOptions& align_;
  std::size_t reference_;
  std::vector<std::size_t> others_;        // indices of baseline runs
  std::vector<Edges> edges_to_reference_;  // from each of them to the reference
};

// Of two metrics with the same name, keeps the one that agrees better.
void AddBetter(Merger::AlignedMetric aligned, std::vector<Merger::AlignedMetric>& aligned_metrics) {
  const auto same =
      std::ranges::find(aligned_metrics, aligned.signal.name,
                        [](const Merger::AlignedMetric& other) { return other.signal.name; });
  if (same == aligned_metrics.end()) {
    aligned_metrics.push_back(std::move(aligned));
    return;
  }
  const auto value = [](const Trust& trust) {
    return std::pair(trust.against.empty(), trust.agreement ? trust.agreement->Value() : -2.0);
  };
  if (value(same->trust) < value(aligned.trust)) *same = std::move(aligned);
}

std::string TrustText(const Trust& trust) {
  std::string text = trust.agreement
                         ? fmt::format("{:.4f} [{:.4f}, {:.4f}]", trust.agreement->Value(),
                                       trust.agreement->Low(), trust.agreement->High())
                         : "it is constant";
  text += fmt::format(" from {}", trust.trace);
  if (!trust.against.empty()) text += fmt::format("; {}", trust.against);
  return text;
}

format::SeriesHead HeadOf(const TraceSignals& reference, const Merged& merged) {
  format::SeriesHead head;
  head.interval = reference.interval;
  head.clock = reference.clock;
  for (const MergedSignal& one : merged.signals) {
    head.channels.push_back(
        {.name = one.signal.name,
         .group = one.signal.group,
         .unit = one.signal.unit,
         .source = one.trace.empty() ? reference.name : one.trace,
         .kind = one.signal.total ? format::ChannelKind::kTotal : format::ChannelKind::kLevel,
         .exact = one.signal.exact});
  }
  head.facts = {{"program", reference.program}, {"sampler", "merged"}};
  if (!reference.machine.empty()) head.facts.push_back({"machine", reference.machine});
  for (const Trust& trust : merged.trust) {
    head.facts.push_back({"trust " + trust.metric, TrustText(trust)});
  }
  return head;
}

}  // namespace

Result<Merged> Merge(const Baseline& baseline, const OuterBaseline& outer,
                     const std::vector<TraceSignals>& traces, const AlignOptions& align,
                     const JudgeOptions& options) {
  Merger merger(baseline, outer, align);
  TRY_VOID(merger.Prepare());
  Merged merged;
  merged.reference = merger.ReferenceNumber();
  std::vector<Merger::AlignedMetric> aligned_metrics;
  for (const TraceSignals& trace : traces) {
    TRY(auto judgement, JudgeRun(baseline, outer, trace, align, options));
    TRY(auto of_trace, merger.AlignTrace(trace));
    for (Merger::AlignedMetric& aligned : of_trace) {
      if (judgement.IsPerturbed()) aligned.trust.against = VerdictOf(judgement);
      AddBetter(std::move(aligned), aligned_metrics);
    }
    merged.judgements.push_back(std::move(judgement));
  }
  if (aligned_metrics.empty()) {
    return Fail(ErrorKind::kUsage, "no trace has software metrics: there is nothing to merge");
  }
  for (const Signal& signal : merger.Reference().signals) {
    if (!signal.IsSoftware()) merged.signals.push_back({signal, ""});
  }
  for (Merger::AlignedMetric& aligned : aligned_metrics) {
    merged.signals.push_back({std::move(aligned.signal), aligned.trust.trace});
    merged.trust.push_back(std::move(aligned.trust));
  }
  return merged;
}

Result<void> WriteMerged(const std::filesystem::path& file, const Baseline& baseline,
                         const Merged& merged) {
  const TraceSignals& reference = baseline.runs[merged.reference];
  TRY(auto writer, format::SeriesWriter::CreateUnseen(file, HeadOf(reference, merged)));
  std::vector<double> sums(merged.signals.size());
  std::vector<std::optional<std::int64_t>> values(merged.signals.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!merged.signals[i].signal.total) values[i] = std::nullopt;
  }
  writer.Append(0, values);
  for (std::size_t record = 0; record < reference.length(); ++record) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Signal& signal = merged.signals[i].signal;
      sums[i] = signal.values[record] + (signal.total ? sums[i] : 0);
      values[i] = std::llround(sums[i]);
    }
    writer.Append(reference.times[record], values);
  }
  format::SeriesEnd end;
  end.interval = reference.interval;
  return writer.Close(end);
}

}  // namespace tare::perturb
