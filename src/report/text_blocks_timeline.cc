// text_blocks_timeline.cc: renders timelines as lanes of bars.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/printable.h"
#include "base/units.h"
#include "report/axis.h"
#include "report/figures.h"
#include "report/paint.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::array<std::string_view, 4> kBars = {"█", "▓", "▒", "░"};
constexpr std::string_view kShort = "│";  // less than half of the character's time is covered

// All spans with the same label, or all those whose labels are too rare for a separate bar.
struct Kind {
  std::string label;
  double time = 0;
};

class LaneBars {
 public:
  LaneBars(const Timeline& timeline, const TextStyle& style);

  std::string Draw() const;

 private:
  // A span without a finite start or end extends to the edge.
  double StartOf(const Span& span) const {
    return std::isfinite(span.start) ? span.start : axis_.low;
  }
  double EndOf(const Span& span) const { return std::isfinite(span.end) ? span.end : axis_.high; }
  std::size_t KindOf(const Span& span) const;
  std::string Bar(const Lane& lane, std::size_t width) const;
  std::string Legend() const;

  const Timeline& timeline_;
  const TextStyle& style_;
  Axis axis_;
  std::vector<Kind> kinds_;  // longest first; the last one may represent all others
};

LaneBars::LaneBars(const Timeline& timeline, const TextStyle& style)
    : timeline_(timeline), style_(style) {
  std::vector<double> times;
  for (const Lane& lane : timeline.lanes) {
    for (const Span& span : lane.spans) times.insert(times.end(), {span.start, span.end});
  }
  axis_ = AxisOver(times, timeline.unit, false);

  std::map<std::string, double> sums;
  for (const Lane& lane : timeline.lanes) {
    for (const Span& span : lane.spans)
      sums[span.label] += std::max(0.0, EndOf(span) - StartOf(span));
  }
  for (const auto& [label, time] : sums) kinds_.push_back({label, time});
  std::ranges::sort(kinds_, [](const Kind& a, const Kind& b) {
    return a.time != b.time ? a.time > b.time : a.label < b.label;
  });
  if (kinds_.size() <= kBars.size()) return;
  Kind others{fmt::format("{} others", kinds_.size() - kBars.size() + 1), 0};
  for (std::size_t i = kBars.size() - 1; i < kinds_.size(); ++i) others.time += kinds_[i].time;
  kinds_.resize(kBars.size() - 1);
  kinds_.push_back(std::move(others));
}

std::size_t LaneBars::KindOf(const Span& span) const {
  const auto found = std::ranges::find(kinds_, span.label, &Kind::label);
  return found == kinds_.end() ? kinds_.size() - 1
                               : static_cast<std::size_t>(found - kinds_.begin());
}

std::string LaneBars::Bar(const Lane& lane, std::size_t width) const {
  // The share of each character that each kind covers.
  std::vector<std::array<double, kBars.size()>> shares(width);
  std::vector<bool> touched(width, false);  // contains a span too short to fill a character
  const auto columns = static_cast<double>(width);
  for (const Span& span : lane.spans) {
    const double start = std::clamp(axis_.Place(StartOf(span)), 0.0, 1.0) * columns;
    const double end = std::clamp(axis_.Place(EndOf(span)), 0.0, 1.0) * columns;
    const std::size_t kind = KindOf(span);
    const std::size_t first = std::min(static_cast<std::size_t>(start), width - 1);
    for (std::size_t i = first; i < width && (i == first || static_cast<double>(i) < end); ++i) {
      const auto left = static_cast<double>(i);
      shares[i][kind] += std::max(0.0, std::min(end, left + 1) - std::max(start, left));
    }
    if (end - start < 1) {
      touched[std::min(static_cast<std::size_t>((start + end) / 2), width - 1)] = true;
    }
  }
  std::string bar;
  for (std::size_t i = 0; i < width; ++i) {
    const auto max = std::ranges::max_element(shares[i]);
    const auto kind = static_cast<std::size_t>(max - shares[i].begin());
    double covered = 0;
    for (const double share : shares[i]) covered += share;
    const std::string_view glyph = covered >= 0.5 ? kBars[kind] : touched[i] ? kShort : " ";
    bar += Painted(glyph, glyph == " " ? Paint::kPlain : kDistinct[kind], style_.colour);
  }
  return bar;
}

std::string LaneBars::Legend() const {
  if (kinds_.size() < 2 && (kinds_.empty() || kinds_.front().label.empty())) return "";
  std::string text;
  for (std::size_t i = 0; i < kinds_.size(); ++i) {
    const ScaledUnit scaled = ReadableUnit(kinds_[i].time, timeline_.unit);
    const std::string label = kinds_[i].label.empty() ? "unnamed" : Printable(kinds_[i].label);
    const std::string said =
        fmt::format("{}: {} {}", label, ShowRounded(kinds_[i].time * scaled.factor, 3),
                    Printable(scaled.symbol));
    const std::string guide = fmt::format("{} ", kBars[i]);
    for (const std::string& line : Wrap(said, style_.width, guide, "  ")) {
      text += Painted(line, kDistinct[i], style_.colour) + "\n";
    }
  }
  return text;
}

std::string LaneBars::Draw() const {
  std::size_t names = 0;
  for (const Lane& lane : timeline_.lanes) {
    names = std::max(names, DisplayWidth(Printable(lane.name)));
  }
  names = std::min(names, style_.width / 3);
  const std::size_t width = style_.width - names - 2;
  std::string text;
  for (const Lane& lane : timeline_.lanes) {
    const std::string name = PadRight(Cut(Printable(lane.name), names), names);
    text += Trimmed(name + "  " + Bar(lane, width)) + "\n";
  }
  const std::string labels = Trimmed(PadLeft("", names + 2) + LabelLine(axis_, width));
  text += Painted(labels, Paint::kDim, style_.colour) + "\n";
  return text + Legend();
}

}  // namespace

std::string TimelineText(const Timeline& timeline, const TextStyle& style) {
  if (timeline.lanes.empty()) return Painted("none", Paint::kDim, style.colour) + "\n";
  return LaneBars(timeline, style).Draw();
}

}  // namespace tare::report
