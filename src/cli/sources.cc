// sources.cc: rows of a command, a block of it, and the source of the block's numbers.
#include "cli/sources.h"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <variant>

namespace tare::cli {
namespace {

constexpr std::string_view kMonotonic = "CLOCK_MONOTONIC, around each run";
constexpr std::string_view kEngine = "counts of the engine";
constexpr std::string_view kSamples = "samples of the program counter";
constexpr std::string_view kModel = "model of the processor, fed by the engine";
constexpr std::string_view kProfileFile = "machine profile";
constexpr std::string_view kStored = "stored runs of the study";

// A row of a group's name is for all its commands. An id that ends in '*' means all ids with that
// beginning. The first row that fits is taken.
struct SourceRow {
  std::string_view command;
  std::string_view id;
  std::string_view source;
};

constexpr auto kSources = std::to_array<SourceRow>({
    {"check", "samples", kMonotonic},
    {"check", "run_times", kMonotonic},
    {"check", "ledger", "difference between the counts of two engines"},
    {"check", "*", "runs of the program"},
    {"compare", "resources", "rusage of each run"},
    {"compare", "events", "counters of the timed runs"},
    {"compare", "counts", kEngine},
    {"compare", "changes", kEngine},
    {"compare", "function*", kEngine},
    {"compare", "*", kMonotonic},
    {"count", "virtual", kModel},
    {"count", "streams", kModel},
    {"count", "machines", kModel},
    {"count", "change", kModel},
    {"count", "events", "counters of the native runs"},
    {"count", "cycles", "counters of the native runs"},
    {"count", "ticks", "CLOCK_MONOTONIC and counts of the engine"},
    {"count", "ledger", "difference between the counts of two engines"},
    {"count", "explanation", "least squares over the counts of both sources"},
    {"count", "residuals", "least squares over the counts of both sources"},
    {"count", "inter", "stored counts of each machine"},
    {"count", "intra", "stored counts of each machine"},
    {"count", "outliers", "stored counts of each machine"},
    {"count", "deviations*", "stored counts of each machine"},
    {"count", "variation", "stored counts of each machine"},
    {"count", "runs", "stored counts of each machine"},
    {"count", "samples", "runs under the engine, or native runs"},
    {"count", "*", kEngine},
    {"profile", "plan", "formula for the interval of a share"},
    {"profile", "*", kSamples},
    {"why", "sweep", kEngine},
    {"why", "*", "controlled runs of the program, one factor varied at a time"},
    {"proxy", "parts", kEngine},
    {"proxy", "functions", kEngine},
    {"proxy", "mix", "disassembly of both files"},
    {"proxy", "likelihood", "programs that were predicted and measured before"},
    {"proxy", "reliability*", "programs that were predicted and measured before"},
    {"proxy", "*", "runs of both programs"},
    {"perturb plan", "*", "test runs of the kernel's counters"},
    {"perturb", "interval*", "runs of the program with each sampling interval"},
    {"perturb", "cost", kEngine},
    {"perturb", "*", "aligned traces of the runs"},
    {"trace", "histograms", "metrics that the program recorded"},
    {"trace", "sampling", "the sampler's own records"},
    {"trace", "*", "records of the sampler"},
    {"sign", "*", "instruction and address stream of one run"},
    {"mix", "weighted", "instructions of the file, weighted by counts of the engine"},
    {"mix", "*", "disassembly of the file"},
    {"machine measure", "*", "microbenchmarks on this machine"},
    {"machine compare", "*", "both machine profiles"},
    {"machine project", "*", "projection of a machine profile"},
    {"machine", "*", kProfileFile},
    {"predict", "validation", "CLOCK_MONOTONIC and the prediction"},
    {"predict", "blocks_on_curves", "signature, placed on the curves of the machine profile"},
    {"predict", "placed_blocks", "signature, placed on the curves of the machine profile"},
    {"predict", "*", "signature, convolved with the machine profile"},
    {"mpi", "openmp", "events of the OpenMP runtime"},
    {"mpi", "regions", "events of the OpenMP runtime"},
    {"mpi", "waits", "events of the OpenMP runtime"},
    {"mpi", "*", "recorded MPI calls"},
    {"events", "*", "recorded events"},
    {"replay", "messages", "recorded messages"},
    {"replay", "message_sizes", "recorded messages"},
    {"replay", "collectives", "recorded messages"},
    {"replay", "*", "replay of the recorded messages on the network"},
    {"report", "output", "size of the file"},
    {"report", "*", "results of the files"},
    {"doctor", "self_test", "workloads of known effect"},
    {"doctor", "sources", "workloads of known effect"},
    {"doctor", "failures", "workloads of known effect"},
    {"doctor", "*", "files of the kernel and trial openings"},
    {"timer", "*", "readings of the clock in a loop"},
    {"load", "io_wait", "accounting of the kernel"},
    {"load", "*", "counting process on each core"},
    {"study plan", "*", "the study's file"},
    {"study", "*", kStored},
});

bool Fits(const SourceRow& row, std::string_view command, std::string_view id) {
  const bool of_command =
      command == row.command ||
      (command.starts_with(row.command) && command.substr(row.command.size()).starts_with(' '));
  if (!of_command) return false;
  if (!row.id.ends_with('*')) return id == row.id;
  return id.starts_with(row.id.substr(0, row.id.size() - 1));
}

}  // namespace

std::string_view SourceOf(std::string_view command, std::string_view id) {
  const auto found =
      std::ranges::find_if(kSources, [&](const SourceRow& row) { return Fits(row, command, id); });
  return found == kSources.end() ? std::string_view() : found->source;
}

void AddSources(report::Document& document) {
  for (report::Block& block : document.blocks) {
    std::visit(
        [&]<typename Kind>(Kind& part) {
          if constexpr (requires { part.source; }) {
            if (part.source.empty()) part.source = SourceOf(document.command, part.id);
          }
        },
        block);
  }
}

}  // namespace tare::cli
