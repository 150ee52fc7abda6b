// level_costs.h: what a line costs that one level of memory serves.
#pragma once

namespace tare::convolve {

// Seconds of a line that a level serves. Not a number: the profile does not say.
struct LevelCosts {
  double stream = 0;        // one of a stream of loads with stride one to eight elements
  double streams = 0;       // the same where two or more streams are loaded together
  double filled = 0;        // one of a stream of stores that loads nothing: with its write
  double strided = 0;       // one of a stream with a regular stride of more than a line
  double random = 0;        // any of the level; the next address is known before this line arrives
  double latency = 0;       // its address is in the line before: a chain
  double write = 0;         // what a modified line that is written to this level adds, in a stream
  double write_random = 0;  // the same for lines in any order
  // The share of the time of loads and stores during which no line of this level arrives: 1 where
  // the first cache either serves the core or receives a line, 0 where it does both at once.
  double exposed = 0;
  // The share of the shorter of the time of its lines and of the arithmetic that the longer hides.
  double overlap = 0;

  friend bool operator==(const LevelCosts&, const LevelCosts&) = default;
};

}  // namespace tare::convolve
