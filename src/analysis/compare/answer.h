// answer.h: whether one command is faster than another, from rounds of runs in several layouts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare::compare {

// One run of every command in the same layout, directly after each other, in random order.
struct Round {
  std::size_t layout = 0;
  std::size_t build = 0;
  std::vector<double> seconds;  // by command
};

enum class Answer { kFaster, kSlower, kEqual, kUndecided };
std::string_view Name(Answer answer);

// The layouts are drawn at random, so they are the units that intervals are about. Builds are,
// where there are several. With a fixed layout, each round is a unit.
enum class Unit { kRound, kLayout, kBuild };

// The logarithm of the ratio of command `command` to the first: the mean over the rounds of each
// unit, in order of first appearance.
std::vector<double> LogRatios(std::span<const Round> rounds, std::size_t command, Unit unit);

// The ratio and its interval, by Wilcoxon's signed-rank test of the logarithms. Fails if there are
// too few units.
Result<Measured> RatioOf(std::span<const double> log_ratios, double confidence);

// `detect` is the relative difference that matters, such as 0.01. A ratio whose whole interval is
// closer to 1 than that is equal.
Answer AnswerOf(const Measured& ratio, double detect);

// The number of units for which a difference of `detect` is found, and equality stated, with
// kPower each. `pilot` are log ratios so far; `confidence` is that of the final interval.
Result<double> UnitsNeeded(std::span<const double> pilot, double detect, double confidence);
inline constexpr double kPower = 0.8;

// The standard deviation of a log ratio from the interval's width, which single outliers do not
// change.
Result<double> RobustDeviation(std::span<const double> log_ratios);

// How much the ratio depends on the layout.
struct LayoutEffect {
  bool matters = false;    // rounds in the same layout resemble each other
  double reliability = 0;  // share of the variance between layouts that the layout causes
  double low = 1;          // the ratio in single layouts, without the noise
  double high = 1;
  std::size_t low_layout = 0;
  std::size_t high_layout = 0;
};

// Absent if not every layout has two rounds, or if there are fewer than 6 layouts. Layout 0 is left
// out.
std::optional<LayoutEffect> LayoutEffectOf(std::span<const Round> rounds, std::size_t command);

// The confidence of the intervals at the two times of decision, so that both together are wrong
// with probability 1 - confidence at most: after the pilot, a fifth of the error is allowed, and
// the rest at the end. `comparisons` intervals hold at the same time.
struct LookLevels {
  double pilot;
  double final;
};
LookLevels LevelsFor(double confidence, std::size_t comparisons);

}  // namespace tare::compare
