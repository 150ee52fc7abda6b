// scaling.h: times at several numbers of ranks, extrapolated to more.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/measured.h"
#include "base/result.h"
#include "predict/replay/message_program.h"

namespace tare::replay {

// The mean computation of a rank, and the rest of the time, at a number of ranks.
struct ScalingPoint {
  std::int32_t ranks = 0;
  double compute = 0;
  double rest = 0;
};

struct Extrapolation {
  std::int32_t ranks = 0;
  // The interval contains the 95 % prediction interval of the chosen functions and all functions
  // that fit nearly as well.
  Measured time;
  std::string compute_function;  // "a + b / p"
  std::string rest_function;
};

// Fits a + b f(p) with f of 1/p, log p, sqrt p, p and p log p, a and b not negative, to both parts.
// kUsage for less than three different numbers of ranks.
Result<std::vector<Extrapolation>> Extrapolate(std::span<const ScalingPoint> points,
                                               std::span<const std::int32_t> ranks);

// The program with more ranks, from its pattern: inner ranks do what inner ranks did, with partners
// at the same distance. `strong`: the same work is divided among more ranks; otherwise each rank
// does as much as before. kUnsupported, with the reason, if the pattern does not extend.
Result<MessageProgram> Synthesize(const MessageProgram& program, std::int32_t ranks, bool strong);

}  // namespace tare::replay
