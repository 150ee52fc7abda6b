// replay_input.cc: reads traces, and chooses network and processors.
#include "cli/commands/replay/replay_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "base/file.h"
#include "base/printable.h"
#include "base/split.h"
#include "base/units.h"
#include "cli/commands/replay/replay_processor.h"
#include "measure/mpi/mpi_join.h"
#include "measure/mpi/mpi_otf2.h"
#include "measure/mpi/mpi_summary.h"

namespace tare::cli {
namespace {

std::string ThisBoot() {
  auto text = ReadFile("/proc/sys/kernel/random/boot_id", 100);
  if (!text) return "";
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

Result<double> ParseRatio(std::string_view text) {
  double ratio = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ratio);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(ratio) ||
      ratio < 1e-6 || ratio > 1e6) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' is not a processor ratio; 2 means twice as fast as recorded",
                            Printable(text)));
  }
  return ratio;
}

}  // namespace

Result<ReplayTrace> ReadReplayTrace(const std::string& directory, const ReplayFlags& flags,
                                    const PredictedProcessor* processor) {
  const std::int64_t job = flags.job.value_or(1);
  if (job < 1 || job > 1'000'000) {
    return Fail(ErrorKind::kUsage, fmt::format("--job {}: jobs count from 1", job));
  }
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error) && !mpi::FindOtf2(directory)) {
    return Fail(
        ErrorKind::kNotFound,
        fmt::format("'{}' is not a directory or OTF2 archive; record a program with tare mpi -o "
                    "DIRECTORY -- mpirun ...",
                    Printable(directory)));
  }
  TRY(auto joined, mpi::ReadMpiDirectory(directory, static_cast<std::uint32_t>(job)));
  ReplayTrace trace;
  trace.directory = directory;
  trace.caveats = std::move(joined.caveats);
  const auto& ranks = joined.trace.ranks;
  if (ranks.front().header.is_without_mpi) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is of a program without MPI: there are no messages to replay",
                            Printable(directory)));
  }
  std::map<std::string, std::size_t> per_boot;
  std::set<std::pair<std::string, std::string>> hosts;
  for (const format::MpiRank& rank : ranks) {
    if (rank.header.boot.empty() && rank.events.empty()) continue;
    ++per_boot[rank.header.boot];
    hosts.insert({rank.header.boot, rank.header.host});
    if (trace.program.empty()) {
      trace.program = std::filesystem::path(rank.header.program).filename().string();
    }
  }
  if (trace.program.empty()) trace.program = "the program";
  trace.nodes = static_cast<std::uint32_t>(std::max<std::size_t>(hosts.size(), 1));
  const std::string boot = ThisBoot();
  trace.is_here = per_boot.size() == 1 && !boot.empty() && per_boot.begin()->first == boot;
  const std::size_t cores = std::max(std::thread::hardware_concurrency(), 1U);
  trace.shared_cores = trace.is_here && ranks.size() > cores;
  // Where it is unknown how many cores there were, processor time is the safer choice.
  trace.burst_time =
      flags.burst == "wall" || (flags.burst == "auto" && trace.is_here && !trace.shared_cores)
          ? replay::BurstTime::kWall
          : replay::BurstTime::kCpu;
  if (processor != nullptr) {
    trace.bursts = BurstFactorsOf(*processor, joined.trace, trace.caveats);
  }
  TRY(trace.recorded, replay::ProgramOf(joined.trace, trace.burst_time, trace.bursts.factors));
  if (trace.burst_time == replay::BurstTime::kWall) {
    const auto off = mpi::OffProcessor(trace.recorded.wall, trace.recorded.cpu);
    if (off) trace.caveats.push_back(*off);
  }
  if (trace.recorded.skipped > 0) {
    trace.caveats.push_back(
        {CaveatId::kIncomplete, fmt::format("{} calls take no time in a replay; the first is {}",
                                            trace.recorded.skipped, trace.recorded.first_skipped)});
  }
  return trace;
}

Result<replay::Network> NetworkFor(const ReplayFlags& flags, std::span<const ReplayTrace> traces,
                                   std::vector<Caveat>& caveats) {
  replay::Network network;
  if (!flags.network.empty()) {
    TRY(network, replay::FindNetwork(flags.network));
    if (replay::KnownNetwork(flags.network) && flags.network != "ideal") {
      caveats.push_back({CaveatId::kTypicalNetwork, Printable(network.name)});
    }
  } else {
    const bool one_host =
        std::ranges::all_of(traces, [](const ReplayTrace& trace) { return trace.nodes == 1; });
    network = *replay::KnownNetwork(one_host ? "shared-memory" : "ethernet-10g");
    if (one_host) {
      network.nodes = 1;
      if (std::ranges::any_of(traces, &ReplayTrace::shared_cores)) {
        network.cores = std::max(std::thread::hardware_concurrency(), 1U);
      }
    }
    caveats.push_back({CaveatId::kTypicalNetwork, Printable(network.name)});
  }
  if (flags.ranks_per_node) {
    if (*flags.ranks_per_node < 1 || *flags.ranks_per_node > 100'000'000) {
      return Fail(ErrorKind::kUsage, "--ranks-per-node must be at least 1");
    }
    network.ranks_per_node = static_cast<std::uint32_t>(*flags.ranks_per_node);
    if (network.nodes == 1) network.nodes = 0;
  }
  return network;
}

Result<ProcessorSpeed> SpeedOf(const ReplayFlags& flags, const PredictedProcessor* processor,
                               const ReplayTrace& trace) {
  const std::size_t ranks = trace.recorded.program.ranks.size();
  if (static_cast<int>(flags.cpu_ratio.has_value()) + static_cast<int>(!flags.ratios.empty()) +
          static_cast<int>(processor != nullptr) >
      1) {
    return Fail(ErrorKind::kUsage, "give one of --cpu-ratio, --ratio and --machine");
  }
  ProcessorSpeed speed;
  if (flags.cpu_ratio) {
    TRY(speed.ratios.front(), ParseRatio(fmt::format("{}", *flags.cpu_ratio)));
    speed.text = fmt::format("ratio {:g}", *flags.cpu_ratio);
  } else if (!flags.ratios.empty()) {
    speed.ratios.clear();
    for (const std::string_view piece : Split(flags.ratios, ',')) {
      TRY(const double ratio, ParseRatio(piece));
      speed.ratios.push_back(ratio);
    }
    if (speed.ratios.size() != ranks) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--ratio has {} values, but the trace has {} ranks",
                              speed.ratios.size(), ranks));
    }
    speed.text = "a ratio for each rank";
  } else if (processor != nullptr) {
    speed.ratios.front() = processor->ratio;
    speed.text = fmt::format("predicted for {}: {} times as fast", Printable(flags.machine),
                             Rounded(processor->ratio, 3));
    speed.sentence = fmt::format("The processors of {} compute {} times as fast",
                                 Printable(flags.machine), Rounded(processor->ratio, 3));
    const replay::BurstFactors& bursts = trace.bursts;
    if (bursts.counted > 0) {
      const std::string single = fmt::format(
          "by the counters of {:.0f} % of the computation, single bursts {} to {} times",
          100 * bursts.counted / (bursts.counted + bursts.uncounted), Rounded(bursts.slowest, 3),
          Rounded(bursts.fastest, 3));
      speed.text += "; " + single;
      speed.sentence += "; " + single;
    }
    speed.sentence += ".";
  }
  return speed;
}

Result<replay::Engine> EngineFor(const ReplayFlags& flags, const replay::Network& network) {
  using replay::Engine;
  if (flags.engine == "loggp") return Engine::kLogGp;
  if (flags.engine == "simgrid") return Engine::kSimGrid;
  return network.topology.kind > replay::TopologyKind::kStar ? Engine::kSimGrid : Engine::kLogGp;
}

Result<std::vector<std::int32_t>> RankCounts(const std::string& text) {
  std::vector<std::int32_t> counts;
  if (text.empty()) return counts;
  for (const std::string_view piece : Split(text, ',')) {
    std::int32_t count = 0;
    const auto [end, error] = std::from_chars(piece.data(), piece.data() + piece.size(), count);
    if (error != std::errc() || end != piece.data() + piece.size() || count < 1 ||
        count > 1 << 24) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("--scale: '{}' is not a number of ranks; write 64,128", Printable(piece)));
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace tare::cli
