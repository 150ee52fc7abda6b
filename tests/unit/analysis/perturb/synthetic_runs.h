// synthetic_runs.h: traces of a synthetic program with phases that all metrics follow, each in its
// own way.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/signals.h"
#include "stats/random.h"

namespace tare::perturb {

struct SyntheticProgram {
  std::size_t records = 240;
  std::size_t metrics = 4;
  double noise = 0.4;    // of each metric, independent
  double loosened = 0;   // fraction of the phases that the last metric no longer follows
  double stretched = 1;  // time scale of the second half
};

// Approximately standard normal, from a sum of uniform numbers.
inline double Noise(stats::Generator& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.Unit();
  return sum;
}

inline double Phase(double at) {
  return std::sin(0.07 * at) + (std::fmod(at, 90) < 45 ? 1.0 : -1.0) + 0.5 * std::cos(0.023 * at);
}

inline TraceSignals SyntheticRun(const SyntheticProgram& program, stats::Generator& random) {
  TraceSignals run;
  run.name = "made";
  run.program = "./made";
  run.clock = "instructions";
  run.interval = 1000;
  for (std::size_t i = 0; i < program.records; ++i) run.times.push_back(1000 * (i + 1));
  for (std::size_t metric = 0; metric < program.metrics; ++metric) {
    Signal signal{"m" + std::to_string(metric), "virtual", {}};
    const double kept = metric + 1 == program.metrics ? 1 - program.loosened : 1;
    for (std::size_t i = 0; i < program.records; ++i) {
      const double half = static_cast<double>(program.records) / 2;
      const auto at = static_cast<double>(i);
      const double when = at < half ? at : half + (at - half) / program.stretched;
      const double noise = Noise(random) * (program.noise + 0.1 * static_cast<double>(metric));
      signal.values.push_back(kept * Phase(when) * (metric % 2 == 0 ? 1 : -1) + noise);
    }
    run.signals.push_back(std::move(signal));
  }
  return run;
}

inline std::vector<TraceSignals> SyntheticRuns(std::size_t count, const SyntheticProgram& program,
                                               stats::Generator& random) {
  std::vector<TraceSignals> runs;
  for (std::size_t i = 0; i < count; ++i) runs.push_back(SyntheticRun(program, random));
  return runs;
}

}  // namespace tare::perturb
