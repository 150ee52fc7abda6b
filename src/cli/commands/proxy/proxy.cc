// proxy.cc: `tare proxy`: which metrics of an instrumented program represent the uninstrumented
// one.
#include <array>

#include "cli/commands.h"
#include "cli/commands/proxy/proxy_report.h"

namespace tare::cli {
namespace {

const std::vector<Flag<ProxyOptions>> kProxyFlags = WithProgramFlags<ProxyOptions>({
    {{"--tolerance", "PART", "maximum change of a valid metric: 10%, 10 or 0.1 (default: 10%)"},
     &ProxyOptions::tolerance},
    {{"--machine", "M", "processor to model, a name or a file (default: similar to this machine)"},
     &ProxyOptions::machine},
    {{"--region", "FUNCTION", "count inside this function only, callees included"},
     &ProxyOptions::region},
    {{"--runs", "N", "pairs of timed runs (default: 10, and more until the interval is narrow)"},
     &ProxyOptions::runs},
    {{"--vary", "N", "memory layouts at which runs are counted (default: 3)"}, &ProxyOptions::vary},
    {{"--budget", "TIME", "total time for timed runs (default: 20 times one pair, at least 3s)"},
     &ProxyOptions::budget},
    {{"--children", "", "count child processes and programs started by execve too"},
     &ProxyOptions::children},
    {{"--event", "LIST", "also these events, by the names that tare count --event takes"},
     &ProxyOptions::events},
    {{"--predict", "",
      "predict ratios from VANILLA alone, and score them if both programs are given"},
     &ProxyOptions::predict},
    {{"--interface", "REGEX",
      "also treat functions with matching names as the measurement interface"},
     &ProxyOptions::interface},
    {{"--top", "N",
      "functions to list; 0 for all (default: 20; all with --json, --csv, --markdown)"},
     &ProxyOptions::top},
    {{"--import", "TABLE.csv", "give verdicts on ratios measured elsewhere; runs no program"},
     &ProxyOptions::import},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &ProxyOptions::confidence},
});

constexpr std::array kProxyExamples = {
    Example{"tare proxy ./solver ./solver-instrumented -- input",
            "which metrics of the instrumented program can be used"},
    Example{"tare proxy --tolerance 5% --region main ./a ./b",
            "a stricter tolerance, without the dynamic loader"},
    Example{"tare proxy --machine skylake-server ./a ./b",
            "cache and branch events of another machine"},
    Example{"tare proxy --predict ./solver - -- input",
            "predict what instrumentation would change"},
    Example{"tare proxy --import table.csv", "verdicts on ratios that were measured elsewhere"},
};

}  // namespace

Command ProxyCommand() {
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"VANILLA INSTRUMENTED [-- ARGUMENT...]", "--import TABLE.csv"});
  return MakeCommand<ProxyOptions>(
      {"proxy",
       "check which metrics of an instrumented program represent the uninstrumented one",
       "Runs a program and its instrumented build alternately, in the same controlled setup and "
       "with the same arguments. Shows every metric as a ratio, instrumented over vanilla, with "
       "an interval: times, kernel and hardware metrics, exact instruction counts, and cache, TLB "
       "and branch events of a modelled processor. A metric is valid if its whole interval is "
       "within the tolerance, refused if all of it is outside, and doubtful otherwise. Also shows "
       "where the simple rule, run time within 10 %, misleads, and which functions and causes the "
       "difference comes from.\n\n"
       "The outputs of the programs are compared and discarded. --import runs no program: it "
       "reads ratios from a table with a column program and one column per metric.",
       kProxyExamples,
       false,
       {"VANILLA INSTRUMENTED [-- ARGUMENT...]", 0, 100000},
       false,
       kForms},
      kProxyFlags, ProxyReportOf);
}

}  // namespace tare::cli
