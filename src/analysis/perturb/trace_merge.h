// trace_merge.h: software metrics of several runs on the records of one that nothing was added to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/perturb/run_verdict.h"
#include "base/result.h"
#include "stats/interval.h"

namespace tare::perturb {

// How far one metric's course can be believed.
struct Trust {
  std::string metric;
  std::string trace;  // that it came from
  // The metric's course when its run is laid over the reference at once, correlated with its course
  // when it is laid over another run of the baseline first and that over the reference: the mean
  // over those runs, and the range of all but the outermost ones. Absent: it never changes.
  std::optional<stats::Estimate> agreement;
  std::string against;  // why its run is not to be trusted; empty: it was not perturbed
};

struct MergedSignal {
  Signal signal;      // on the reference's records
  std::string trace;  // empty: the reference's own
};

struct Merged {
  std::size_t reference = 0;  // of the baseline's runs
  std::vector<MergedSignal> signals;
  std::vector<Trust> trust;           // of the software metrics, in the order of signals
  std::vector<Judgement> judgements;  // of the traces
};

// The reference keeps its own metrics; every trace gives its software's. Totals stay what they
// were. Of a metric that several traces
// have, the one that agrees best is taken. kUsage: no trace has software metrics.
Result<Merged> Merge(const Baseline& baseline, const OuterBaseline& outer,
                     const std::vector<TraceSignals>& traces, const AlignOptions& align,
                     const JudgeOptions& options);

// As one series; each software metric's trust is a fact of it, "trust NAME".
Result<void> WriteMerged(const std::filesystem::path& file, const Baseline& baseline,
                         const Merged& merged);

}  // namespace tare::perturb
