// sample_plan.cc: one pass over the trace collects the sums of all samples that are tried.
#include "measure/events/sample_plan.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "format/event_reader.h"
#include "measure/events/trace_summary.h"

namespace tare::events {
namespace {

constexpr std::array<std::uint64_t, 4> kKept = {500, 2000, 8000, 32000};
constexpr std::array<std::uint64_t, 4> kTimes = {100, 50, 20, 10};  // the period is so many times k
constexpr double kNormal95 = 1.959964;

struct TriedSums {
  TriedSample sample;
  double part = 0;
  double whole = 0;
  std::vector<std::pair<double, double>> clusters;
};

double ErrorOf(const TriedSums& tried) {
  const auto count = static_cast<double>(tried.clusters.size());
  double part = 0;
  double whole = 0;
  for (const auto& [of_function, all] : tried.clusters) {
    part += of_function;
    whole += all;
  }
  if (count < 2 || !(whole > 0)) return 1;
  const double share = part / whole;
  double squares = 0;
  for (const auto& [of_function, all] : tried.clusters)
    squares += (of_function - share * all) * (of_function - share * all);
  const double mean = whole / count;
  return kNormal95 * std::sqrt(squares / (count - 1) / count) / mean;
}

}  // namespace

Result<SamplePlan> PlanSample(const std::filesystem::path& path, double error) {
  TRY(const auto summary, Summarize(path, 0.95));
  if (summary.functions.empty())
    return Fail(ErrorKind::kUsage, "the trace has no blocks; only traces of blocks are sampled");
  if (summary.head.sample_period > 0)
    return Fail(ErrorKind::kUsage, "the trace is a sample already; plan with the whole trace");
  TRY(auto names, format::EventTraceReader::Open(path));
  names.SkipBlocks();
  while (names.Next()) continue;
  const format::EventTables& tables = names.Tables();
  const std::string& name = summary.functions.front().name;
  const std::string& object = summary.functions.front().object;
  std::vector<TriedSums> tried;
  for (const std::uint64_t kept : kKept)
    for (const std::uint64_t times : kTimes)
      tried.push_back({{kept, kept * times, 0, 0}, 0, 0, {}});
  TRY(auto reader, format::EventTraceReader::Open(path));
  std::uint64_t at = 0;
  while (reader.Next()) {
    for (const std::uint32_t block : reader.Blocks().blocks) {
      const std::uint32_t function = tables.FunctionOf(block);
      const bool is_part = function != format::kNoFunction &&
                           tables.functions[function].name == name &&
                           tables.functions[function].object == object;
      const double weight = std::max(1u, tables.blocks[block].instructions);
      for (TriedSums& sums : tried) {
        const std::uint64_t place = at % sums.sample.period;
        if (place >= sums.sample.kept) continue;
        sums.whole += weight;
        if (is_part) sums.part += weight;
        if (place + 1 == sums.sample.kept) {
          sums.clusters.emplace_back(sums.part, sums.whole);
          sums.part = sums.whole = 0;
        }
      }
      ++at;
    }
  }
  SamplePlan plan;
  for (TriedSums& sums : tried) {
    sums.sample.samples = sums.clusters.size();
    if (sums.sample.samples < 2) continue;
    sums.sample.error = ErrorOf(sums);
    plan.tried.push_back(sums.sample);
  }
  const auto share = [](const TriedSample& sample) {
    return static_cast<double>(sample.kept) / static_cast<double>(sample.period);
  };
  for (const TriedSample& sample : plan.tried) {
    if (sample.error > error || sample.samples < 10) continue;
    const bool better = plan.kept == 0 || share(sample) < static_cast<double>(plan.kept) /
                                                              static_cast<double>(plan.period);
    if (!better) continue;
    plan.kept = sample.kept;
    plan.period = sample.period;
    plan.error = sample.error;
  }
  return plan;
}

}  // namespace tare::events
