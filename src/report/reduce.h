// reduce.h: fewer points, spans and rows for a page, without losing extremes.
#pragma once

#include <cstddef>
#include <string>

#include "report/document.h"

namespace tare::report {

struct PageLimits {
  std::size_t points = 200'000;  // of all lines together
  std::size_t spans = 60'000;    // of all timelines together
  std::size_t rows = 20'000;     // of each table
};

// Keeps at most about `max_points` points: of each group of neighbouring points the first and the
// last, and those with the lowest and highest value and bound. `max_points` must be at least 12.
Line ReduceLine(const Line& line, std::size_t max_points);

// Keeps the longest spans of the lane.
Lane ReduceLane(const Lane& lane, std::size_t max_spans);

// Applies the limits. Returns a sentence for readers about what was left out; empty if nothing was.
std::string Reduce(Document& document, const PageLimits& limits);

}  // namespace tare::report
