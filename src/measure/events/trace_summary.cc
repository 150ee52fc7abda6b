// trace_summary.cc: totals by function and by site; intervals of samples and of coarse clocks.
#include "measure/events/trace_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "format/event_codec.h"
#include "machine/clock/short_interval.h"
#include "measure/events/span_totals.h"
#include "stats/interval.h"

namespace tare::events {

class TraceTotals::Summarizer {
 public:
  Summarizer(const format::EventTraceHead& head, const format::EventTables& tables,
             double confidence)
      : head_(head), tables_(tables), confidence_(confidence) {}

  void Take(const format::BlockBatch& blocks, std::span<const format::TimedEvent> timed) {
    TakeBlocks(blocks);
    if (timed.empty()) return;
    by_site_.resize(tables_.sites.size());
    is_of_system_.resize(tables_.threads.size());
    is_own_.resize(tables_.threads.size());
    for (const format::TimedEvent& event : timed) TakeTimed(event);
  }

  void Add(const format::BlockTotals& totals) {
    const std::vector<std::uint64_t>& executions = totals.executions;
    summary_.signals += totals.signals;
    if (executions_.size() < executions.size()) executions_.resize(executions.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      executions_[i] += executions[i];
      summary_.blocks += executions[i];
    }
  }

  format::BlockTotals Blocks() const { return {executions_, summary_.signals}; }

  TraceSummary Finish(const format::EventTraceOutcome& outcome) {
    EndCluster();
    summary_.outcome = outcome;
    ComputeTotals();
    return std::move(summary_);
  }

 private:
  struct SpanNumbers {
    SiteTotals totals;
    std::vector<double> lengths;  // the first ones, in ns
    std::vector<std::uint32_t> advances;
    double sum_ns = 0;
    double squares = 0;
    double inner = 0;  // events inside, for the correction
  };
  static constexpr std::size_t kMaxLengths = 1u << 20;

  void TakeBlocks(const format::BlockBatch& batch) {
    if (executions_.size() < tables_.blocks.size()) executions_.resize(tables_.blocks.size());
    summary_.blocks += batch.blocks.size();
    summary_.words += batch.words.size();
    std::uint64_t* const executions = executions_.data();
    for (const std::uint32_t number : batch.blocks) ++executions[number];
    if (!batch.words.empty()) TakeWords(batch);
    if (head_.sample_period > 0) {
      TakeSampled(batch);
    } else {
      for (const format::BlockMark& mark : batch.marks) TakeMark(mark);
    }
  }

  // Lengths of copies are in the words, so that accesses cannot be counted by block.
  void TakeWords(const format::BlockBatch& batch) {
    std::size_t word = 0;
    for (const std::uint32_t number : batch.blocks) {
      const format::TraceBlock& block = tables_.blocks[number];
      const auto words = std::span(batch.words).subspan(word, block.words);
      word += block.words;
      format::ForEachTouch(block, words, [&](const format::TouchedAddress& touch) {
        ++(touch.store ? summary_.stores : summary_.loads);
      });
    }
  }

  void TakeSampled(const format::BlockBatch& batch) {
    auto mark = batch.marks.begin();
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      while (mark != batch.marks.end() && mark->position <= i) TakeMark(*mark++);
      cluster_[batch.blocks[i]] += tables_.blocks[batch.blocks[i]].instructions;
    }
    while (mark != batch.marks.end()) TakeMark(*mark++);
  }

  void TakeMark(const format::BlockMark& mark) {
    if (mark.kind == format::MarkKind::kGap) {
      summary_.skipped += mark.value;
      EndCluster();
    }
    if (mark.kind == format::MarkKind::kSignal) ++summary_.signals;
  }

  // Functions may be named only at the end of the file, so blocks are kept until then.
  void EndCluster() {
    if (cluster_.empty()) return;
    clusters_.push_back(std::move(cluster_));
    cluster_.clear();
  }

  void TakeTimed(const format::TimedEvent& event) {
    ++summary_.timed;
    if (tables_.sites[event.site].kind == format::SiteKind::kSystem) {
      ++summary_.of_system;
      is_of_system_[event.thread] = 1;
    } else {
      is_own_[event.thread] = 1;
    }
    if (event.has_time) {
      if (!first_ns_) first_ns_ = event.time_ns;
      last_ns_ = std::max(last_ns_, event.time_ns);
      first_ns_ = std::min(*first_ns_, event.time_ns);
    }
    spans_.Take(event, tables_.sites, [this](const EndedSpan& span) { TakeSpan(span); });
    if (event.kind == format::TimedKind::kBegin || event.kind == format::TimedKind::kEnd) return;
    SpanNumbers& numbers = NumbersOf(event.site);
    const auto value = static_cast<double>(static_cast<std::int64_t>(event.value));
    SiteTotals& totals = numbers.totals;
    totals.min_value = totals.events == 0 ? value : std::min(totals.min_value, value);
    totals.max_value = totals.events == 0 ? value : std::max(totals.max_value, value);
    totals.sum_value += value;
    ++totals.events;
  }

  void TakeSpan(const EndedSpan& span) {
    SpanNumbers& numbers = NumbersOf(span.site);
    const auto length = static_cast<double>(span.end_ns - span.begin_ns);
    ++numbers.totals.events;
    numbers.totals.own_seconds += static_cast<double>(span.own_ns) * 1e-9;
    numbers.sum_ns += length;
    numbers.squares += length * length;
    const format::EventTraceHead& head = head_;
    numbers.inner += head.inner_cost.ns + static_cast<double>(span.inside) * head.span_cost.ns +
                     static_cast<double>(span.own_events) * head.event_cost.ns;
    if (numbers.lengths.size() < kMaxLengths) numbers.lengths.push_back(length);
    if (head.tick_ns > 0 && numbers.advances.size() < kMaxLengths) {
      numbers.advances.push_back(static_cast<std::uint32_t>(
          std::min<double>(std::round(length / static_cast<double>(head.tick_ns)), UINT32_MAX)));
    }
  }

  // There is one for all sites with the same name.
  SpanNumbers& NumbersOf(std::uint32_t site) {
    if (by_site_[site] != nullptr) return *by_site_[site];
    const format::EventSite& row = tables_.sites[site];
    SpanNumbers& numbers = sites_[{row.kind, row.name}];
    numbers.totals.kind = row.kind;
    numbers.totals.name = row.name;
    if (row.kind == format::SiteKind::kSystem) numbers.totals.absent = row.file;
    by_site_[site] = &numbers;
    return numbers;
  }

  void ComputeTotals() {
    summary_.head = head_;
    const format::EventTables& tables = tables_;
    CountThreads(tables);
    for (std::size_t i = 0; i < executions_.size(); ++i)
      summary_.instructions += executions_[i] * tables.blocks[i].instructions;
    summary_.different_blocks = static_cast<std::uint64_t>(
        std::ranges::count_if(executions_, [](std::uint64_t count) { return count > 0; }));
    summary_.raw_bytes = format::RawBytes(summary_.blocks, summary_.words, summary_.timed);
    summary_.unmatched = spans_.Unmatched();
    if (first_ns_) summary_.seconds = static_cast<double>(last_ns_ - *first_ns_) * 1e-9;
    AddFunctions(tables);
    by_site_.resize(tables.sites.size());
    // Sites of the system are stated even if nothing happened.
    for (std::uint32_t i = 0; i < tables.sites.size(); ++i) {
      if (tables.sites[i].kind == format::SiteKind::kSystem) NumbersOf(i);
    }
    for (auto& [key, numbers] : sites_) AddSite(numbers);
    std::ranges::sort(summary_.sites, [](const SiteTotals& a, const SiteTotals& b) {
      return std::pair(a.seconds, a.events) > std::pair(b.seconds, b.events);
    });
  }

  // The system's events have rows of their own, with the kernel's numbers of threads.
  void CountThreads(const format::EventTables& tables) {
    is_of_system_.resize(tables.threads.size());
    is_own_.resize(tables.threads.size());
    const auto is_only_of_system = [&](std::size_t thread) {
      return is_of_system_[thread] != 0 && is_own_[thread] == 0;
    };
    bool all = true;
    for (std::size_t i = 0; i < tables.threads.size(); ++i) all = all && is_only_of_system(i);
    std::set<std::uint64_t> processes;
    for (std::size_t i = 0; i < tables.threads.size(); ++i) {
      if (!all && is_only_of_system(i)) continue;
      ++summary_.threads;
      processes.insert(tables.threads[i].process);
    }
    summary_.processes = processes.size();
  }

  void AddFunctions(const format::EventTables& tables) {
    std::map<std::uint32_t, FunctionTotals> functions;
    for (std::size_t i = 0; i < executions_.size(); ++i) {
      if (executions_[i] == 0) continue;
      const std::uint32_t function = tables.FunctionOf(static_cast<std::uint32_t>(i));
      FunctionTotals& totals = functions[function];
      totals.blocks += executions_[i];
      totals.instructions += executions_[i] * tables.blocks[i].instructions;
    }
    const auto shares = SampledShares(tables);
    for (auto& [function, totals] : functions) {
      const bool known = function != format::kNoFunction;
      totals.name = known ? tables.functions[function].name : "[unknown]";
      if (known) totals.object = tables.functions[function].object;
      const bool counted = summary_.instructions > 0;
      const auto whole = static_cast<double>(counted ? summary_.instructions
                                                     : std::max<std::uint64_t>(1, summary_.blocks));
      const auto part = static_cast<double>(counted ? totals.instructions : totals.blocks);
      const auto sampled = shares.find(function);
      totals.share = sampled == shares.end() ? Unbounded(part / whole) : sampled->second;
      summary_.functions.push_back(std::move(totals));
    }
    std::ranges::sort(summary_.functions, [](const FunctionTotals& a, const FunctionTotals& b) {
      return std::tuple(b.instructions, b.blocks, a.name) <
             std::tuple(a.instructions, a.blocks, b.name);
    });
  }

  // Ratio estimates from samples of consecutive blocks (Cochran, Sampling Techniques, section 9A).
  std::map<std::uint32_t, Measured> SampledShares(const format::EventTables& tables) const {
    std::map<std::uint32_t, Measured> shares;
    if (summary_.skipped == 0 || clusters_.size() < 2) return shares;
    std::map<std::uint32_t, std::vector<std::pair<std::size_t, double>>> parts;  // by cluster
    std::vector<double> wholes;
    for (const auto& cluster : clusters_) {
      double whole = 0;
      std::map<std::uint32_t, double> by_function;
      for (const auto& [block, instructions] : cluster) {
        by_function[tables.FunctionOf(block)] += static_cast<double>(instructions);
        whole += static_cast<double>(instructions);
      }
      for (const auto& [function, part] : by_function)
        parts[function].emplace_back(wholes.size(), part);
      wholes.push_back(whole);
    }
    for (const auto& [function, of_clusters] : parts) {
      std::vector<double> numerator(wholes.size(), 0);  // 0 where the function does not occur
      for (const auto& [cluster, part] : of_clusters) numerator[cluster] = part;
      shares[function] = ShareOf(numerator, wholes);
    }
    return shares;
  }

  Measured ShareOf(std::span<const double> part, std::span<const double> whole) const {
    double sum_part = 0;
    double sum_whole = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      sum_part += part[i];
      sum_whole += whole[i];
    }
    const double share = sum_whole > 0 ? sum_part / sum_whole : 0;
    std::vector<double> residues;
    const double mean = sum_whole / static_cast<double>(part.size());
    for (std::size_t i = 0; i < part.size(); ++i)
      residues.push_back(mean > 0 ? (part[i] - share * whole[i]) / mean : 0);
    const auto interval = stats::MeanInterval(residues, confidence_);
    if (!interval || !interval->HasInterval()) return Unbounded(share);
    const double half = (*interval->high - *interval->low) / 2;
    return Between(share, std::max(0.0, share - half), std::min(1.0, share + half), confidence_);
  }

  void AddSite(SpanNumbers& numbers) {
    SiteTotals& totals = numbers.totals;
    if (totals.kind == format::SiteKind::kSpan && totals.events > 0) {
      totals.seconds = numbers.sum_ns * 1e-9;
      totals.mean = MeanOf(numbers);
      totals.corrected = Corrected(numbers);
    }
    summary_.sites.push_back(std::move(totals));
  }

  Measured MeanOf(const SpanNumbers& numbers) const {
    const format::EventTraceHead& head = summary_.head;
    if (head.tick_ns > 0 && numbers.advances.size() >= 2) {
      const auto estimate = clock::ShortIntervalFromAdvances(
          numbers.advances, static_cast<double>(head.tick_ns) * 1e-9, confidence_);
      if (estimate) return estimate->duration;
    }
    const double mean = numbers.sum_ns / static_cast<double>(numbers.totals.events) * 1e-9;
    const auto interval = stats::MeanInterval(numbers.lengths, confidence_);
    if (!interval) return Unbounded(mean);
    Measured of_spans = Scaled(*interval, 1e-9);
    // Student's interval of a few long spans among short ones is symmetric; a duration is not
    // negative.
    if (of_spans.low) of_spans.low = std::max(0.0, *of_spans.low);
    return of_spans;
  }

  Measured Corrected(const SpanNumbers& numbers) const {
    const format::TraceCost& cost = summary_.head.inner_cost;
    if (!(cost.ns > 0)) return Absent("the cost of an event was not calibrated");
    const double off = numbers.inner / static_cast<double>(numbers.totals.events) * 1e-9;
    const double spread = off * std::max(cost.high_ns - cost.ns, cost.ns - cost.low_ns) / cost.ns;
    const Measured& mean = numbers.totals.mean;
    const double low = (mean.low ? *mean.low : mean.Value()) - off - spread;
    const double high = (mean.high ? *mean.high : mean.Value()) - off + spread;
    return Between(std::max(0.0, mean.Value() - off), std::max(0.0, low), std::max(0.0, high),
                   confidence_);
  }

  const format::EventTraceHead& head_;
  const format::EventTables& tables_;
  double confidence_;
  TraceSummary summary_;
  std::vector<std::uint64_t> executions_;
  std::map<std::uint32_t, std::uint64_t> cluster_;  // instructions by block in this sample
  std::vector<std::map<std::uint32_t, std::uint64_t>> clusters_;
  std::map<std::pair<format::SiteKind, std::string>, SpanNumbers> sites_;
  std::vector<SpanNumbers*> by_site_;  // in `sites_`, whose elements stay where they are
  SpanStacks spans_;
  std::vector<std::uint8_t> is_own_;        // by thread: with events that are not of the system
  std::vector<std::uint8_t> is_of_system_;  // with events of the system
  std::optional<std::uint64_t> first_ns_;
  std::uint64_t last_ns_ = 0;
};

TraceTotals::TraceTotals(const format::EventTraceHead& head, const format::EventTables& tables,
                         double confidence)
    : summarizer_(std::make_unique<Summarizer>(head, tables, confidence)) {}
TraceTotals::~TraceTotals() = default;

void TraceTotals::Take(const format::BlockBatch& blocks,
                       std::span<const format::TimedEvent> timed) {
  summarizer_->Take(blocks, timed);
}

void TraceTotals::Add(const format::BlockTotals& blocks) { summarizer_->Add(blocks); }

format::BlockTotals TraceTotals::Blocks() const { return summarizer_->Blocks(); }

TraceSummary TraceTotals::Finish(const format::EventTraceOutcome& outcome) {
  return summarizer_->Finish(outcome);
}

namespace {

// Without decoding blocks; nothing if the trace has no totals of them.
Result<std::optional<TraceSummary>> SummarizeQuickly(const std::filesystem::path& path,
                                                     double confidence) {
  TRY(auto reader, format::EventTraceReader::Open(path));
  if (reader.Head().sample_period > 0) return std::nullopt;
  TraceTotals totals(reader.Head(), reader.Tables(), confidence);
  reader.SkipBlocks();
  while (reader.Next()) totals.Take({}, reader.Timed());
  if (!reader.Outcome().end) return std::nullopt;
  if (reader.Totals()) {
    totals.Add(*reader.Totals());
  } else if (reader.Outcome().end->blocks > 0) {
    return std::nullopt;
  }
  return totals.Finish(reader.Outcome());
}

}  // namespace

Result<TraceSummary> Summarize(const std::filesystem::path& path, double confidence) {
  if (path != "-") {
    TRY(auto quick, SummarizeQuickly(path, confidence));
    if (quick) return std::move(*quick);
  }
  TRY(auto reader, format::EventTraceReader::Open(path));
  TraceTotals totals(reader.Head(), reader.Tables(), confidence);
  // The blocks of a sample are needed by sample.
  if (reader.Head().sample_period == 0) reader.CountBlocks();
  while (reader.Next()) totals.Take(reader.Blocks(), reader.Timed());
  totals.Add({reader.Executions(), 0});
  return totals.Finish(reader.Outcome());
}

}  // namespace tare::events
