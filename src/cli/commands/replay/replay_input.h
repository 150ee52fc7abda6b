// replay_input.h: what `tare replay` replays: traces, the network, and the speed of processors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "cli/command.h"
#include "predict/replay/burst_factors.h"
#include "predict/replay/network_change.h"
#include "predict/replay/recorded_program.h"
#include "predict/replay/replay.h"

namespace tare::cli {

struct ReplayFlags {
  std::string network;
  std::string engine = "auto";
  std::string burst = "auto";
  std::optional<double> cpu_ratio;
  std::string ratios;
  std::string signature;
  std::string machine;
  std::string recorded_on;
  std::vector<std::string> whatif;
  std::string scale;
  bool weak = false;
  std::optional<std::int64_t> ranks_per_node;
  std::optional<std::int64_t> job;
  bool plot = false;
  bool verbose = false;
};

// One recorded run.
struct ReplayTrace {
  std::string directory;
  std::string program;  // its name
  replay::TraceProgram recorded;
  std::uint32_t nodes = 1;  // hosts of the run
  bool is_here = false;     // recorded on this machine since it was started
  bool shared_cores = false;
  replay::BurstTime burst_time = replay::BurstTime::kWall;
  replay::BurstFactors bursts;  // applied to `recorded`
  std::vector<Caveat> caveats;
};

struct PredictedProcessor;

// `processor` may be null.
Result<ReplayTrace> ReadReplayTrace(const std::string& directory, const ReplayFlags& flags,
                                    const PredictedProcessor* processor);

// The network of --network, or a typical one that suits all traces, whatever their order.
Result<replay::Network> NetworkFor(const ReplayFlags& flags, std::span<const ReplayTrace> traces,
                                   std::vector<Caveat>& caveats);

// How much faster processors are than those of the recording, for all ranks or for each.
struct ProcessorSpeed {
  std::vector<double> ratios = {1};
  std::string text;      // where it comes from; empty: 1
  std::string sentence;  // what was predicted; empty: nothing
};
Result<ProcessorSpeed> SpeedOf(const ReplayFlags& flags, const PredictedProcessor* processor,
                               const ReplayTrace& trace);

Result<replay::Engine> EngineFor(const ReplayFlags& flags, const replay::Network& network);

// The numbers of a list such as "64,128".
Result<std::vector<std::int32_t>> RankCounts(const std::string& text);

}  // namespace tare::cli
