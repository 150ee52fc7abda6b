// caveat.cc: the table of caveats.
#include "base/caveat.h"

#include <algorithm>
#include <array>

#include "base/enum_table.h"

namespace tare {
namespace {

using enum Verdict;

constexpr auto kTable = std::to_array<CaveatRow>({
    {CaveatId::kFewSamples, "few-samples", kDoubtful, "too few samples for a reliable interval",
     "measure longer or repeat more often"},
    {CaveatId::kOutliers, "outliers", kDoubtful, "some samples are far from the rest",
     "stop other work on this machine and measure again"},
    {CaveatId::kSmallCounts, "small-counts", kDoubtful,
     "the normal approximation is poor for so few events",
     "use the Wilson interval, or measure longer"},
    {CaveatId::kShortInterval, "short-interval", kDoubtful,
     "the interval is hardly longer than reading the clock takes",
     "time many repetitions at once, or use the method of tare timer --short"},
    {CaveatId::kCoarseClock, "coarse-clock", kDoubtful, "the clock's resolution is coarse",
     "use clock_gettime(CLOCK_MONOTONIC) or the processor's time-stamp counter"},
    {CaveatId::kClockWentBack, "clock-went-back", kRefused, "the clock went backwards",
     "pin the program to one core, or use another clock"},
    {CaveatId::kMethodsDisagree, "methods-disagree", kDoubtful,
     "two independent methods give different answers",
     "check for disturbances between the two measurements and repeat them"},
    {CaveatId::kNoCounters, "no-counters", kValid, "this machine exposes no hardware counters",
     "emulating engines give exact counts: tare count --engine valgrind"},
    {CaveatId::kVirtualMachine, "virtual-machine", kValid, "this is a virtual machine",
     "other guests can disturb timings; repeat measurements, and compare within one run"},
    {CaveatId::kFrequencyScaling, "frequency-scaling", kDoubtful,
     "the processor changes its frequency", "set the governor to performance while measuring"},
    {CaveatId::kSharedCore, "shared-core", kDoubtful, "hardware threads share a core",
     "measure with the sibling thread idle or switched off"},
    {CaveatId::kSteal, "steal", kDoubtful,
     "the hypervisor ran other virtual machines (stolen time)", "repeat when the host is quieter"},
    {CaveatId::kBusyMachine, "busy-machine", kDoubtful, "other programs are running",
     "stop them, or measure on an idle core"},
    {CaveatId::kCalibrationDrift, "calibration-drift", kDoubtful,
     "the core's counting rate has changed since it was calibrated",
     "calibrate again: tare load --calibrate"},
    {CaveatId::kCalibratedUnderLoad, "calibrated-under-load", kRefused,
     "the core was not idle while it was calibrated", "calibrate again on an idle machine"},
    {CaveatId::kGroupScheduling, "group-scheduling", kDoubtful,
     "the scheduler shares time between groups, not between processes",
     "start tare in the same session or control group as the load"},
    {CaveatId::kIncomplete, "incomplete", kDoubtful, "the measurement was cut short",
     "the numbers cover only what was measured before that"},
    {CaveatId::kSuspended, "suspended", kDoubtful,
     "the machine was suspended during the measurement", "measure again"},
    {CaveatId::kRandomAddresses, "random-addresses", kDoubtful,
     "address randomization could not be switched off",
     "allow the personality system call in the container, or compare many runs"},
    {CaveatId::kDirectoryLinked, "directory-linked", kDoubtful,
     "$PWD has the requested length, but getcwd() returns another path",
     "allow tare to make private mounts: run as root, or allow user namespaces"},
    {CaveatId::kParentKilled, "parent-killed", kDoubtful, "the program killed its parent process",
     "its exit status is correct; treat its times as rough"},
    {CaveatId::kExitStatusDiffers, "exit-status-differs", kRefused,
     "the exit status under this engine differs from the native run",
     "omit this engine; it may not support an instruction or system call of the program"},
    {CaveatId::kOutputDiffers, "output-differs", kDoubtful,
     "the program writes another output under this engine than natively",
     "compare both outputs; a program that prints addresses or the processor's features always "
     "differs, any other one may have done other work"},
    {CaveatId::kExitStatusVaries, "exit-status-varies", kDoubtful,
     "the exit status is not the same in all runs",
     "it may depend on what was varied; find out why the program fails first"},
    {CaveatId::kControlDropped, "control-dropped", kDoubtful,
     "the controlled environment changes the program's exit status, so no run uses it",
     "libraries select code by processor, bind symbols lazily and seed hashes at random; "
     "compare only runs on this machine"},
    {CaveatId::kControlHarmed, "control-harmed", kRefused,
     "the exit status differs from that of a run without the controlled environment",
     "use --native-view: the program may not work with GLIBC_TUNABLES"},
    {CaveatId::kDispatchNotPinned, "dispatch-not-pinned", kValid,
     "the C library selects code by this machine's processor; this program does not let tare fix "
     "it",
     "to compare across machines, link the program dynamically or without PIE"},
    {CaveatId::kNotRepeatable, "not-repeatable", kDoubtful, "the count differs from run to run",
     "tare why finds the cause; often time, random numbers, threads or process IDs"},
    {CaveatId::kUnexplained, "unexplained", kDoubtful,
     "engines differ by more than the known causes explain",
     "compare a region instead of the whole program: --region main"},
    {CaveatId::kExecNotFollowed, "exec-not-followed", kDoubtful,
     "the program replaced itself by exec, and the new program was not counted",
     "count it too: --children"},
    {CaveatId::kUndecoded, "undecoded", kDoubtful, "the decoder does not know some instructions",
     "the instruction count is correct; loads, stores and branches may be too low"},
    {CaveatId::kNoisyTime, "noisy-time", kDoubtful, "the program's run time varies widely",
     "stop other work, pin a core (--core), or allow more time (--budget)"},
    {CaveatId::kUnresolvedCalls, "unresolved-calls", kDoubtful,
     "some indirect calls are unresolved",
     "the inclusive mix is a lower bound; tare mix --per call lists the calls"},
    {CaveatId::kNoNames, "no-names", kDoubtful, "functions without names cannot be matched",
     "compare files with symbols, or install the package with the debug symbols"},
    {CaveatId::kDebugIncomplete, "debug-incomplete", kDoubtful,
     "part of the debug information could not be read",
     "lines and inlined functions may be missing"},
    {CaveatId::kEvenWeights, "even-weights", kDoubtful,
     "counts by function do not show which parts of the function ran",
     "use counts by block: tare count --per block --top 0 --save FILE"},
    {CaveatId::kWeightsMissing, "weights-missing", kDoubtful,
     "some counts match no code in this file", "count the same build of the program, with --top 0"},
    {CaveatId::kNoisyMachine, "noisy-machine", kDoubtful,
     "the machine was not quiet while it was measured",
     "stop other work and measure again: tare machine measure"},
    {CaveatId::kWideIntervals, "wide-intervals", kDoubtful, "some points have wide intervals",
     "these points are marked; measure again on a quiet machine"},
    {CaveatId::kNotAsReported, "not-as-reported", kDoubtful,
     "measured values differ from what the system reports",
     "virtual machines often share caches or misreport them; use the measured values"},
    {CaveatId::kPublished, "published", kDoubtful,
     "the numbers come from documents, not from a measurement",
     "table 'about' names the source; measure the machine if you can"},
    {CaveatId::kProjected, "projected", kDoubtful,
     "numbers are projected from another machine, not measured",
     "projected numbers are marked; their intervals cover the fit of the model only"},
    {CaveatId::kOtherConditions, "other-conditions", kDoubtful,
     "the profiles were measured under different conditions", "measure both with the same options"},
    {CaveatId::kRecordsLost, "records-lost", kDoubtful, "some records could not be stored",
     "totals cover the stored records; free disk space, or use a longer --interval"},
    {CaveatId::kMissedSamples, "missed-samples", kDoubtful, "many samples were missed",
     "rates use the elapsed time and stay correct; use a longer --interval, or leave a core idle"},
    {CaveatId::kCostlySampling, "costly-sampling", kDoubtful,
     "sampling took a large share of the program's run time",
     "use a longer --interval, fewer metrics (--metric), or --sampler observer"},
    {CaveatId::kLostCounts, "lost-counts", kDoubtful,
     "some threads, processes or calls got no counters", "software metrics are lower bounds"},
    {CaveatId::kBoundsOnly, "bounds-only", kDoubtful, "some counts are known only within bounds",
     "the code generator added branches, or calls did not return; use an exact engine: "
     "--engine valgrind"},
    {CaveatId::kChangedBinary, "changed-binary", kDoubtful,
     "a file has changed since the program was signed",
     "the signature describes the old code; sign the program again"},
    {CaveatId::kOtherInstructionSet, "other-instruction-set", kDoubtful,
     "the machine has another instruction set than the signed program",
     "a compiler for that machine makes other blocks; sign the program on that architecture"},
    {CaveatId::kDerivedRates, "derived-rates", kDoubtful,
     "the machine profile lacks rates, which were derived from its clock and other levels",
     "measure the machine again with this version: tare machine measure"},
    {CaveatId::kOneCore, "one-core", kDoubtful,
     "the prediction is the time of all threads and processes on one core, one after another",
     "compare it with processor time (user + system), not with elapsed time"},
    {CaveatId::kKernelTime, "kernel-time", kDoubtful,
     "part of the elapsed time is not spent in the program's own code, which a signature describes",
     "the prediction is compared with the user time; expect so much more elapsed time"},
    {CaveatId::kNoMpiProcess, "no-mpi-process", kRefused,
     "no process of the command left an MPI trace",
     "check that it calls MPI_Init, links its MPI library dynamically, and uses the library that "
     "--mpi names; give mpirun the option -x LD_PRELOAD for processes on other hosts"},
    {CaveatId::kUnmatchedCalls, "unmatched-calls", kDoubtful,
     "some messages or collective calls have no counterpart in the trace",
     "tare mpi check DIRECTORY lists them; a rank may have ended early"},
    {CaveatId::kClocksNotAligned, "clocks-not-aligned", kDoubtful,
     "no messages in both directions connect the clocks of these hosts, so their dates were used",
     "compare times within one host only"},
    {CaveatId::kNoCpuTime, "no-cpu-time", kDoubtful,
     "the archive has no CPU time, so all time between calls counts as computation",
     "record the program with tare mpi, or with a core of its own for each rank"},
    {CaveatId::kOffProcessor, "off-processor", kDoubtful,
     "between MPI calls, the ranks were not on a processor all the time",
     "other programs ran, or ranks slept, read files or shared cores; replay with --burst cpu "
     "leaves "
     "that time out"},
    {CaveatId::kOneTrace, "one-trace", kDoubtful,
     "one recorded run: the interval does not contain the variation between runs",
     "record the program several times and give all directories"},
    {CaveatId::kTypicalNetwork, "typical-network", kDoubtful,
     "the parameters of the network are typical ones, not measured",
     "measure a network: tare machine measure --network -o FILE -- mpirun -n 2"},
    {CaveatId::kCountersNotUsed, "counters-not-used", kDoubtful,
     "bursts have the speed of the whole program instead of their own",
     "keep the program's file as it was recorded, and sign the same file"},
    {CaveatId::kCommandFails, "command-fails", kDoubtful, "a command fails in every run",
     "the time until it fails is compared; correct the command if that is not wanted"},
    {CaveatId::kOutputsDiffer, "outputs-differ", kValid, "the commands print different output",
     "make sure that they do the same work"},
    {CaveatId::kOutputVaries, "output-varies", kDoubtful,
     "a command prints something else than in its first run",
     "its work may differ from run to run; fix its random seed, or reset its files with --prepare"},
    {CaveatId::kInputsDiffer, "inputs-differ", kDoubtful,
     "the commands read files of different content",
     "give all commands the same input, unless the inputs are what you compare"},
    {CaveatId::kLayoutNotVaried, "layout-not-varied", kDoubtful,
     "memory could not be moved, so the answer holds for fewer layouts",
     "allow ptrace in the container, or compare with --fixed-layout"},
    {CaveatId::kFixedLayout, "fixed-layout", kDoubtful, "all runs had the same memory layout",
     "another environment, path, user or link order can give another answer; leave out "
     "--fixed-layout to vary the layout"},
    {CaveatId::kBaselineApart, "baseline-apart", kDoubtful,
     "the baseline was measured at another time",
     "what changed on the machine since then is part of the difference; compare both commands in "
     "one run if you can"},
    {CaveatId::kRareSlowRuns, "rare-slow-runs", kDoubtful,
     "the ratio of the mean times is outside the interval of the usual ratio",
     "rare slow runs are part of the mean; see the table of samples"},
    {CaveatId::kControlDiffers, "control-differs", kDoubtful,
     "the first command differs from itself", "the machine was disturbed; measure again"},
    {CaveatId::kInStep, "in-step", kDoubtful,
     "two sampling periods give different shares: the program runs in step with one of them",
     "sample at another rate, such as --frequency 1300, and compare"},
    {CaveatId::kLostSamples, "lost-samples", kDoubtful, "the kernel dropped samples",
     "sample less often (--frequency), or without --call-graph dwarf"},
    {CaveatId::kUnsampledTime, "unsampled-time", kDoubtful,
     "part of the processor time got no samples",
     "stolen time gets none, and each new process is first sampled after one period; sample more "
     "often: --frequency 10000"},
    {CaveatId::kUserModeOnly, "user-mode-only", kValid,
     "kernel mode was not sampled; shares are of the time in user mode",
     "sample both as root, or after 'sysctl kernel.perf_event_paranoid=1'"},
    {CaveatId::kBrokenChains, "broken-chains", kValid,
     "call chains break off, so that inclusive shares are too small",
     "use --call-graph dwarf, or compile with -fno-omit-frame-pointer"},
    {CaveatId::kCostlyProfile, "costly-profile", kDoubtful, "sampling slowed the program down",
     "sample less often (--frequency)"},
    {CaveatId::kTimeWeights, "time-weights", kDoubtful,
     "the weights are samples of time, not counts of executed instructions",
     "count instructions instead: tare count --per block --top 0 --save FILE"},
    {CaveatId::kConditionsChanged, "conditions-changed", kDoubtful,
     "the machine, a program or an input changed between runs",
     "tare study export lists the runs; use another --results directory to start anew"},
    {CaveatId::kRunsFailed, "runs-failed", kDoubtful, "runs failed and are not in the numbers",
     "the failed runs that tare study status lists say why; a program that fails at times may also "
     "be slow at times"},
    {CaveatId::kFailedSelfTest, "failed-self-test", kDoubtful,
     "an event failed its self-test on this machine, or may have failed it",
     "tare doctor --self-test tests again and shows what it counts; use another event, or --engine "
     "valgrind"},
    {CaveatId::kFileCut, "file-cut", kDoubtful, "an input file may be cut off",
     "write the file again, or end its last line"},
});
static_assert(HasRowPerEnumerator(kTable, &CaveatRow::key, CaveatId::kFileCut));

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
