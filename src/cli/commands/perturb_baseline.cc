// perturb_baseline.cc: `tare perturb baseline`: runs that nothing was added to.
#include <fmt/format.h>

#include <array>

#include "base/printable.h"
#include "base/private_folder.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/perturb_tables.h"
#include "cli/provenance.h"
#include "cli/trace_choices.h"
#include "perturb/baseline_file.h"
#include "proxy/layouts.h"
#include "trace/series_reader.h"

namespace tare::cli {
namespace {

struct BaselineOptions : TraceOptions {
  BaselineOptions() { sampler = "instructions"; }
  std::optional<std::int64_t> runs;
  bool vary = false;
  bool software = false;
};

constexpr auto kSamplers = std::to_array<std::string_view>({"instructions", "observer"});

const std::vector<Flag<BaselineOptions>> kFlags = WithProgramFlags<BaselineOptions>({
    {{"-o,--output", "FILE", "the baseline, for tare perturb judge"}, &BaselineOptions::output},
    {{"--runs", "N", "so many, 3 to 64 (26)"}, &BaselineOptions::runs},
    {{"--vary", "",
      "lay memory out otherwise in each run: the spread of a program that always "
      "does the same"},
     &BaselineOptions::vary},
    {{"--sampler", "WHICH",
      "instructions: under the virtual PMU, without any clock; observer: what kernel and processor "
      "count, over time (instructions)",
      kSamplers},
     &BaselineOptions::sampler},
    {{"--machine", "NAME",
      "with --sampler instructions: the processor that is modelled (the one most like this "
      "machine)"},
     &BaselineOptions::machine},
    {{"--every", "N", "with --sampler instructions: so many from record to record"},
     &BaselineOptions::every},
    {{"--interval", "TIME", "with --sampler observer: from record to record"},
     &BaselineOptions::interval},
    {{"--records", "N", "about so many records, up to twice as many (3000)"},
     &BaselineOptions::records},
    {{"--metric", "NAME...", "watch these metrics only (all that change)"},
     &BaselineOptions::metrics},
    {{"--software", "",
      "watch the metrics of a program that tare-cc has built, too: for judging instrumented runs "
      "by each other"},
     &BaselineOptions::software},
});

constexpr std::array kExamples = {
    Example{"tare perturb baseline -o plain.baseline --vary -- ./program input",
            "26 runs of a modelled processor, each with another layout of memory"},
    Example{"tare perturb baseline -o plain.baseline --sampler observer --interval 10ms -- "
            "./program input",
            "what kernel and processor tell, over time"},
};

Result<std::vector<run::Setting>> SettingsOf(const BaselineOptions& options,
                                             const run::Setting& setting) {
  const std::int64_t runs = options.runs.value_or(26);
  if (runs < 3 || runs > static_cast<std::int64_t>(proxy::kMostLayouts)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--runs {}: 3 to {} is expected", runs, proxy::kMostLayouts));
  }
  if (options.vary) return proxy::VaryLayout(setting, static_cast<std::size_t>(runs));
  return std::vector<run::Setting>(static_cast<std::size_t>(runs), setting);
}

// What the interval of the first run came to: all others have the same.
Result<std::uint64_t> IntervalOf(const std::filesystem::path& file) {
  TRY(auto reader, trace::SeriesReader::Open(file));
  while (reader.Next() != nullptr) continue;
  const auto& end = reader.Outcome().end;
  return end && end->interval != 0 ? end->interval : reader.Head().interval;
}

struct Taken {
  std::vector<perturb::TraceSignals> runs;
  std::vector<Caveat> caveats;
  int exit_status = 0;
};

Result<Taken> TakeRuns(sampling::TraceRequest request, const std::vector<run::Setting>& settings,
                       const Session& session) {
  TRY(const auto folder, PrivateFolder::MakeOnDisk());
  Taken taken;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!session.progress(static_cast<double>(i) / static_cast<double>(settings.size()),
                          fmt::format("run {} of {}", i + 1, settings.size()))) {
      return Fail(ErrorKind::kInterrupted, "stopped by the user");
    }
    request.setting = i == 0 ? settings[i] : run::Silenced(settings[i]);
    request.file = folder.path() / fmt::format("run {}", i + 1);
    TRY(const auto run, sampling::TraceProgram(request));
    if (run.finished.ended.interrupted) {
      return Fail(ErrorKind::kInterrupted, "stopped by the user");
    }
    if (run.file_error) return std::unexpected(*run.file_error);
    if (i == 0) {
      taken.exit_status = run.finished.ended.ShellStatus();
      taken.caveats = run.caveats;
      TRY(request.pace.interval_ns, IntervalOf(request.file));
    }
    TRY(auto signals, perturb::ReadSignals(request.file, fmt::format("run {}", i + 1), false));
    taken.runs.push_back(std::move(signals));
  }
  return taken;
}

Result<Outcome> Run(const BaselineOptions& options, Session& session) {
  if (session.program.empty()) return ProgramMissing("perturb baseline");
  if (options.output.empty()) {
    return Fail(ErrorKind::kUsage, "--output FILE is needed: the baseline is for later");
  }
  TRY_VOID(CheckFolder(options.output));
  sampling::TraceRequest request;
  TRY_VOID(ChooseSampler(options, request));
  TRY(const auto ready, Prepare(options, session));
  TRY(const auto settings, SettingsOf(options, ready.setting));
  request.program = ready.program;
  request.interrupted = session.interrupted;
  TRY(auto taken, TakeRuns(request, settings, session));
  perturb::StoredBaseline stored;
  stored.machine = request.processor ? request.processor->name : ThisMachine().machine;
  stored.runs = taken.runs;
  TRY(const auto baseline,
      perturb::MakeBaseline(std::move(taken.runs),
                            {.metrics = options.metrics, .software = options.software}));
  stored.metrics = baseline.metrics;
  TRY(const auto outer, perturb::MakeOuterBaseline(baseline, {}));
  TRY_VOID(perturb::WriteBaseline(options.output, stored));

  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = taken.exit_status;
  report::Document& document = outcome.document;
  document.title =
      fmt::format("Baseline of {}", Printable(request.program.path.filename().string()));
  AddBaseline(baseline, outer, {}, session.machine_readable, document);
  document.blocks.emplace_back(report::Text{
      "answer", fmt::format("{} runs of {} records and {} metrics that change are in {}.",
                            baseline.runs.size(), baseline.runs.front().length() + 1,
                            baseline.metrics.size(), Printable(options.output))});
  AddCaveats(document, taken.caveats);
  AddSettings(document, ready.setting);
  return outcome;
}

}  // namespace

Command PerturbBaselineCommand() {
  return MakeCommand<BaselineOptions>(
      {"perturb baseline", "runs that nothing was added to, and how much they differ",
       "Runs the program again and again, with the metrics of hardware, kernel or a modelled "
       "processor only, and keeps its traces in one file. From them come the correlation of every "
       "pair of metrics, that of every metric with itself in the other runs after both were "
       "aligned, how much these differ from run to run, and how small a change could be found.\n\n"
       "The modelled processor always counts the same for a program that always does the same. "
       "With --vary memory is laid out otherwise in each run, as it is in real life.",
       kExamples, true},
      kFlags, Run);
}

}  // namespace tare::cli
