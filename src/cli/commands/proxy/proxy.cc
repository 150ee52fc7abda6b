// proxy.cc: `tare proxy`: which metrics of an instrumented program represent the uninstrumented
// one.
#include <array>

#include "cli/commands.h"
#include "cli/commands/proxy/proxy_report.h"

namespace tare::cli {
namespace {

const std::vector<Flag<ProxyOptions>> kFlags = WithProgramFlags<ProxyOptions>({
    {{"--tolerance", "PART", "how far a metric may move and still be valid: 10%, 10 or 0.1 (10%)"},
     &ProxyOptions::tolerance},
    {{"--machine", "M", "processor whose events are modelled: name or file (like this machine)"},
     &ProxyOptions::machine},
    {{"--region", "FUNCTION", "count inside this function only, callees included"},
     &ProxyOptions::region},
    {{"--runs", "N", "pairs of timed runs (10, and more until the interval is narrow)"},
     &ProxyOptions::runs},
    {{"--vary", "N", "layouts of memory at which runs are counted (3)"}, &ProxyOptions::vary},
    {{"--budget", "TIME", "all timed runs together (20 times one pair, 3s at least)"},
     &ProxyOptions::budget},
    {{"--children", "", "count child processes and programs started by execve too"},
     &ProxyOptions::children},
    {{"--predict", "", "predict ratios from VANILLA alone, and score them where both are given"},
     &ProxyOptions::predict},
    {{"--interface", "REGEX", "functions with such names belong to the measuring interface too"},
     &ProxyOptions::interface},
    {{"--top", "N", "functions to list; 0 for all (20; all for --json, --csv, --markdown)"},
     &ProxyOptions::top},
    {{"--import", "TABLE.csv", "judge ratios measured elsewhere; nothing is run"},
     &ProxyOptions::import},
    {{"--confidence", "P", "confidence of the intervals (0.95)"}, &ProxyOptions::confidence},
});

constexpr std::array kExamples = {
    Example{"tare proxy ./solver ./solver-instrumented -- input",
            "which of its metrics can be used"},
    Example{"tare proxy --tolerance 5% --region main ./a ./b",
            "stricter, without the loader's work"},
    Example{"tare proxy --machine skylake-server ./a ./b",
            "cache and branch events of another machine"},
    Example{"tare proxy --predict ./solver - -- input",
            "what instrumenting would change, before it is done"},
    Example{"tare proxy --import table.csv", "verdicts on ratios that somebody else measured"},
};

}  // namespace

Command ProxyCommand() {
  return MakeCommand<ProxyOptions>(
      {"proxy",
       "which metrics of an instrumented program still stand for the original's",
       "Runs a program and its instrumented build in turn, under the same control and with the "
       "same "
       "arguments, and gives every metric as a ratio, instrumented over vanilla, with an interval: "
       "times, what the kernel and the processor count, exact counts of instructions, and cache, "
       "translation and branch events of a described processor. A metric is valid when the whole "
       "interval lies within the tolerance, refused when all of it lies outside, and doubtful "
       "otherwise. Beside that: where the plain rule, run time within 10 %, misleads, and which "
       "functions and causes the difference comes from.\n\n"
       "What the programs write is compared and thrown away. With --import nothing is run: ratios "
       "from a table with a column program and one column per metric are judged.",
       kExamples,
       false,
       {"VANILLA INSTRUMENTED [-- ARGUMENT...]", 0, 100000}},
      kFlags, ProxyReportOf);
}

}  // namespace tare::cli
