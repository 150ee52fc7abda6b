// source.h: a source of values of a running program.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "format/series.h"

namespace tare::sample {

// One element per channel of a source; an element that is not set was not available.
using Values = std::span<std::optional<std::int64_t>>;

struct Source {
  std::vector<format::Channel> channels;
  std::vector<format::AbsentChannel> absent;
  // Reading stops the program for about as long as the reading takes.
  bool disturbs = false;
  std::function<void(Values)> read;         // called while the program runs
  std::function<void(Values)> read_at_end;  // called once, after the program's end; may be empty
};

// The values before the program's first instruction: totals are 0, levels are absent.
void ReadStart(const Source& source, Values values);

}  // namespace tare::sample
