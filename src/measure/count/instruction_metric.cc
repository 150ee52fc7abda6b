// instruction_metric.cc: the ids and units of the instruction metrics.
#include "measure/count/instruction_metric.h"

#include "base/enum_table.h"

namespace tare::count {
namespace {

constexpr auto kMetricTable = std::to_array<MetricText>({
    {Metric::kInstructions, "instructions", "", true},
    {Metric::kLoads, "loads", "", true},
    {Metric::kStores, "stores", "", true},
    {Metric::kLoadBytes, "load_bytes", "B", false},
    {Metric::kStoreBytes, "store_bytes", "B", false},
    {Metric::kConditionalBranches, "conditional_branches", "", true},
    {Metric::kTakenBranches, "taken_branches", "", true},
    {Metric::kUnconditionalBranches, "unconditional_branches", "", false},
    {Metric::kCalls, "calls", "", false},
    {Metric::kReturns, "returns", "", false},
    {Metric::kSystemCalls, "system_calls", "", false},
    {Metric::kRepeatedInstructions, "rep_instructions", "", false},
    {Metric::kRepeatIterations, "rep_iterations", "", false},
    {Metric::kAtomics, "atomics", "", false},
    {Metric::kX87, "x87", "", false},
    {Metric::kFldcw, "fldcw", "", false},
    {Metric::kVector64, "vector_64", "", false},
    {Metric::kVector128, "vector_128", "", false},
    {Metric::kVector256, "vector_256", "", false},
    {Metric::kVector512, "vector_512", "", false},
    {Metric::kVectorScalable, "vector_scalable", "", false},
    {Metric::kFloatingHalf, "floating_16", "", false},
    {Metric::kFloatingSingle, "floating_32", "", false},
    {Metric::kFloatingDouble, "floating_64", "", false},
    {Metric::kFloatingExtended, "floating_80", "", false},
});
static_assert(kMetricTable.size() == kMetrics);
static_assert(HasRowPerEnumerator(kMetricTable, &MetricText::metric, Metric::kFloatingExtended));

}  // namespace

std::span<const MetricText> MetricTable() { return kMetricTable; }

MetricCounts& MetricCounts::operator+=(const MetricCounts& other) {
  for (std::size_t i = 0; i < kMetrics; ++i) counts_[i] += other.counts_[i];
  return *this;
}

}  // namespace tare::count
