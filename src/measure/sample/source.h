// source.h: something that tells values of a running program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "format/series.h"

namespace tare::sample {

// An element for each channel of a source; one that is left alone was not to be had.
using Values = std::span<std::optional<std::int64_t>>;

struct Source {
  std::vector<format::Channel> channels;
  std::vector<format::AbsentChannel> absent;
  // Reading holds the program up for about as long as it takes.
  bool disturbs = false;
  std::function<void(Values)> read;         // while the program runs
  std::function<void(Values)> read_at_end;  // once, after its end; may be empty
};

// The values of a moment before the program's first instruction: totals are 0, levels not there.
void ReadStart(const Source& source, Values values);

}  // namespace tare::sample
