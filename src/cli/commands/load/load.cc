// load.cc: `tare load`: measures how busy the cores are with a calibrated counting process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/provenance.h"
#include "machine/host/affinity.h"
#include "machine/load/calibration_file.h"
#include "machine/load/load_measurement.h"

namespace tare::cli {
namespace {

struct LoadOptions {
  bool calibrate = false;
  std::optional<std::int64_t> core;
  std::optional<WrittenDuration> every;
  std::optional<WrittenDuration> duration;
  std::string calibration;
  std::optional<double> confidence;
};

const auto kLoadFlags = std::to_array<Flag<LoadOptions>>({
    {{"--calibrate", "", "count on the idle machine, and store the rates under the machine's name"},
     &LoadOptions::calibrate},
    {{"--core", "N", "measure only this core (default: all cores)"}, &LoadOptions::core},
    {{"--every", "TIME", "time between points (default: 1s)"}, &LoadOptions::every},
    {{"--for", "TIME", "duration of the measurement (default: 10s)"}, &LoadOptions::duration},
    {{"--calibration", "FILE",
      "calibration file (default: one per machine in the state directory)"},
     &LoadOptions::calibration},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &LoadOptions::confidence},
});

constexpr std::array kLoadExamples = {
    Example{"tare load --calibrate", "calibrate once per machine, while it is idle"},
    Example{"tare load", "measure all cores for ten seconds"},
    Example{"tare load --core 1 --every 1s --for 1min",
            "measure one core, with a point per second"},
};

Result<std::vector<unsigned>> Cores(const LoadOptions& options) {
  TRY(const auto allowed, host::AllowedProcessors());
  if (!options.core) return allowed;
  const auto found =
      std::ranges::find_if(allowed, [&](unsigned core) { return core == *options.core; });
  if (found != allowed.end()) return std::vector{*found};
  return Fail(ErrorKind::kUsage, fmt::format("--core {}: this process may run only on {}",
                                             *options.core, fmt::join(allowed, ", ")));
}

Result<std::filesystem::path> CalibrationFile(const LoadOptions& options,
                                              const std::string& machine) {
  if (!options.calibration.empty()) return options.calibration;
  return load::CalibrationPath(EnvironmentText("XDG_STATE_HOME"), EnvironmentText("HOME"), machine);
}

// A time in seconds, rounded to a millisecond.
Number Milliseconds(double seconds) { return std::round(seconds * 1e3) / 1e3; }

// A share with its maximum error as bounds.
Measured Share(double share, double max_error) {
  Measured measured;
  measured.value = share;
  measured.low = std::max(0.0, share - max_error);
  measured.high = std::min(1.0, share + max_error);
  return measured;
}

// The kernel accounts a thread's CPU time at context switches; the error is well below this.
constexpr double kAccountError = 1e-4;

// /proc/stat counts in units of USER_HZ, 10 ms: either reading may be one unit short.
Measured StealShare(const load::CoreLoad& core) {
  return Share(core.steal_share, 0.01 / (core.whole.end - core.whole.start));
}

Result<Outcome> Calibrate(const LoadOptions& options, double confidence, Session& session) {
  const MachineNames names = ThisMachine();
  TRY(const auto path, CalibrationFile(options, names.machine));
  load::CalibrationConfig config;
  TRY(config.cores, Cores(options));
  TRY(const auto measured, load::Calibrate(config, session.progress));

  Outcome outcome;
  report::Table table{"calibration",
                      "Counts per second of an idle core",
                      {{"core", ""},
                       {"rate", "/s"},
                       {"own_share", ""},
                       {"quiet_blocks", "blocks"},
                       {"blocks", "blocks"}},
                      {}};
  load::Calibration calibration{
      names.machine, names.kernel, TimeNow(), std::string(load::kLoopId), config.block_seconds, {}};
  bool sound = true;
  for (const load::CoreCalibration& core : measured) {
    TRY(const auto rate, load::MeanRate(core.rate, confidence));
    const auto rate_cell = WithCaveats(rate, core.caveats);
    sound = sound && rate_cell.verdict != Verdict::kRefused;
    table.rows.push_back({Number{std::int64_t{core.rate.core}}, rate_cell,
                          Share(core.own_share, kAccountError), Count(core.quiet_blocks),
                          Count(core.blocks)});
    calibration.cores.push_back(core.rate);
    AddCaveats(outcome.document, core.caveats);
  }
  if (sound) TRY_VOID(load::WriteCalibration(path, calibration));
  outcome.document.title = "Calibration of the counting process";
  outcome.document.blocks.emplace_back(std::move(table));
  outcome.document.blocks.emplace_back(
      report::Text{"stored", sound ? fmt::format("Stored in {}.", path.string())
                                   : "Not stored: a core was busy while it was calibrated."});
  outcome.exit_status = sound ? 0 : ExitStatus(ErrorKind::kUnsupported);
  return outcome;
}

report::Table SummaryTable(const load::LoadReport& measured) {
  report::Table table{"load",
                      "Other busy processes on each core",
                      {{"core", ""}, {"load", "processes"}, {"own_share", ""}, {"steal_share", ""}},
                      {}};
  for (const load::CoreLoad& core : measured.cores) {
    table.rows.push_back({Number{std::int64_t{core.whole.core}},
                          WithCaveats(core.whole.load, core.caveats),
                          Share(core.whole.own_share, kAccountError), StealShare(core)});
  }
  return table;
}

report::Table WindowTable(const load::LoadReport& measured) {
  report::Table table{
      "windows",
      "Load over time",
      {{"start", "s"}, {"end", "s"}, {"core", ""}, {"load", "processes"}, {"own_share", ""}},
      {}};
  for (const load::LoadWindow& window : measured.windows) {
    table.rows.push_back(
        {Milliseconds(window.start), Milliseconds(window.end), Number{std::int64_t{window.core}},
         WithCaveats(window.load, window.caveats), Share(window.own_share, kAccountError)});
  }
  return table;
}

report::Series LoadSeries(const load::LoadReport& measured) {
  report::Series series{"load_over_time", "Load over time", {"time", "s"}, false, {}};
  for (const load::CoreLoad& core : measured.cores) {
    report::Line line{fmt::format("core {}", core.whole.core), "processes", {}, {}, {}, {}};
    for (const load::LoadWindow& window : measured.windows) {
      if (window.core != core.whole.core) continue;
      line.x.push_back((window.start + window.end) / 2);
      line.y.push_back(window.load.Value());
      line.low.push_back(window.load.Low());
      line.high.push_back(window.load.High());
    }
    series.lines.push_back(std::move(line));
  }
  return series;
}

Result<Outcome> Measure(const LoadOptions& options, double confidence, Session& session) {
  const MachineNames names = ThisMachine();
  TRY(const auto path, CalibrationFile(options, names.machine));
  TRY(const auto calibration, load::ReadCalibration(path, names.machine));
  load::LoadConfig config;
  TRY(config.cores, Cores(options));
  config.confidence = confidence;
  if (options.every) config.every = options.every->seconds;
  if (options.duration) config.duration = options.duration->seconds;
  TRY(const auto measured, load::MeasureLoad(config, calibration, session.progress));
  Outcome outcome;
  outcome.document.title = "Load by the counting process";
  outcome.document.provenance.settings["calibrated"] = calibration.time;
  outcome.document.blocks.emplace_back(SummaryTable(measured));
  outcome.document.blocks.emplace_back(LoadSeries(measured));
  outcome.document.blocks.emplace_back(WindowTable(measured));
  AddCaveats(outcome.document, measured.caveats);
  for (const load::CoreLoad& core : measured.cores) AddCaveats(outcome.document, core.caveats);
  return outcome;
}

Result<Outcome> RunLoad(const LoadOptions& options, Session& session) {
  TRY(const double confidence, Confidence(options.confidence));
  if (options.calibrate && (options.every || options.duration)) {
    return Fail(ErrorKind::kUsage, "--calibrate has a fixed duration; remove --every and --for");
  }
  return options.calibrate ? Calibrate(options, confidence, session)
                           : Measure(options, confidence, session);
}

}  // namespace

Command LoadCommand() {
  return MakeCommand<LoadOptions>(
      {"load", "measure the load of cores with a calibrated counting process",
       "Counts on a core for some time and compares the count with that of an idle core. The "
       "missing part is time that other processes had. The load of a core is the number of other "
       "busy processes that shared it, 0 for none, with an interval.\n\n"
       "Calibrate once, while the machine is idle; the rates are stored under the machine's name. "
       "The counting process itself keeps the core busy while it measures.",
       kLoadExamples},
      kLoadFlags, RunLoad);
}

}  // namespace tare::cli
