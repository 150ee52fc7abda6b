// answer.cc: ratios, their intervals and what they mean.
#include "analysis/compare/answer.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/correlation.h"
#include "stats/distribution.h"
#include "stats/sample.h"
#include "stats/signed_rank.h"

namespace tare::compare {
namespace {

// Of the test whether rounds in the same layout resemble each other.
constexpr double kLayoutConfidence = 0.98;
constexpr std::size_t kMinLayoutsForEffect = 6;

double LogRatio(const Round& round, std::size_t command) {
  return std::log(round.seconds[command] / round.seconds.front());
}

}  // namespace

std::string_view Name(Answer answer) {
  switch (answer) {
    case Answer::kFaster:
      return "faster";
    case Answer::kSlower:
      return "slower";
    case Answer::kEqual:
      return "equal";
    case Answer::kUndecided:
      return "undecided";
  }
  return "";
}

std::vector<double> LogRatios(std::span<const Round> rounds, std::size_t command, Unit unit) {
  struct Sum {
    double sum = 0;
    double count = 0;
  };
  std::vector<Sum> sums;
  std::map<std::size_t, std::size_t> places;
  for (const Round& round : rounds) {
    const std::size_t key = unit == Unit::kBuild    ? round.build
                            : unit == Unit::kLayout ? round.layout
                                                    : sums.size();
    const auto [place, added] = places.try_emplace(key, sums.size());
    if (added) sums.emplace_back();
    sums[place->second].sum += LogRatio(round, command);
    sums[place->second].count += 1;
  }
  std::vector<double> ratios;
  for (const Sum& sum : sums) ratios.push_back(sum.sum / sum.count);
  return ratios;
}

Result<Measured> RatioOf(std::span<const double> log_ratios, double confidence) {
  TRY(const Measured log, stats::SignedRankInterval(log_ratios, confidence));
  return Between(std::exp(log.Value()), std::exp(log.Low()), std::exp(log.High()), confidence);
}

Answer AnswerOf(const Measured& ratio, double detect) {
  if (ratio.High() < 1) return Answer::kFaster;
  if (ratio.Low() > 1) return Answer::kSlower;
  if (ratio.Low() > 1 / (1 + detect) && ratio.High() < 1 + detect) return Answer::kEqual;
  return Answer::kUndecided;
}

Result<double> RobustDeviation(std::span<const double> log_ratios) {
  constexpr double kLevel = 0.9;
  TRY(const Measured log, stats::SignedRankInterval(log_ratios, kLevel));
  const double units = static_cast<double>(log_ratios.size());
  return log.HalfWidth() * std::sqrt(units) / stats::NormalCritical(kLevel);
}

Result<double> UnitsNeeded(std::span<const double> pilot, double detect, double confidence) {
  TRY(const double deviation, RobustDeviation(pilot));
  // A true ratio of 1 is called equal if the estimate is within the difference less the half
  // width, on both sides: the quantile of the power is two-sided. That needs more than finding the
  // difference.
  const double quantiles = stats::NormalCritical(confidence) + stats::NormalCritical(kPower);
  const double units = std::pow(quantiles * deviation / std::log1p(detect), 2);
  return std::max(units, static_cast<double>(stats::SignedRankSamples(confidence)));
}

std::optional<LayoutEffect> LayoutEffectOf(std::span<const Round> rounds, std::size_t command) {
  std::map<std::size_t, std::vector<double>> by_layout;
  for (const Round& round : rounds) {
    if (round.layout != 0) by_layout[round.layout].push_back(LogRatio(round, command));
  }
  std::vector<double> first;
  std::vector<double> second;
  std::vector<std::size_t> layouts;
  for (const auto& [layout, ratios] : by_layout) {
    if (ratios.size() < 2) continue;
    layouts.push_back(layout);
    first.push_back(ratios[0]);
    second.push_back(ratios[1]);
  }
  if (layouts.size() < kMinLayoutsForEffect) return std::nullopt;
  const auto alike = stats::Spearman(first, second, kLayoutConfidence);
  if (!alike) return std::nullopt;  // all equal
  LayoutEffect effect;
  effect.matters = alike->Low() > 0;
  const double correlation = std::max(0.0, alike->Value());
  // Spearman and Brown: the mean of two rounds is more reliable than one.
  effect.reliability = 2 * correlation / (1 + correlation);
  std::vector<double> means;
  for (std::size_t i = 0; i < layouts.size(); ++i) means.push_back((first[i] + second[i]) / 2);
  std::vector<double> sorted = means;
  const double centre = stats::MedianOf(sorted);
  const auto [low, high] = std::ranges::minmax_element(means);
  effect.low_layout = layouts[static_cast<std::size_t>(low - means.begin())];
  effect.high_layout = layouts[static_cast<std::size_t>(high - means.begin())];
  effect.low = std::exp(centre + effect.reliability * (*low - centre));
  effect.high = std::exp(centre + effect.reliability * (*high - centre));
  return effect;
}

LookLevels LevelsFor(double confidence, std::size_t comparisons) {
  const double error =
      (1 - confidence) / static_cast<double>(std::max<std::size_t>(1, comparisons));
  return {1 - 0.2 * error, 1 - 0.8 * error};
}

}  // namespace tare::compare
