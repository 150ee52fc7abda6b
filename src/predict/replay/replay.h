// replay.h: when each rank of a message-passing program would be done on another network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stop.h"
#include "predict/replay/message_program.h"
#include "predict/replay/network.h"

namespace tare::replay {

enum class Engine : std::uint8_t {
  kLogGp,    // our own: every link is free or busy
  kSimGrid,  // SimGrid's flow model: messages share links, on any topology
};
std::string_view Name(Engine engine);

// Seconds of a rank. They add up to the time of the replay.
struct RankTime {
  double compute = 0;
  double wait = 0;      // for other ranks: their messages were not sent, or not yet received
  double transfer = 0;  // overhead, latency, transmission and waiting for links
  double end = 0;       // when it was done; the rest of the time is in `wait`
};

// The chain of computations and messages that determines the time, in seconds.
struct CriticalPath {
  double compute = 0;
  double overhead = 0;
  double latency = 0;
  double transmission = 0;  // bytes over bandwidth
  double queueing = 0;      // for links, buses and cores
  double messages = 0;      // between nodes
  double bytes = 0;         // between nodes
  struct Part {
    std::int32_t rank;
    double from;
    double to;
  };
  std::vector<Part> parts;  // in order of time; empty if there are too many
};

struct ReplayOptions {
  Engine engine = Engine::kLogGp;
  std::vector<double> compute_factors = {};  // by rank, or one for all; empty: 1
  bool with_path = false;
  StopAsked stop = {};
  std::filesystem::path simgrid = {};  // the module tare-simgrid.so; empty: there is none
};

struct ReplayResult {
  double seconds = 0;
  std::vector<RankTime> ranks;
  CriticalPath path;
  std::uint64_t events = 0;  // actions and steps of collectives
  std::uint64_t messages = 0;
  std::uint64_t unmatched = 0;  // messages that nobody received
  std::string first_unmatched;  // "rank 1 to rank 0, tag 7, 80 bytes"
};

// kFormat if ranks wait for each other forever: the message says which wait for what. kUsage if the
// network has too few nodes. kUnsupported if the engine cannot run here.
Result<ReplayResult> Replay(const MessageProgram& program, const Network& network,
                            const ReplayOptions& options);

// Efficiency as the POP project defines it: parallel = balance * serialization * transfer.
struct Efficiency {
  double parallel = 0;       // mean computation over time
  double balance = 0;        // mean over maximum of computation
  double serialization = 0;  // maximum of computation over the time on an ideal network
  double transfer = 0;       // time on an ideal network over time
};
Efficiency EfficiencyOf(const ReplayResult& real, const ReplayResult& ideal);

}  // namespace tare::replay
