// reduce.cc: groups of neighbouring points, of which the extremes stay.
#include "report/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tare::report {
namespace {

// Of each group at most six points stay.
constexpr std::size_t kKeptOfGroup = 6;

void KeepPoint(const Line& from, std::size_t i, Line& to) {
  to.x.push_back(from.x[i]);
  to.y.push_back(from.y[i]);
  if (!from.low.empty()) to.low.push_back(from.low[i]);
  if (!from.high.empty()) to.high.push_back(from.high[i]);
}

// The extremes of one group of points.
struct Extremes {
  explicit Extremes(std::size_t first) : lowest(first), highest(first), low(first), high(first) {}

  void Meet(const Line& line, std::size_t i) {
    const auto smaller = [i](const std::vector<double>& values, std::size_t& best) {
      if (values.empty() || !std::isfinite(values[i])) return;
      if (!std::isfinite(values[best]) || values[i] < values[best]) best = i;
    };
    const auto larger = [i](const std::vector<double>& values, std::size_t& best) {
      if (values.empty() || !std::isfinite(values[i])) return;
      if (!std::isfinite(values[best]) || values[i] > values[best]) best = i;
    };
    smaller(line.y, lowest);
    larger(line.y, highest);
    smaller(line.low, low);
    larger(line.high, high);
  }

  std::size_t lowest, highest, low, high;
};

struct Sizes {
  std::size_t lines = 0;
  std::size_t points = 0;
  std::size_t spans = 0;
};

Sizes SizesOf(const Document& document) {
  Sizes sizes;
  for (const Block& block : document.blocks) {
    if (const auto* series = std::get_if<Series>(&block)) {
      sizes.lines += series->lines.size();
      for (const Line& line : series->lines) sizes.points += line.x.size();
    }
    if (const auto* timeline = std::get_if<Timeline>(&block)) {
      for (const Lane& lane : timeline->lanes) sizes.spans += lane.spans.size();
    }
  }
  return sizes;
}

// How many points each line may have, so that short lines leave their part to long ones.
std::size_t ShareOf(const Document& document, std::size_t budget) {
  std::vector<std::size_t> lengths;
  for (const Block& block : document.blocks) {
    const auto* series = std::get_if<Series>(&block);
    if (series == nullptr) continue;
    for (const Line& line : series->lines) lengths.push_back(line.x.size());
  }
  std::ranges::sort(lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::size_t share = budget / (lengths.size() - i);
    if (lengths[i] > share) return std::max<std::size_t>(share, 2 * kKeptOfGroup);
    budget -= lengths[i];
  }
  return SIZE_MAX;
}

void Append(std::string& note, const std::string& sentence) {
  note += (note.empty() ? "" : " ") + sentence;
}

}  // namespace

Line ReduceLine(const Line& line, std::size_t max_points) {
  const std::size_t points = std::min(line.x.size(), line.y.size());
  if (points <= max_points) return line;
  const std::size_t groups = std::max<std::size_t>(max_points / kKeptOfGroup, 1);
  Line kept{line.name, line.unit,   {},           {},          {},
            {},        line.points, line.verdict, line.reason, line.source};
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * points / groups;
    const std::size_t end = (group + 1) * points / groups;
    if (begin == end) continue;
    Extremes extremes(begin);
    for (std::size_t i = begin; i < end; ++i) extremes.Meet(line, i);
    std::array indices = {begin,        extremes.lowest, extremes.highest,
                          extremes.low, extremes.high,   end - 1};
    std::ranges::sort(indices);
    const auto rest = std::ranges::unique(indices);
    for (auto i = indices.begin(); i != rest.begin(); ++i) KeepPoint(line, *i, kept);
  }
  return kept;
}

Lane ReduceLane(const Lane& lane, std::size_t max_spans) {
  if (lane.spans.size() <= max_spans) return lane;
  std::vector<std::size_t> order(lane.spans.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto longer = [&](std::size_t a, std::size_t b) {
    return lane.spans[a].end - lane.spans[a].start > lane.spans[b].end - lane.spans[b].start;
  };
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(max_spans);
  std::ranges::nth_element(order, middle, longer);
  order.resize(max_spans);
  std::ranges::sort(order);
  Lane kept{lane.name, {}};
  for (const std::size_t i : order) kept.spans.push_back(lane.spans[i]);
  return kept;
}

std::string Reduce(Document& document, const PageLimits& limits) {
  const Sizes sizes = SizesOf(document);
  std::string note;
  const std::size_t share = ShareOf(document, limits.points);
  const double span_share = static_cast<double>(limits.spans) /
                            static_cast<double>(std::max<std::size_t>(sizes.spans, 1));
  std::size_t cut_tables = 0;
  for (Block& block : document.blocks) {
    if (auto* series = std::get_if<Series>(&block); series != nullptr && share != SIZE_MAX) {
      for (Line& line : series->lines) line = ReduceLine(line, share);
    }
    if (auto* timeline = std::get_if<Timeline>(&block); timeline != nullptr && span_share < 1) {
      for (Lane& lane : timeline->lanes) {
        const double kept = std::ceil(static_cast<double>(lane.spans.size()) * span_share);
        lane = ReduceLane(lane, static_cast<std::size_t>(kept));
      }
    }
    if (auto* table = std::get_if<Table>(&block);
        table != nullptr && table->rows.size() > limits.rows) {
      table->rows.resize(limits.rows);
      ++cut_tables;
    }
  }
  if (share != SIZE_MAX) {
    Append(note, fmt::format("The plots show {} of {} points, with all extremes.",
                             SizesOf(document).points, sizes.points));
  }
  if (span_share < 1) {
    Append(note, fmt::format("The timelines show the longest {} of {} spans.",
                             SizesOf(document).spans, sizes.spans));
  }
  if (cut_tables > 0) {
    Append(note, fmt::format("Tables are cut after {} rows.", limits.rows));
  }
  return note;
}

}  // namespace tare::report
