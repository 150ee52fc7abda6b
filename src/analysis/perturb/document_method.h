// document_method.h: judges a run by the rule of Mytkowicz, Diwan, Hauswirth and Sweeney (2007): by
// one baseline run, and by the largest deviation among identical runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/outer_correlation.h"
#include "base/result.h"

namespace tare::perturb {

// The baseline trace is the first of the baseline's runs; the others show what non-determinism
// does.
struct DocumentBaseline {
  // By pair: the largest deviation of an inner correlation from that of the baseline trace.
  std::vector<double> inner;
  // By metric: the largest deviation of an outer correlation from 1.
  std::vector<double> outer;
};

Result<DocumentBaseline> MakeDocumentBaseline(const Baseline& baseline, const AlignOptions& align);

struct DocumentInner {
  std::string first;
  std::string second;
  double baseline = 0;        // magnitude of the correlation in the baseline trace
  std::optional<double> run;  // absent: a signal is constant in the run
  double deviation = 0;       // between the magnitudes; 0 without a correlation
  double observed = 0;        // the largest deviation among identical runs
  bool interesting = false;   // as in InnerRow
  bool significant = false;
};

struct DocumentOuter {
  std::string metric;
  std::optional<double> correlation;  // absent: the signal is constant
  double deviation = 0;               // from 1
  double observed = 0;
  bool significant = false;
};

struct DocumentJudgement {
  std::vector<DocumentInner> inner;
  std::vector<DocumentOuter> outer;

  bool IsPerturbedInside() const;
  bool IsPerturbedOutside() const;
  bool IsPerturbed() const { return IsPerturbedInside() || IsPerturbedOutside(); }
};

// A deviation is significant if it is larger than any that was observed: there is no level, no
// correction for the number of pairs, no smallest change, and no alignment is refused. A metric
// that became constant is significant. kUsage if the run lacks a metric or is of another kind.
Result<DocumentJudgement> JudgeByDocument(const Baseline& baseline,
                                          const DocumentBaseline& document, const TraceSignals& run,
                                          const AlignOptions& align);

// Spearman's correlation of two aligned signals over the steps of the path, where a record that is
// aligned with several others counts once for each. Absent if one is constant.
std::optional<double> PathCorrelation(const Alignment& alignment, std::span<const double> a,
                                      std::span<const double> b);

// As VerdictOf of a Judgement.
std::string VerdictOf(const DocumentJudgement& judgement);

}  // namespace tare::perturb
