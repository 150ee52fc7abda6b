// caveat.cc: the table of caveats.
#include "base/caveat.h"

#include <algorithm>
#include <array>

#include "base/enum_table.h"

namespace tare {
namespace {

using enum Verdict;

constexpr auto kTable = std::to_array<CaveatRow>({
    {CaveatId::kFewSamples, "few-samples", kDoubtful, "too few samples for a sound interval",
     "measure longer or repeat more often"},
    {CaveatId::kOutliers, "outliers", kDoubtful, "some samples lie far from the rest",
     "look for other work on this machine and measure again"},
    {CaveatId::kSmallCounts, "small-counts", kDoubtful,
     "the normal formula is poor for so few events", "use the Wilson interval, or measure longer"},
    {CaveatId::kShortInterval, "short-interval", kDoubtful,
     "the interval is of the order of the clock's own cost",
     "time many repetitions at once, or use tare timer --short's method"},
    {CaveatId::kCoarseClock, "coarse-clock", kDoubtful, "the clock's steps are coarse",
     "prefer clock_gettime(CLOCK_MONOTONIC) or the processor's counter"},
    {CaveatId::kClockWentBack, "clock-went-back", kRefused, "the clock was seen to go backwards",
     "pin the program to one core, or use another clock"},
    {CaveatId::kMethodsDisagree, "methods-disagree", kDoubtful,
     "two independent methods give different answers",
     "look for disturbance between the two measurements and repeat them"},
    {CaveatId::kNoCounters, "no-counters", kValid, "this machine exposes no hardware counters",
     "exact counts come from the emulating engines instead"},
    {CaveatId::kVirtualMachine, "virtual-machine", kValid, "this is a virtual machine",
     "other guests can disturb timings; repeat and compare in one run"},
    {CaveatId::kFrequencyScaling, "frequency-scaling", kDoubtful,
     "the processor changes its frequency", "set the governor to performance while measuring"},
    {CaveatId::kSharedCore, "shared-core", kDoubtful, "hardware threads share a core",
     "measure with the sibling thread idle or switched off"},
    {CaveatId::kSteal, "steal", kDoubtful, "the hypervisor took processor time away",
     "repeat when the host is quieter"},
    {CaveatId::kBusyMachine, "busy-machine", kDoubtful, "other programs are running",
     "stop them, or measure on an idle core"},
    {CaveatId::kCalibrationDrift, "calibration-drift", kDoubtful,
     "the core counts at another speed than when it was calibrated",
     "calibrate again: tare load --calibrate"},
    {CaveatId::kCalibratedUnderLoad, "calibrated-under-load", kRefused,
     "the core was not idle while it was calibrated", "calibrate again on an idle machine"},
    {CaveatId::kGroupScheduling, "group-scheduling", kDoubtful,
     "the scheduler shares time between groups, not between processes",
     "start tare in the same session or control group as the load"},
    {CaveatId::kIncomplete, "incomplete", kDoubtful, "the measurement was cut short",
     "the numbers cover only what was measured before that"},
    {CaveatId::kSlept, "slept", kDoubtful, "the machine was suspended during the measurement",
     "measure again"},
    {CaveatId::kRandomAddresses, "random-addresses", kDoubtful,
     "address randomization could not be switched off",
     "allow the personality system call in the container, or compare many runs"},
    {CaveatId::kDirectoryLinked, "directory-linked", kDoubtful,
     "$PWD has the length that was asked for, and getcwd() tells another path",
     "allow the program mounts of its own: run as root, or allow user namespaces"},
    {CaveatId::kParentKilled, "parent-killed", kDoubtful, "the program killed its parent process",
     "its status is right all the same; take its times as rough"},
    {CaveatId::kEndedOtherwise, "ended-otherwise", kRefused,
     "under this engine the exit status differs from the native run",
     "leave the engine out; it may lack an instruction or a system call that the program needs"},
    {CaveatId::kEndingsDiffer, "endings-differ", kDoubtful,
     "the program did not end in the same way in all runs",
     "what it ends with may depend on what was varied: look at its exit status first"},
    {CaveatId::kControlDropped, "control-dropped", kDoubtful,
     "the controlled environment changes the program's exit status, so all runs are without it",
     "libraries choose code by processor, bind symbols late and seed their hashes at random: "
     "compare only runs on this machine"},
    {CaveatId::kControlHarmed, "control-harmed", kRefused,
     "the exit status differs from that of a run without the controlled environment",
     "run it with --native-view: it may not bear GLIBC_TUNABLES"},
    {CaveatId::kDispatchNotPinned, "dispatch-not-pinned", kValid,
     "the C library chooses code by this machine's processor, as it is not pinned for this program",
     "link the program dynamically, or not as PIE, to compare it across machines"},
    {CaveatId::kNotRepeatable, "not-repeatable", kDoubtful,
     "the same run gives another count each time",
     "look for time, random numbers, threads or process ids that the program's work depends on"},
    {CaveatId::kUnexplained, "unexplained", kDoubtful,
     "engines differ by more than the known causes explain",
     "compare a region instead of the whole program: --region main"},
    {CaveatId::kNotFollowed, "not-followed", kDoubtful,
     "the program became another program, which was not counted", "count it too: --children"},
    {CaveatId::kUndecoded, "undecoded", kDoubtful, "some instructions are unknown to the decoder",
     "instructions are counted all the same; loads, stores and branches may be too low"},
    {CaveatId::kNoisyTime, "noisy-time", kDoubtful, "the program's own times scatter widely",
     "stop other work, pin a core, and give more time: --budget"},
    {CaveatId::kUnresolvedCalls, "unresolved-calls", kDoubtful,
     "indirect calls whose targets nobody tells",
     "the inclusive mix is a lower bound; tare mix "
     "--per call lists them"},
    {CaveatId::kNoNames, "no-names", kDoubtful, "functions without names cannot be matched",
     "compare files with symbols, or install the package with the symbols"},
    {CaveatId::kDebugIncomplete, "debug-incomplete", kDoubtful,
     "part of the debug information could not be read",
     "lines and inlined functions may be missing"},
    {CaveatId::kEvenWeights, "even-weights", kDoubtful,
     "counts by function say nothing about its parts",
     "use counts by block: tare count --per block --top 0 --save FILE"},
    {CaveatId::kWeightsMissing, "weights-missing", kDoubtful,
     "some counts belong to no code of this file",
     "count the same build of the program, with --top 0"},
    {CaveatId::kNoisyMachine, "noisy-machine", kDoubtful,
     "the machine was not quiet while it was measured",
     "stop other work and measure again: tare machine measure"},
    {CaveatId::kWideIntervals, "wide-intervals", kDoubtful,
     "some points scatter more than they should",
     "they are marked; measure again on a quiet machine to narrow them"},
    {CaveatId::kNotAsReported, "not-as-reported", kDoubtful,
     "the system reports something else than what was measured",
     "in virtual machines caches are often shared or told wrongly; use the measured ones"},
    {CaveatId::kPublished, "published", kDoubtful,
     "the numbers come from documents and were not measured",
     "the table about names the source; measure where you can"},
    {CaveatId::kProjected, "projected", kDoubtful,
     "no such machine was measured: projected numbers follow from those of another one",
     "they are marked; intervals hold for the model, not for a machine that might be built"},
    {CaveatId::kOtherConditions, "other-conditions", kDoubtful,
     "the profiles were measured under different conditions", "measure both with the same options"},
    {CaveatId::kRecordsLost, "records-lost", kDoubtful, "records were taken and could not be kept",
     "totals are right as far as they go; give the file more room, or take a longer --interval"},
    {CaveatId::kMissedMoments, "missed-moments", kDoubtful,
     "many records were not taken at their time",
     "rates are per time that really passed; take a longer --interval, or leave a core idle"},
    {CaveatId::kCostlySampling, "costly-sampling", kDoubtful,
     "taking records cost a good part of the program's own time",
     "take a longer --interval, fewer metrics with --metric, or --sampler observer"},
    {CaveatId::kUncounted, "uncounted", kDoubtful,
     "some threads, processes or calls found no counters", "software metrics are lower bounds"},
    {CaveatId::kBoundsOnly, "bounds-only", kDoubtful, "some code was counted within bounds only",
     "the code generator made branches of its own there, or calls never came back; an exact engine "
     "tells: --engine valgrind"},
});
static_assert(HasRowPerEnumerator(kTable, &CaveatRow::key, CaveatId::kBoundsOnly));

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case kValid:
      return "valid";
    case kDoubtful:
      return "doubtful";
    case kRefused:
      return "refused";
  }
  return "refused";
}

std::optional<Verdict> ParseVerdict(std::string_view name) {
  for (Verdict verdict : {kValid, kDoubtful, kRefused}) {
    if (Name(verdict) == name) return verdict;
  }
  return std::nullopt;
}

Verdict Worse(Verdict a, Verdict b) { return std::max(a, b); }

std::span<const CaveatRow> CaveatTable() { return kTable; }

const CaveatRow& Row(CaveatId key) { return kTable[static_cast<std::size_t>(key)]; }

}  // namespace tare
