// network_survey.h: the parameters of a network from what the ping-pong measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predict/replay/network.h"

namespace tare::replay {

// One way of a message, in seconds: median, and the range of nine tenths of the blocks.
struct MessageTime {
  std::uint64_t bytes = 0;
  Uncertain seconds;
};

struct PairSurvey {
  std::vector<MessageTime> times;
  double send_overhead = 0;
  double receive_overhead = 0;
  std::uint64_t eager_limit = 0;
};

struct NetworkSurvey {
  std::uint32_t ranks = 0;
  std::uint32_t nodes = 0;
  std::uint32_t cores = 0;
  PairSurvey between;  // empty if there was one node
  PairSurvey within;   // empty if each node had one rank
  PairSurvey shared;   // both ranks on one core; empty if each rank had a core of its own
  PairSurvey crowd;    // likewise, while other ranks wait on that core; empty if there are none
  std::uint32_t crowd_ranks = 0;  // on that core
  double time_slice = 0;          // seconds; 0: unknown
  double reduction = 0;
};

// The lines that engines/network/pingpong.c writes. kFormat for anything else, with the line.
Result<NetworkSurvey> ParseSurvey(std::string_view text);

// Latency and overhead from the smallest messages; the bandwidth that most of the transmission
// time saw.
LinkCosts CostsOf(const PairSurvey& survey);
Result<Network> NetworkOf(const NetworkSurvey& survey, const std::string& name);

// The model's time of a message one way.
double ModelTime(const LinkCosts& costs, std::uint64_t eager_limit, std::uint64_t bytes);

}  // namespace tare::replay
