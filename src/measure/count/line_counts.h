// line_counts.h: counts by source line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/count/tally.h"

namespace tare::count {

struct CountedLine {
  std::string file;        // as the debug information names it
  std::uint32_t line = 0;  // from 1
  std::string object;      // the binary
  std::string function;    // that has most of it, inlined or not: the one in the binary
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
};

struct LineCounts {
  std::vector<CountedLine> lines;    // most instructions first
  std::uint64_t without_line = 0;    // instructions of code without debug information
  std::vector<std::string> missing;  // objects that have none, most instructions first
};

// `images` are those of the tally. Debug information is that of the binary or of its separate file.
LineCounts CountLines(const Tally& tally, Images& images);

}  // namespace tare::count
