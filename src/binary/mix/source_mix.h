// source_mix.h: instructions by source line and by inlined function.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "binary/mix/file_mix.h"

namespace tare::mix {

struct LineMix {
  dwarf::SourceLine source;
  Counts counts = {};
};

// The inlined body of a function; bodies nested in it are counted separately.
struct InlinedMix {
  std::uint32_t function = 0;  // index into SourceMap::functions()
  std::uint64_t times = 0;
  std::uint64_t callers = 0;  // functions that contain it
  Counts counts = {};
};

struct SourceMix {
  std::vector<LineMix> lines;       // by file and line
  std::vector<InlinedMix> inlined;  // by function
  Counts without_line = {};
};

// `file.sources` must be present.
SourceMix SourceMixOf(const FileMix& file);

}  // namespace tare::mix
