// table_ids.cc: one row per command with the ids of its tables.
#include "cli/table_ids.h"

#include <algorithm>
#include <array>
#include <span>

namespace tare::cli {
namespace {

constexpr std::array<std::string_view, 1> kNumbers = {"#"};
constexpr std::array<std::string_view, 1> kWords = {"*"};
constexpr std::array<std::string_view, 1> kNumberedWords = {"#_*"};
constexpr std::array<std::string_view, 4> kOrders = {"given", "random_#", "alone", "control"};

constexpr auto kCheckTables = std::to_array<TableId>({
    {"verdicts", "measured values and verdicts"},
    {"ledger", "difference between engines, by cause"},
    {"advice", "what to do, most useful first"},
    {"engines", "engines on this machine"},
    {"samples", "wall time of each run"},
    {"run_times", "the same as a plot"},
});
constexpr auto kCompareTables = std::to_array<TableId>({
    {"comparison", "times and ratios"},
    {"control", "the first command against itself", "--control"},
    {"counts", "counts of each command"},
    {"changes", "changes of counts against the first command"},
    {"resources", "user and system time, page faults, context switches"},
    {"events", "events of the timed runs", "--event"},
    {"functions", "functions whose instructions changed"},
    {"function_counts", "instructions by function"},
    {"distribution", "times of all runs"},
    {"layouts", "ratio in each layout"},
    {"samples", "all timed runs"},
});
constexpr auto kCountTables = std::to_array<TableId>({
    {"counts", "counts by engine"},
    {"ledger", "difference between engines, by cause"},
    {"spread", "repeatability over the runs"},
    {"events", "events of the native runs"},
    {"named_events", "portable names of events", "--list-events"},
    {"cycles", "cycles per instruction, instructions per cycle"},
    {"rates", "clock frequency and rate of interrupts", "--rates"},
    {"virtual", "events of a modelled processor", "--engine virtual"},
    {"machines", "events on several processors", "--machine or --change"},
    {"change", "misses over a range", "--change"},
    {"streams", "the same for --tare-stream", "--engine compiled"},
    {"functions", "", "--per function"},
    {"lines", "", "--per line"},
    {"source", "lines of one file", "--annotate"},
    {"blocks", "", "--per block"},
    {"opcodes", "", "--per opcode"},
    {"intra", "runs on one machine", "--compare"},
    {"inter", "differences between machines", "--compare"},
    {"outliers", "machines far from the others", "--compare"},
    {"deviations", "plot of the differences between machines", "--compare"},
    {"variation", "plot of the variation between machines", "--compare"},
    {"deviations_within", "plot of the deviations within machines", "--compare"},
    {"runs", "runs of each benchmark", "--compare"},
    {"samples", "each of several runs, by engine and metric"},
    {"counts_plot", "counts of engines and models as a plot"},
    {"explanation", "causes of a difference", "--explain"},
    {"residuals", "residual of each program", "--explain"},
    {"ticks", "rate of the timer interrupt", "--explain"},
    {"clock", "clock frequency", "--explain"},
});
constexpr auto kProfileTables = std::to_array<TableId>({
    {"functions", "functions by samples"},
    {"lines", "source lines; in text with --per line"},
    {"blocks", "basic blocks; in text with --per block"},
    {"processes", "processes by samples"},
    {"calls", "call tree"},
    {"sampling", "how it was sampled"},
    {"plan", "how many samples are needed"},
    {"changes", "functions whose share changed"},
    {"both", "share of time and of executed instructions"},
});
constexpr auto kWhyTables = std::to_array<TableId>({
    {"causes", "factors and their effects"},
    {"sweep", "instructions by environment size or heap offset, if one is a cause"},
    {"fix", "what to do about each cause"},
    {"samples", "all runs of the search"},
});
constexpr auto kProxyTables = std::to_array<TableId>({
    {"ratios", "instrumented over vanilla"},
    {"ratio_plot", "the same as a plot"},
    {"wide", "one row per program"},
    {"misled", "metrics for which the run time misleads"},
    {"parts", "added instructions by cause"},
    {"functions", "added instructions by function"},
    {"mix", "static instructions by category"},
    {"prediction", "predicted ratios", "--predict"},
    {"likelihood", "probability that a metric stays within the tolerance", "--predict"},
    {"reliability", "how often such probabilities came true", "--predict"},
    {"reliability_plot", "the same as a plot", "--predict"},
    {"samples", "amounts of all pairs of runs"},
});
constexpr auto kBaselineTables = std::to_array<TableId>({
    {"inner", "correlation of pairs of metrics"},
    {"outer", "correlation of metrics between aligned runs"},
    {"left_out", "metrics that are left out"},
});
constexpr auto kJudgeTables = std::to_array<TableId>({
    {"inner", "correlation of pairs of metrics"},
    {"outer", "metrics against themselves in the aligned baseline"},
    {"local", "parts that are farther from the baseline than its own runs"},
    {"local_scores", "distance over the trace"},
    {"cost", "added instructions"},
    {"methods", "verdicts of both methods", "--method document"},
    {"document_inner", "pairs by the document's method", "--method document"},
    {"document_outer", "metrics by the document's method", "--method document"},
});
constexpr auto kSweepTables = std::to_array<TableId>({
    {"points", "runs with added metrics"},
    {"inner", "pairs of metrics"},
    {"outer", "metrics against themselves in the aligned baseline"},
    {"baseline_inner", "pairs of metrics in the baseline's runs"},
    {"inner_*", "inner correlation of one order", "", kOrders},
    {"outer_*", "outer correlation of one order", "", kOrders},
    {"signals_before", "the pair that changed most, before"},
    {"signals_after", "the pair that changed most, after"},
    {"methods", "verdicts of both methods", "--method document"},
    {"document_inner", "pairs by the document's method", "--method document"},
    {"document_outer", "metrics by the document's method", "--method document"},
    {"intervals", "cost of each sampling interval", "--intervals"},
    {"unsampled", "runs without sampling", "--intervals"},
    {"interval_costs", "cost over the sampling interval", "--intervals"},
    {"interval_runs", "all runs", "--intervals"},
});
constexpr auto kPlanTables = std::to_array<TableId>({
    {"groups", "groups of metrics that one run can count"},
    {"not_placed", "metrics that fit into no group"},
    {"tests", "tested groups"},
});
constexpr auto kMergeTables = std::to_array<TableId>({
    {"merged", "trust in each metric"},
    {"traces", "the traces that were merged"},
});
constexpr auto kTraceTables = std::to_array<TableId>({
    {"metrics", "totals and rates of each metric"},
    {"phases", "where the metrics' means change"},
    {"metric_*", "one metric over time, as metric_cpu_time", "", kWords},
    {"histograms", "histograms of software metrics"},
    {"trust", "trust in each metric; of a merged trace"},
    {"absent", "metrics that are not available, and why"},
    {"sampling", "sampling and its cost"},
});
constexpr auto kSignTables = std::to_array<TableId>({
    {"blocks", "blocks by share of memory references"},
    {"functions", "functions; in text with --per function"},
    {"loops", "loops; in text with --per loop"},
    {"processes", "processes and threads"},
    {"machines", "where references are served"},
});
constexpr auto kMixTables = std::to_array<TableId>({
    {"total", "instructions of the file by category; of one file"},
    {"difference", "instructions of both files by category; of two files"},
    {"mix", "the same as bars"},
    {"inclusive", "functions reachable from the root"},
    {"facts", "properties of the file"},
    {"functions", "categories by function; of one file"},
    {"difference_functions", "functions in both files; of two files"},
    {"only", "functions in only one file; of two files"},
    {"calls", "call sites"},
    {"call_changes", "call sites that differ; of two files"},
    {"interface", "calls of the measurement interface"},
    {"classes", "finer classes"},
    {"operands", "operand types"},
    {"weighted", "weighted by executed instructions", "--weights"},
    {"lines", "", "--per line"},
    {"inlined", "", "--per inlined"},
});
constexpr auto kMachineTables = std::to_array<TableId>({
    {"levels", "levels of memory"},
    {"level_rates", "bandwidth of each level"},
    {"rates", "rates of arithmetic and memory"},
    {"bandwidth", "bandwidth by size of the working set"},
    {"latency", "latency of dependent loads"},
    {"discovered", "discovered by measurement"},
    {"tlbs", "TLBs"},
    {"curves", "accesses per second by size of the working set"},
    {"load_*", "bandwidth of loads, by size of their element", "", kNumbers},
    {"store_*", "bandwidth of stores, by size of their element", "", kNumbers},
    {"copy_*", "bandwidth of copies, by size of their element", "", kNumbers},
    {"update_*", "bandwidth of updates, by size of their element", "", kNumbers},
    {"graph_*", "measured graphs", "", kNumberedWords},
    {"hits", "computed hit rates", "--hits"},
    {"about", "origin of the profile"},
    {"network", "parameters of a network", "--network"},
    {"messages", "measured messages", "--network"},
    {"model", "the modelled processor"},
});
constexpr auto kMachineCompareTables = std::to_array<TableId>({
    {"levels", "levels of memory"},
    {"rates", "rates"},
    {"curves", "curves, second over first"},
    {"points", "all points of the curves"},
    {"ratio", "rate of the second over the first"},
});
constexpr auto kMachineListTables = std::to_array<TableId>({
    {"profiles", "machine profiles"},
    {"processors", "processor descriptions"},
    {"broken", "files that are not valid profiles"},
});
constexpr auto kPredictTables = std::to_array<TableId>({
    {"prediction", "predicted time on each machine"},
    {"budget", "error budget"},
    {"bounds", "what bounds the time"},
    {"loops", "time of each loop"},
    {"placed_blocks", "rate and working set of each block; in text with -v"},
    {"blocks_on_curves", "blocks on the machine's curves"},
    {"whatif", "time on changed machines", "--whatif"},
    {"whatif_*", "the same as plots", "--whatif", kNumbers},
    {"validation", "predicted and measured", "--validate"},
    {"prediction_plot", "predicted times of several machines, or with the measured one"},
});
constexpr auto kMpiTables = std::to_array<TableId>({
    {"ranks", "time of each rank"},
    {"functions", "MPI functions"},
    {"openmp", "OpenMP threads of each rank"},
    {"regions", "OpenMP parallel regions"},
    {"waits", "what OpenMP threads waited for"},
    {"sizes", "sizes of messages"},
    {"checks", "checks of the trace"},
    {"rank_bars", "time of each rank as bars"},
    {"problems", "problems of the trace"},
});
constexpr auto kEventsTables = std::to_array<TableId>({
    {"summary", "what was recorded, its size and cost"},
    {"functions", "executed blocks and instructions by function"},
    {"events", "spans, values and other events by name"},
    {"printed", "single events in order", "--print"},
});
constexpr auto kEventsCheckTables = std::to_array<TableId>({{"checks", "rules and breaches"}});
constexpr auto kEventsConvertTables = std::to_array<TableId>({{"summary", "events and sizes"}});
constexpr auto kEventsSampleTables = std::to_array<TableId>({
    {"summary", "events and sizes"},
    {"plan", "samples that were tried", "--plan"},
});
constexpr auto kReportTables = std::to_array<TableId>({
    {"results", "results in the report"},
    {"output", "the file written and its size"},
});
constexpr auto kReplayTables = std::to_array<TableId>({
    {"result", "predicted time"},
    {"ranks", "time of each rank"},
    {"efficiency", "parallel efficiency and its factors"},
    {"critical_path", "what is on the critical path"},
    {"sensitivity", "what would help"},
    {"rank_bars", "time of each rank as bars"},
    {"path_timeline", "ranks on the critical path over time"},
    {"messages", "messages by sender and receiver"},
    {"message_sizes", "messages by size"},
    {"collectives", "collective calls"},
    {"whatif", "time on changed machines", "--whatif"},
    {"whatif_*", "the same as plots", "--whatif", kNumbers},
    {"scaling", "time by number of ranks"},
    {"scaling_plot", "the same as a plot"},
});
constexpr auto kDoctorTables = std::to_array<TableId>({
    {"problems", "what limits measurements here"},
    {"machine", "processor, caches, hypervisor, kernel"},
    {"permissions", "what this user may do"},
    {"disturbances", "what disturbs measurements"},
    {"space", "memory and disk"},
    {"counters", "hardware and kernel counters"},
    {"engines", "engines and whether they are ready"},
    {"events", "every counter event", "--events"},
    {"errata", "errata of the counters, as the vendor lists them"},
    {"sources", "tests of each source", "--self-test"},
    {"failures", "counts that are wrong", "--self-test"},
    {"self_test", "all tests", "--self-test"},
    {"untested", "what no workload tests", "--self-test"},
});
constexpr auto kTimerTables = std::to_array<TableId>({
    {"clocks", "cost and resolution of each clock"},
    {"limits", "shortest intervals"},
    {"steps", "steps of the clocks"},
    {"order", "order of readings"},
    {"short", "duration of an event shorter than a tick", "--short or --from-counts"},
    {"quantization", "ticks of the same event", "--short"},
    {"agreement", "whether it agrees with a fine clock", "--short"},
});
constexpr auto kLoadTables = std::to_array<TableId>({
    {"load", "other busy processes on each core"},
    {"copies", "what copies on one core saw", "--calibrate --copies"},
    {"windows", "load in each window"},
    {"load_over_time", "load over time"},
    {"io_wait", "time waiting for storage; with a program"},
    {"calibration", "counts per second of an idle core", "--calibrate"},
});

constexpr auto kStudyStatusTables = std::to_array<TableId>({
    {"cases", "progress of each case"},
    {"failures", "failed runs; if there are some"},
    {"conditions", "runs whose conditions changed; if there are some"},
    {"nodes", "runs by node; if there are several"},
    {"jobs", "Slurm jobs; if there are some"},
});
constexpr auto kStudyPlanTables = std::to_array<TableId>({
    {"plan", "runs that are left"},
    {"order", "the next runs", "--order"},
});
constexpr auto kStudyReportTables = std::to_array<TableId>({
    {"groups", "medians by group"},
    {"comparison", "levels of a factor against a baseline"},
    {"proxy", "metrics that represent those of a baseline"},
    {"correlations", "rank correlations of metrics"},
    {"prediction", "predicted and measured values"},
    {"machines", "deviation of each node"},
    {"deviations", "levels of a factor against their mean"},
    {"deviations_within", "standard deviations over the runs of each level"},
    {"tables", "rows of Documents that runs left, or of cases"},
    {"summary", "numbers and texts of rows by group"},
    {"fit", "straight lines through two columns"},
    {"results", "all cases and metrics"},
    {"groups_*", "further tables of the same kind, here and below", "", kNumbers},
    {"comparison_*", "further tables", "", kNumbers},
    {"proxy_*", "further tables", "", kNumbers},
    {"correlations_*", "further tables", "", kNumbers},
    {"prediction_*", "further tables", "", kNumbers},
    {"machines_*", "further tables", "", kNumbers},
    {"deviations_*", "further tables", "", kNumbers},
    {"deviations_within_*", "further tables", "", kNumbers},
    {"tables_*", "further tables", "", kNumbers},
    {"summary_*", "further tables", "", kNumbers},
    {"fit_*", "further tables", "", kNumbers},
    {"variation", "plot of the variation over levels of a factor"},
    {"*", "further plots, by the ids that the study's file gives them"},
});
constexpr auto kStudyDiffTables = std::to_array<TableId>({
    {"difference", "second study over the first"},
    {"only", "cases in one study only; if there are some"},
});
constexpr auto kStudyExportTables =
    std::to_array<TableId>({{"output", "the file written and its runs"}});
constexpr auto kStudyTaskTables = std::to_array<TableId>({{"task", "the runs that were made"}});

struct CommandTables {
  std::string_view command;
  std::span<const TableId> tables;
};

const auto kTables = std::to_array<CommandTables>({
    {"check", kCheckTables},
    {"compare", kCompareTables},
    {"count", kCountTables},
    {"profile", kProfileTables},
    {"why", kWhyTables},
    {"proxy", kProxyTables},
    {"perturb baseline", kBaselineTables},
    {"perturb judge", kJudgeTables},
    {"perturb sweep", kSweepTables},
    {"perturb plan", kPlanTables},
    {"perturb merge", kMergeTables},
    {"trace", kTraceTables},
    {"sign", kSignTables},
    {"mix", kMixTables},
    {"machine measure", kMachineTables},
    {"machine show", kMachineTables},
    {"machine edit", kMachineTables},
    {"machine project", kMachineTables},
    {"machine compare", kMachineCompareTables},
    {"machine list", kMachineListTables},
    {"predict", kPredictTables},
    {"events record", kEventsTables},
    {"events show", kEventsTables},
    {"events check", kEventsCheckTables},
    {"events expand", kEventsConvertTables},
    {"events compress", kEventsConvertTables},
    {"events sample", kEventsSampleTables},
    {"events export", kEventsConvertTables},
    {"study run", kStudyStatusTables},
    {"study plan", kStudyPlanTables},
    {"study status", kStudyStatusTables},
    {"study report", kStudyReportTables},
    {"study diff", kStudyDiffTables},
    {"study export", kStudyExportTables},
    {"study task", kStudyTaskTables},
    {"report", kReportTables},
    {"mpi", kMpiTables},
    {"replay", kReplayTables},
    {"doctor", kDoctorTables},
    {"timer", kTimerTables},
    {"load", kLoadTables},
});

}  // namespace

std::span<const TableId> TableRows(std::string_view command) {
  const auto found = std::ranges::find(kTables, command, &CommandTables::command);
  if (found == kTables.end()) return {};
  return found->tables;
}

}  // namespace tare::cli
