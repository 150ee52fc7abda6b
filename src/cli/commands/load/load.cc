// load.cc: `tare load`: measures how busy the cores are with a calibrated counting process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/load/load_program.h"
#include "cli/program_options.h"
#include "cli/provenance.h"
#include "machine/host/affinity.h"
#include "machine/load/calibration_file.h"
#include "machine/load/load_measurement.h"
#include "machine/load/stored_calibration.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

struct LoadOptions {
  bool calibrate = false;
  std::optional<std::int64_t> core;
  std::optional<std::int64_t> copies;
  std::optional<WrittenDuration> every;
  std::optional<WrittenDuration> window;
  std::optional<WrittenDuration> duration;
  std::string calibration;
  std::optional<double> confidence;
};

const auto kLoadFlags = std::to_array<Flag<LoadOptions>>({
    {{"--calibrate", "", "count on the idle machine, and store the rates under the machine's name"},
     &LoadOptions::calibrate},
    {{"--copies", "N", "with --calibrate: then count with N copies on each core as a check"},
     &LoadOptions::copies},
    {{"--core", "N", "measure only this core (default: all cores)"}, &LoadOptions::core},
    {{"--every", "TIME", "time between points (default: 1s; 200ms with a program)"},
     &LoadOptions::every},
    {{"--window", "TIME",
      "count so long at the start of each point, and pause (default: no pause)"},
     &LoadOptions::window},
    {{"--for", "TIME", "duration of the measurement (default: 10s; with a program, until it ends)"},
     &LoadOptions::duration},
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
    Example{"tare load --every 1h --window 1min --for 1d", "a point per hour over a day"},
    Example{"tare load -- make -j2", "measure the load that a program causes on each core"},
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

// Each copy should see a load of the others.
report::Table CopiesTable(std::span<const load::CopyCheck> checks) {
  report::Table table{"copies",
                      "What each of several copies on one core saw",
                      {{"core", ""},
                       {"copy", ""},
                       {"load", "processes"},
                       {"expected", "processes"},
                       {"agrees", ""},
                       {"own_share", ""}},
                      {}};
  for (const load::CopyCheck& check : checks) {
    const auto expected = static_cast<std::int64_t>(check.copies.size() - 1);
    for (std::size_t i = 0; i < check.copies.size(); ++i) {
      const load::LoadWindow& copy = check.copies[i];
      table.rows.push_back(
          {Number{std::int64_t{check.core}}, Number{static_cast<std::int64_t>(i + 1)},
           WithCaveats(copy.load, copy.caveats), Exact(expected),
           std::string(copy.load.Contains(static_cast<double>(expected)) ? "yes" : "no"),
           Share(copy.own_share, kAccountError)});
    }
  }
  return table;
}

std::string CopiesSentence(std::span<const load::CopyCheck> checks) {
  std::vector<std::string> cores;
  for (const load::CopyCheck& check : checks) {
    const double expected = static_cast<double>(check.copies.size() - 1);
    const auto agreeing = std::ranges::count_if(
        check.copies, [&](const load::LoadWindow& copy) { return copy.load.Contains(expected); });
    cores.push_back(fmt::format("core {}: {} of {}", check.core, agreeing, check.copies.size()));
  }
  return fmt::format("Copies that saw just each other: {}.", fmt::join(cores, ", "));
}

Result<Outcome> Calibrate(const LoadOptions& options, double confidence, Session& session) {
  const MachineNames names = ThisMachine();
  TRY(const auto path, CalibrationFile(options, names.machine));
  load::CalibrationRequest request{.config = {},
                                   .path = path,
                                   .machine = names.machine,
                                   .kernel = names.kernel,
                                   .time = TimeNow(),
                                   .confidence = confidence};
  TRY(request.config.cores, Cores(options));
  if (options.copies) request.copies = static_cast<unsigned>(*options.copies);
  TRY(const auto stored, load::CalibrateAndStore(request, session.progress));
  const std::vector<load::CopyCheck>& checks = stored.checks;

  Outcome outcome;
  report::Table table{"calibration",
                      "Counts per second of an idle core",
                      {{"core", ""},
                       {"rate", "/s"},
                       {"own_share", ""},
                       {"quiet_blocks", "blocks"},
                       {"blocks", "blocks"}},
                      {}};
  if (!checks.empty()) table.columns.push_back({"together", "/s"});
  for (const load::CoreCalibration& core : stored.cores) {
    TRY(const auto rate, load::MeanRate(core.rate, confidence));
    table.rows.push_back({Number{std::int64_t{core.rate.core}}, WithCaveats(rate, core.caveats),
                          Share(core.own_share, kAccountError), Count(core.quiet_blocks),
                          Count(core.blocks)});
    const auto check = std::ranges::find(checks, core.rate.core, &load::CopyCheck::core);
    if (check != checks.end()) table.rows.back().emplace_back(check->together);
    AddCaveats(outcome.document, core.caveats);
  }
  outcome.document.title = "Calibration of the counting process";
  outcome.document.blocks.emplace_back(std::move(table));
  std::string answer = stored.is_stored ? fmt::format("Stored in {}.", path.string())
                                        : "Not stored: a core was busy while it was calibrated.";
  if (!checks.empty()) {
    outcome.document.blocks.emplace_back(CopiesTable(checks));
    answer += " " + CopiesSentence(checks);
  }
  outcome.document.blocks.emplace_back(report::Text{"answer", std::move(answer)});
  outcome.exit_status = stored.is_stored ? 0 : ExitStatus(ErrorKind::kUnsupported);
  return outcome;
}

// The part of its time that the core had for other processes, as section 6.5 of Lilja's book
// defines it: 1 - R / R0, with the rates of counting now and on the idle core. Since the load is R0
// / R - 1, this is 1 - 1 / (1 + load).
Measured BusyShare(const Measured& load) {
  const auto busy = [](double processes) {
    return 100 * std::clamp(1 - 1 / (1 + std::max(processes, 0.0)), 0.0, 1.0);
  };
  if (!load.HasInterval()) return Unbounded(busy(load.Value()));
  return Between(busy(load.Value()), busy(load.Low()), busy(load.High()),
                 load.confidence.value_or(0.95));
}

std::string LoadAnswer(const load::LoadReport& measured, bool of_program) {
  std::vector<std::string> cores;
  for (const load::CoreLoad& core : measured.cores) {
    const auto load = report::ShowMeasured(core.whole.load, 1);
    cores.push_back(fmt::format("core {}: {} {}", core.whole.core, load.value, load.interval));
    if (cores.size() == 4 && measured.cores.size() > 5) {
      cores.push_back(fmt::format("and {} more cores below", measured.cores.size() - 4));
      break;
    }
  }
  std::string text = fmt::format("Busy processes besides the counting one over {} s: {}.",
                                 report::ShowRounded(measured.seconds, 3), fmt::join(cores, ", "));
  if (of_program) {
    text +=
        " The counting processes share the cores with the program, which runs slower meanwhile.";
  }
  return text;
}

report::Table SummaryTable(const load::LoadReport& measured) {
  report::Table table{
      "load",
      "Other busy processes on each core",
      {{"core", ""}, {"load", "processes"}, {"busy", "%"}, {"own_share", ""}, {"steal_share", ""}},
      {}};
  for (const load::CoreLoad& core : measured.cores) {
    table.rows.push_back({Number{std::int64_t{core.whole.core}},
                          WithCaveats(core.whole.load, core.caveats),
                          WithCaveats(BusyShare(core.whole.load), core.caveats),
                          Share(core.whole.own_share, kAccountError), StealShare(core)});
  }
  return table;
}

report::Table WindowTable(const load::LoadReport& measured) {
  report::Table table{
      "windows",
      "Load by interval of time",
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

constexpr double kEveryOfProgram = 0.2;
constexpr double kLongestProgram = 86400;

Result<Outcome> Measure(const LoadOptions& options, double confidence, Session& session) {
  const MachineNames names = ThisMachine();
  TRY(const auto path, CalibrationFile(options, names.machine));
  TRY(const auto calibration, load::ReadCalibration(path, names.machine));
  load::LoadConfig config;
  TRY(config.cores, Cores(options));
  config.confidence = confidence;
  if (options.every) config.every = options.every->seconds;
  if (options.window) config.window = options.window->seconds;
  if (options.duration) config.duration = options.duration->seconds;
  std::optional<ReadyProgram> ready;
  std::optional<RunBesides> program;
  if (!session.program.empty()) {
    TRY(auto prepared, Prepare(ProgramOptions{}, session, InputUse::kOneRun));
    ready.emplace(std::move(prepared));
    if (!options.every) config.every = kEveryOfProgram;
    if (!options.duration) config.duration = kLongestProgram;
    config.begin = [&] { program.emplace(*ready, session.interrupted); };
    config.ended = [&] { return program->HasEnded(); };
  }
  const auto measured = load::MeasureLoad(config, calibration, session.progress);
  std::optional<run::Finished> finished;
  if (program) {
    TRY(finished, program->Wait());
  }
  if (!measured) return std::unexpected(measured.error());
  Outcome outcome;
  outcome.document.title = "Load by the counting process";
  if (finished) {
    outcome.beside_program = true;
    outcome.exit_status = finished->ended.ShellStatus();
    outcome.document.title = fmt::format("Load while {} ran", Printable(session.program.front()));
    AddCaveats(outcome.document, finished->caveats);
  }
  outcome.document.provenance.settings["calibrated"] = calibration.time;
  outcome.document.blocks.emplace_back(SummaryTable(*measured));
  outcome.document.blocks.emplace_back(LoadSeries(*measured));
  outcome.document.blocks.emplace_back(WindowTable(*measured));
  if (finished) {
    outcome.document.blocks.emplace_back(
        IoWaitTable(program->Waits(), std::max(finished->wall_seconds, 1e-6)));
  }
  outcome.document.blocks.emplace_back(
      report::Text{"answer", LoadAnswer(*measured, finished.has_value())});
  outcome.details = {"windows"};
  AddCaveats(outcome.document, measured->caveats);
  for (const load::CoreLoad& core : measured->cores) AddCaveats(outcome.document, core.caveats);
  return outcome;
}

Result<Outcome> RunLoad(const LoadOptions& options, Session& session) {
  TRY(const double confidence, Confidence(options.confidence));
  if (options.calibrate && (options.every || options.duration || options.window)) {
    return Fail(ErrorKind::kUsage,
                "--calibrate has a fixed duration; remove --every, --window and --for");
  }
  if (options.copies && !options.calibrate) {
    return Fail(ErrorKind::kUsage, "--copies requires --calibrate");
  }
  if (options.copies && (*options.copies < 2 || *options.copies > 16)) {
    return Fail(ErrorKind::kUsage, fmt::format("--copies {}: expected 2 to 16", *options.copies));
  }
  if (options.window && !session.program.empty()) {
    return Fail(ErrorKind::kUsage,
                "--window leaves pauses, in which a program would not be measured; remove it");
  }
  if (options.calibrate && !session.program.empty())
    return Fail(ErrorKind::kUsage, "--calibrate runs no program; remove the program after --");
  return options.calibrate ? Calibrate(options, confidence, session)
                           : Measure(options, confidence, session);
}

}  // namespace

Command LoadCommand() {
  CommandText text{
      "load", "measure the load of cores with a calibrated counting process",
      "Counts on a core for some time and compares the count with that of an idle core. The "
      "missing part is time that other processes had. The load of a core is the number of other "
      "busy processes that shared it, 0 for none, with an interval.\n\n"
      "Calibrate once, while the machine is idle; the rates are stored under the machine's name. "
      "The counting process itself keeps the core busy while it measures.\n\n"
      "With a program, the load of each core is measured until the program ends: the processes "
      "that "
      "the program keeps busy, and those of others, and how long it waited for storage, where the "
      "kernel accounts for that. The program's output is passed on, the report "
      "goes to standard error, and the exit status is that of the program.",
      kLoadExamples, true};
  text.may_lack_program = true;
  static constexpr auto kForms = std::to_array<std::string_view>({"", "-- PROGRAM [ARGUMENT...]"});
  text.forms = kForms;
  return MakeCommand<LoadOptions>(text, kLoadFlags, RunLoad);
}

}  // namespace tare::cli
