// replay.cc: `tare replay`: a recorded MPI program on another network, with other processors.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/replay/replay_input.h"
#include "cli/commands/replay/replay_processor.h"
#include "cli/commands/replay/replay_tables.h"
#include "cli/whatif_tables.h"
#include "machine/host/engine_files.h"

namespace tare::cli {
namespace {

constexpr auto kEngines = std::to_array<std::string_view>({"auto", "loggp", "simgrid"});
constexpr auto kBursts = std::to_array<std::string_view>({"auto", "cpu", "wall"});

const auto kReplayFlags = std::to_array<Flag<ReplayFlags>>({
    {{"--network", "NETWORK",
      "a network file, or a known network (default: one that suits the trace)"},
     &ReplayFlags::network},
    {{"--engine", "NAME",
      "loggp, simgrid, or auto: simgrid where the topology shares links (default: auto)", kEngines},
     &ReplayFlags::engine},
    {{"--cpu-ratio", "R", "speed of processors relative to the recording (default: 1)"},
     &ReplayFlags::cpu_ratio},
    {{"--ratio", "R,R,...", "the same for each rank"}, &ReplayFlags::ratios},
    {{"--machine", "MACHINE",
      "predict the speed of computation on MACHINE, as tare machine list shows; of each burst "
      "if the program was built by tare-cc --tare-blocks"},
     &ReplayFlags::machine},
    {{"--signature", "FILE", "signature of the program for --machine"}, &ReplayFlags::signature},
    {{"--recorded-on", "MACHINE", "machine of the recording for --machine (default: this one)"},
     &ReplayFlags::recorded_on},
    {{"--whatif", "CHANGES...",
      "also predict with these changes, separated by commas: latency=5us,bandwidth=x2,cpu=x2; one "
      "of "
      "them may be a range: latency=1us..100us"},
     &ReplayFlags::whatif},
    {{"--scale", "N,N,...", "extrapolate traces of three or more numbers of ranks to N ranks"},
     &ReplayFlags::scale},
    {{"--weak", "", "with --scale: the work of each rank stayed the same"}, &ReplayFlags::weak},
    {{"--ranks-per-node", "N", "place N ranks on each node (default: from the network)"},
     &ReplayFlags::ranks_per_node},
    {{"--burst", "TIME",
      "time of computation: cpu, wall, or auto: cpu where ranks shared cores (default: auto)",
      kBursts},
     &ReplayFlags::burst},
    {{"--job", "N", "which MPI job of the directory (default: 1)"}, &ReplayFlags::job},
    {{"--plot", "", "also plot ranks and the critical path"}, &ReplayFlags::plot},
    {{"-v,--verbose", "", "also show messages, collectives, and all ranks"}, &ReplayFlags::verbose},
});

constexpr std::array kReplayExamples = {
    Example{"tare replay run", "the recorded run, on a typical network"},
    Example{"tare replay run --network cluster.toml --cpu-ratio 2",
            "on another network, with processors twice as fast"},
    Example{"tare replay run --whatif latency=1us..100us --whatif cpu=x2,bandwidth=x4",
            "the time as a function of latency, and a faster machine"},
    Example{"tare replay --scale 64,128 run-2 run-4 run-8", "extrapolate to 64 and 128 ranks"},
};

constexpr std::size_t kShownRanks = 16;

class Replayer {
 public:
  Replayer(const ReplayFlags& flags, Session& session) : flags_(&flags), session_(&session) {}

  Result<double> Seconds(const replay::MessageProgram& program, const replay::Machine& machine,
                         std::span<const double> ratios) const {
    TRY(const auto result, Run(program, machine, ratios, false));
    return result.seconds;
  }

  Result<replay::ReplayResult> Run(const replay::MessageProgram& program,
                                   const replay::Machine& machine, std::span<const double> ratios,
                                   bool with_path) const {
    replay::ReplayOptions options;
    TRY(options.engine, EngineFor(*flags_, machine.network));
    options.with_path = with_path;
    options.stop = session_->interrupted;
    options.simgrid = host::FindEngineFiles().simgrid_module.value_or("");
    for (const double ratio : ratios) options.compute_factors.push_back(1 / (ratio * machine.cpu));
    return replay::Replay(program, machine.network, options);
  }

  // `bounds` needs two replays more, `limits` three.
  Result<ReplayedTrace> Trace(const ReplayTrace& trace, const replay::Machine& machine,
                              const ProcessorSpeed& speed, bool limits) const {
    const auto& program = trace.recorded.program;
    ReplayedTrace replayed;
    replayed.program = trace.program;
    replayed.network = machine.network.name;
    replayed.recorded = program.recorded;
    TRY(replayed.engine, EngineFor(*flags_, machine.network));
    TRY(replayed.result, Run(program, machine, speed.ratios, true));
    const auto ends = {replay::AtEnd(machine.network, false), replay::AtEnd(machine.network, true)};
    double low = replayed.result.seconds;
    double high = low;
    for (const replay::Network& end : ends) {
      if (end == machine.network) continue;
      TRY(const double seconds, Seconds(program, {end, machine.cpu}, speed.ratios));
      low = std::min(low, seconds);
      high = std::max(high, seconds);
    }
    replayed.time = Unbounded(replayed.result.seconds);
    if (low < high) {
      replayed.time.low = low;
      replayed.time.high = high;
    }
    TRY(const auto ideal,
        Run(program, {replay::IdealNetwork(machine.network), machine.cpu}, speed.ratios, false));
    replayed.efficiency = replay::EfficiencyOf(replayed.result, ideal);
    if (!limits) return replayed;
    for (const std::string_view change :
         {"cpu=x2", "latency=x0.5", "bandwidth=x2", "overhead=x0.5"}) {
      TRY(const auto series, replay::ChangesOf(change, machine));
      replayed.limits.push_back({std::string(change), 0,
                                 Seconds(program, series.machines.front().machine, speed.ratios)});
    }
    const auto& costs = machine.one_node ? machine.network.within : machine.network.between;
    replayed.latency_step = costs.latency.value / 2;
    return replayed;
  }

 private:
  const ReplayFlags* flags_;
  Session* session_;
};

Result<void> AddChanges(const ReplayFlags& flags, const Replayer& replayer,
                        const ReplayTrace& trace, const replay::Machine& machine,
                        const ProcessorSpeed& speed, double unchanged, bool whole,
                        report::Document& document) {
  std::vector<WhatIfTime> all;
  std::vector<WhatIfTime> ranges;  // come last: they have plots, too
  std::vector<report::Series> plots;
  for (const std::string& text : flags.whatif) {
    TRY(const auto series, replay::ChangesOf(text, machine));
    std::vector<WhatIfTime> times;
    for (const replay::ChangedMachine& changed : series.machines) {
      auto seconds = replayer.Seconds(trace.recorded.program, changed.machine, speed.ratios);
      if (!seconds && seconds.error().kind == ErrorKind::kInterrupted) {
        return std::unexpected(seconds.error());
      }
      times.push_back({changed.text, changed.x, std::move(seconds)});
    }
    if (!series.ranged.empty() && (whole || Differ(times))) {
      plots.push_back(WhatIfPlot(fmt::format("whatif_{}", plots.size() + 1), series.ranged,
                                 series.unit, times));
    }
    auto& group = series.ranged.empty() ? all : ranges;
    group.insert(group.end(), times.begin(), times.end());
  }
  all.insert(all.end(), ranges.begin(), ranges.end());
  if (all.empty()) return {};
  auto& answer = std::get<report::Text>(document.blocks.front()).text;
  answer = WhatIfAnswer(unchanged, all) + "\n\n" + answer;
  document.blocks.emplace_back(WhatIfTable(unchanged, all));
  for (report::Series& plot : plots) document.blocks.emplace_back(std::move(plot));
  AddCaveats(document, std::array{Caveat{CaveatId::kProjected, "changed machines"}});
  return {};
}

void AddReplaySettings(const ReplayTrace& trace, const replay::Network& network,
                       const ProcessorSpeed& speed, report::Document& document) {
  auto& settings = document.provenance.settings;
  settings["trace"] = trace.directory;
  settings["network"] = replay::FormatNetwork(network);
  settings["burst_time"] = trace.burst_time == replay::BurstTime::kCpu ? "cpu" : "wall";
  if (!speed.text.empty()) settings["processors"] = speed.text;
}

// Repeated runs of one size widen the interval.
Measured OverRuns(std::span<const ReplayedTrace> runs) {
  Measured time = runs.front().time;
  double sum = 0;
  double low = time.Low();
  double high = time.High();
  for (const ReplayedTrace& run : runs) {
    sum += run.time.Value();
    low = std::min(low, run.time.Low());
    high = std::max(high, run.time.High());
  }
  time.value = sum / static_cast<double>(runs.size());
  time.low = low;
  time.high = high;
  return time;
}

// One rank per node: a node of the recording may not hold so many.
replay::Machine WithManyNodes(replay::Machine machine) {
  if (machine.network.nodes == 1) machine.network.nodes = 0;
  return machine;
}

const ReplayTrace& LargestOf(std::span<const ReplayTrace> traces) {
  return *std::ranges::max_element(
      traces, {}, [](const ReplayTrace& trace) { return trace.recorded.program.Size(); });
}

// The times of each --whatif without a range at all numbers of ranks: of the recorded runs, and of
// synthesized ones.
Result<void> AddChangedScaling(const ReplayFlags& flags, const Replayer& replayer,
                               std::span<const ReplayTrace> traces,
                               std::span<const std::int32_t> counts, const replay::Machine& machine,
                               const ProcessorSpeed& speed, std::vector<ScalingRow>& rows) {
  for (const std::string& text : flags.whatif) {
    TRY(const auto series, replay::ChangesOf(text, machine));
    if (!series.ranged.empty()) continue;
    const replay::ChangedMachine& changed = series.machines.front();
    std::vector<ScalingRow> of_change;
    const auto add = [&](const replay::MessageProgram& program,
                         const replay::Machine& on) -> Result<void> {
      const auto seconds = replayer.Seconds(program, on, speed.ratios);
      if (!seconds && seconds.error().kind == ErrorKind::kInterrupted) {
        return std::unexpected(seconds.error());
      }
      const auto ranks = static_cast<std::int32_t>(program.Size());
      of_change.push_back({ranks,
                           seconds ? Doubtful(Unbounded(*seconds), "the machine is projected")
                                   : Absent(seconds.error().message),
                           changed.text, 0, 0});
      return {};
    };
    for (const ReplayTrace& trace : traces) {
      TRY_VOID(add(trace.recorded.program, changed.machine));
    }
    for (const std::int32_t ranks : counts) {
      const auto larger =
          replay::Synthesize(LargestOf(traces).recorded.program, ranks, !flags.weak);
      if (larger) TRY_VOID(add(*larger, WithManyNodes(changed.machine)));
    }
    std::ranges::stable_sort(of_change, {}, &ScalingRow::ranks);
    rows.insert(rows.end(), of_change.begin(), of_change.end());
  }
  return {};
}

Result<void> AddScaling(const ReplayFlags& flags, const Replayer& replayer,
                        std::span<const ReplayTrace> traces,
                        std::span<const ReplayedTrace> replayed, const replay::Machine& machine,
                        const ProcessorSpeed& speed, std::span<const Caveat> caveats,
                        report::Document& document) {
  TRY(const auto counts, RankCounts(flags.scale));
  std::vector<ScalingRow> rows;
  std::vector<replay::ScalingPoint> points;
  for (const ReplayedTrace& one : replayed) {
    const auto ranks = static_cast<std::int32_t>(one.result.ranks.size());
    rows.push_back({ranks, one.time, "replayed", one.recorded, one.efficiency.parallel});
    const double compute = one.efficiency.parallel * one.time.Value();
    points.push_back({ranks, compute, one.time.Value() - compute});
  }
  std::ranges::stable_sort(rows, {}, &ScalingRow::ranks);
  std::string text;
  if (!counts.empty()) {
    TRY(const auto extrapolated, replay::Extrapolate(points, counts));
    const replay::MessageProgram& largest = LargestOf(traces).recorded.program;
    for (const replay::Extrapolation& one : extrapolated) {
      rows.push_back({one.ranks, one.time, "extrapolated", 0, 0});
      text = fmt::format("Extrapolated: computation follows {}, the rest {}.", one.compute_function,
                         one.rest_function);
      auto larger = replay::Synthesize(largest, one.ranks, !flags.weak);
      if (!larger) {
        text += fmt::format(" No larger trace can be synthesized: {}.", larger.error().message);
        continue;
      }
      const auto seconds = replayer.Seconds(*larger, WithManyNodes(machine), speed.ratios);
      if (seconds) {
        rows.push_back({one.ranks, Doubtful(Unbounded(*seconds), "the trace is synthesized"),
                        "synthesized", 0, 0});
      }
    }
  }
  const std::size_t unchanged = rows.size();
  TRY_VOID(AddChangedScaling(flags, replayer, traces, counts, machine, speed, rows));
  for (std::size_t i = 0; i < unchanged; ++i) {
    rows[i].time = WithCaveats(rows[i].time, caveats);
  }
  auto& answer = std::get<report::Text>(document.blocks.front());
  answer.text = fmt::format("{}\n\n{}", ScalingAnswer(rows), answer.text);
  document.blocks.emplace_back(ScalingTable(rows, flags.weak));
  if (!text.empty()) document.blocks.emplace_back(report::Text{"scaling_functions", text});
  document.blocks.emplace_back(ScalingPlot(rows));
  return {};
}

// Mistakes in options are found before a large trace is read.
Result<void> CheckFlags(const ReplayFlags& flags) {
  replay::Machine machine;
  machine.network = *replay::KnownNetwork("shared-memory");
  if (!flags.network.empty()) {
    TRY(machine.network, replay::FindNetwork(flags.network));
  }
  for (const std::string& text : flags.whatif) TRY_VOID(replay::ChangesOf(text, machine));
  TRY_VOID(RankCounts(flags.scale));
  return {};
}

// A trace that lacks ranks or calls is the likely cause of a deadlock.
Error WithTrace(Error error, const ReplayTrace& trace) {
  for (const Caveat& caveat : trace.caveats) {
    if (error.kind != ErrorKind::kFormat || caveat.key != CaveatId::kIncomplete) continue;
    error.message +=
        fmt::format("; {} is incomplete: {}", Printable(trace.directory), caveat.detail);
    break;
  }
  return error;
}

Result<Outcome> RunReplay(const ReplayFlags& flags, Session& session) {
  TRY_VOID(CheckFlags(flags));
  TRY(const auto predicted, PredictProcessor(flags));
  const PredictedProcessor* const processor = predicted ? &*predicted : nullptr;
  std::vector<ReplayTrace> traces;
  for (const std::string& directory : session.operands) {
    TRY(auto trace, ReadReplayTrace(directory, flags, processor));
    traces.push_back(std::move(trace));
  }
  const ReplayTrace& first = traces.front();
  std::vector<Caveat> caveats;
  replay::Machine machine;
  TRY(machine.network, NetworkFor(flags, traces, caveats));
  TRY(const auto nodes, replay::NodesOf(machine.network, first.recorded.program.Size(),
                                        first.recorded.program.nodes));
  machine.one_node = std::ranges::all_of(nodes, [](std::uint32_t node) { return node == 0; });
  for (const std::string& text : flags.whatif) TRY_VOID(replay::ChangesOf(text, machine));
  TRY(const auto speed, SpeedOf(flags, processor, first));
  const bool same_size = std::ranges::all_of(traces, [&](const ReplayTrace& trace) {
    return trace.recorded.program.Size() == first.recorded.program.Size();
  });
  if (!flags.scale.empty() && same_size) {
    return Fail(
        ErrorKind::kUsage,
        "--scale needs traces at three or more numbers of ranks: tare replay --scale 64 run-2 "
        "run-4 run-8");
  }
  const Replayer replayer(flags, session);
  std::vector<ReplayedTrace> replayed;
  for (const ReplayTrace& trace : traces) {
    auto tried = replayer.Trace(trace, machine, speed, &trace == &first);
    if (!tried) return std::unexpected(WithTrace(tried.error(), trace));
    ReplayedTrace& one = *tried;
    if (one.result.unmatched > 0) {
      caveats.push_back({CaveatId::kIncomplete,
                         fmt::format("{} messages that no rank received; the first from {}",
                                     one.result.unmatched, one.result.first_unmatched)});
    }
    caveats.insert(caveats.end(), trace.caveats.begin(), trace.caveats.end());
    replayed.push_back(std::move(one));
  }
  ReplayedTrace& shown = replayed.front();
  if (same_size && replayed.size() > 1) {
    shown.time = OverRuns(replayed);
  } else {
    caveats.push_back({CaveatId::kOneTrace, Printable(first.directory)});
  }
  shown.time = WithCaveats(shown.time, caveats);

  const auto make = [&](bool whole) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Replay of {}", Printable(first.directory));
    document.blocks.emplace_back(report::Text{"answer", ReplayAnswer(shown)});
    if (!speed.sentence.empty()) {
      document.blocks.emplace_back(report::Text{"processors", speed.sentence});
    }
    document.blocks.emplace_back(ResultTable(shown));
    const bool all = whole || flags.verbose;
    if (!same_size) {
      TRY_VOID(AddScaling(flags, replayer, traces, replayed, machine, speed, caveats, document));
    }
    TRY_VOID(
        AddChanges(flags, replayer, first, machine, speed, shown.result.seconds, all, document));
    document.blocks.emplace_back(RankTable(shown, all ? 0 : kShownRanks));
    document.blocks.emplace_back(EfficiencyTable(shown));
    document.blocks.emplace_back(SensitivityTable(shown));
    document.blocks.emplace_back(PathTable(shown));
    if (flags.plot || whole) {
      document.blocks.emplace_back(RankBars(shown, kShownRanks));
      if (!shown.result.path.parts.empty()) document.blocks.emplace_back(PathTimeline(shown));
    }
    if (all) {
      const auto traffic = replay::TrafficOf(first.recorded.program);
      document.blocks.emplace_back(PairTable(traffic, whole ? 100'000 : 20));
      document.blocks.emplace_back(SizeTable(traffic));
      document.blocks.emplace_back(CollectiveTable(traffic));
    }
    AddCaveats(document, caveats);
    AddReplaySettings(first, machine.network, speed, document);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = {"critical_path"};
  // Another question was asked.
  if (!same_size || !flags.whatif.empty()) {
    outcome.details = {"ranks", "efficiency", "sensitivity", "critical_path"};
  }
  return outcome;
}

}  // namespace

Command ReplayCommand() {
  return MakeCommand<ReplayFlags>(
      {"replay",
       "predict an MPI program's time on other networks and processors",
       "Replays the messages and the computation of a run that tare mpi recorded, on a network of "
       "a "
       "file or of a known name: ideal, shared-memory, ethernet-1g, ethernet-10g, ethernet-100g, "
       "infiniband-hdr. The engine loggp is fast; simgrid has topologies whose links are "
       "shared.\n\n"
       "Several directories of runs with the same number of ranks give an interval over runs; with "
       "different numbers of ranks they give the scaling, and --scale extrapolates it.\n\n"
       "--whatif knows latency, bandwidth, overhead, gap, node.latency, node.bandwidth, "
       "node.overhead, eager_limit, ranks_per_node, cores, links_in, links_out, buses, cpu, "
       "network=NAME and topology=KIND:DIMENSIONS.",
       kReplayExamples,
       false,
       {"DIRECTORY...", 1, 64}},
      kReplayFlags, RunReplay);
}

}  // namespace tare::cli
