// caveat.h: the table of caveats: every known reason to trust a number less.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tare {

enum class Verdict { kValid, kDoubtful, kRefused };

std::string_view Name(Verdict verdict);
std::optional<Verdict> ParseVerdict(std::string_view name);

// Returns the worse of two verdicts: refused is worse than doubtful, doubtful worse than valid.
Verdict Worse(Verdict a, Verdict b);

// Signatures store the numbers: new ones come last.
enum class CaveatId {
  kFewSamples,
  kOutliers,
  kSmallCounts,
  kShortInterval,
  kCoarseClock,
  kClockWentBack,
  kMethodsDisagree,
  kNoCounters,
  kVirtualMachine,
  kFrequencyScaling,
  kSharedCore,
  kSteal,
  kBusyMachine,
  kCalibrationDrift,
  kCalibratedUnderLoad,
  kGroupScheduling,
  kIncomplete,
  kSuspended,
  kRandomAddresses,
  kDirectoryLinked,
  kParentKilled,
  kExitStatusDiffers,
  kOutputDiffers,
  kExitStatusVaries,
  kControlDropped,
  kControlHarmed,
  kDispatchNotPinned,
  kNotRepeatable,
  kUnexplained,
  kExecNotFollowed,
  kUndecoded,
  kNoisyTime,
  kUnresolvedCalls,
  kNoNames,
  kDebugIncomplete,
  kEvenWeights,
  kWeightsMissing,
  kNoisyMachine,
  kWideIntervals,
  kNotAsReported,
  kPublished,
  kProjected,
  kOtherConditions,
  kRecordsLost,
  kMissedSamples,
  kCostlySampling,
  kLostCounts,
  kBoundsOnly,
  kChangedBinary,
  kOtherInstructionSet,
  kDerivedRates,
  kOneCore,
  kKernelTime,
  kNoMpiProcess,
  kUnmatchedCalls,
  kClocksNotAligned,
  kNoCpuTime,
  kOffProcessor,
  kOneTrace,
  kTypicalNetwork,
  kCountersNotUsed,
  kCommandFails,
  kOutputsDiffer,
  kOutputVaries,
  kInputsDiffer,
  kLayoutNotVaried,
  kFixedLayout,
  kBaselineApart,
  kRareSlowRuns,
  kControlDiffers,
  kInStep,
  kLostSamples,
  kUnsampledTime,
  kUserModeOnly,
  kBrokenChains,
  kCostlyProfile,
  kTimeWeights,
  kConditionsChanged,
  kRunsFailed,
  kFailedSelfTest,
  kFileCut,
};

// One row of the table. `id` is the name in files, `message` states the problem, `hint` says what
// to do about it.
struct CaveatRow {
  CaveatId key;
  std::string_view id;
  Verdict verdict;
  std::string_view message;
  std::string_view hint;
};

std::span<const CaveatRow> CaveatTable();
const CaveatRow& Row(CaveatId key);

// A caveat on one result. `detail` says which number is affected and by how much.
struct Caveat {
  CaveatId key;
  std::string detail;

  friend bool operator==(const Caveat&, const Caveat&) = default;
};

}  // namespace tare
