// trace_merge.h: merges the software metrics of several runs onto the records of one baseline run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/perturb/run_verdict.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::perturb {

// How far one metric's course over time can be trusted.
struct Trust {
  std::string metric;
  std::string trace;  // its origin
  // Correlation of the metric's course after direct alignment with the reference and after
  // alignment via another baseline run: the mean over those runs, and the range of the central 90
  // %. Absent if the metric is constant.
  std::optional<Measured> agreement;
  std::string against;  // why its run is not trusted; empty: not perturbed
};

struct MergedSignal {
  Signal signal;      // on the reference's records
  std::string trace;  // empty: the reference's own
};

struct Merged {
  std::size_t reference = 0;  // index of the baseline run
  std::vector<MergedSignal> signals;
  std::vector<Trust> trust;           // of the software metrics, in the order of signals
  std::vector<Judgement> judgements;  // of the traces
};

// The reference keeps its own metrics; every trace contributes its software metrics. Totals are
// preserved. If several traces have a metric, the one that agrees best is used. kUsage if no trace
// has software metrics.
Result<Merged> Merge(const Baseline& baseline, const OuterBaseline& outer,
                     const std::vector<TraceSignals>& traces, const AlignOptions& align,
                     const JudgeOptions& options);

// Writes one series; each software metric's trust is a fact "trust NAME" of it.
Result<void> WriteMerged(const std::filesystem::path& file, const Baseline& baseline,
                         const Merged& merged);

}  // namespace tare::perturb
