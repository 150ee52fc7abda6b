// study_sentences.cc: ratios as percentages or factors, and what nodes have in common.
#include "cli/commands/study/study_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/printable.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using study_results::LevelRatio;
using study_results::NodeDeviation;

// Beyond this factor, "3 times" is easier to read than "200 % more".
constexpr double kFactor = 1.5;

std::string Percentage(double fraction) {
  const double percent = 100 * fraction;
  return report::ShowRounded(percent, std::abs(percent) < 10 ? 2 : 3);
}

bool IsFactor(double ratio) { return ratio > kFactor || ratio < 1 / kFactor; }

// The interval in the form of the value: of the ratio, its inverse, or the difference in percent.
std::string Range(const Measured& ratio, bool inverse) {
  if (!ratio.HasInterval() || !(ratio.Low() > 0)) return "";
  const bool is_less = ratio.Value() < 1;
  const auto show = [&](double bound) {
    return IsFactor(ratio.Value()) ? report::ShowRounded(inverse && is_less ? 1 / bound : bound, 3)
                                   : Percentage(is_less ? 1 - bound : bound - 1);
  };
  const bool falls = is_less && (inverse || !IsFactor(ratio.Value()));
  return fmt::format(" [{}, {}]", show(falls ? ratio.High() : ratio.Low()),
                     show(falls ? ratio.Low() : ratio.High()));
}

std::string InBrackets(const std::string& place) {
  return place.empty() ? "" : fmt::format(" ({})", place);
}

std::string TimeSentenceOf(const Measured& ratio, const ComparedNames& names) {
  const double value = ratio.Value();
  std::string how = fmt::format("{} % faster than", Percentage(1 - value));
  if (value > 1) how = fmt::format("{} % slower than", Percentage(value - 1));
  if (value > kFactor) how = fmt::format("{} times as slow as", report::ShowRounded(value, 3));
  if (value < 1 / kFactor) {
    how = fmt::format("{} times as fast as", report::ShowRounded(1 / value, 3));
  }
  return fmt::format("{} is {} {} in {}{}", names.level, how, names.baseline,
                     MetricInWords(names.metric), Range(ratio, true));
}

// "fewer loads", "less energy".
std::string MoreOrLess(double ratio, const ComparedNames& names) {
  if (ratio >= 1) return "more";
  return names.unit.empty() && names.metric.ends_with('s') ? "fewer" : "less";
}

std::string NumberSentenceOf(const Measured& ratio, const ComparedNames& names) {
  const double value = ratio.Value();
  const std::string metric = MetricInWords(names.metric);
  if (IsFactor(value)) {
    return fmt::format("{} has {} times the {} of {}{}", names.level, report::ShowRounded(value, 3),
                       metric, names.baseline, Range(ratio, false));
  }
  return fmt::format("{} has {} % {} {} than {}{}", names.level, Percentage(std::abs(value - 1)),
                     MoreOrLess(value, names), metric, names.baseline, Range(ratio, false));
}

// The deviations of all nodes in one metric of one case.
struct NodesOfCase {
  std::size_t metric = 0;
  std::vector<std::string> levels;
  std::vector<const NodeDeviation*> nodes;
};

std::vector<NodesOfCase> ByCase(const std::vector<NodeDeviation>& rows) {
  std::vector<NodesOfCase> cases;
  std::map<std::pair<std::size_t, std::vector<std::string>>, std::size_t> known;
  for (const NodeDeviation& row : rows) {
    if (!row.deviation.value) continue;
    const auto [found, fresh] = known.try_emplace({row.metric, row.levels}, cases.size());
    if (fresh) cases.push_back({row.metric, row.levels, {}});
    cases[found->second].nodes.push_back(&row);
  }
  return cases;
}

// How many times the first node's value the second one's is, from their deviations from the mean.
std::optional<Measured> RatioOfTwo(const Measured& second) {
  const auto ratio = [](double deviation) { return (1 + deviation) / (1 - deviation); };
  const double value = second.Value();
  if (!(std::abs(value) < 1)) return std::nullopt;
  const bool bounded = second.HasInterval() && second.Low() > -1 && second.High() < 1;
  if (!bounded) return Unbounded(ratio(value));
  return Between(ratio(value), ratio(second.Low()), ratio(second.High()),
                 second.confidence.value_or(0.95));
}

class NodeText {
 public:
  NodeText(const study_results::ResultSet& set, const std::vector<std::string>& by,
           const std::vector<NodeDeviation>& rows)
      : set_(set), by_(by), cases_(ByCase(rows)) {
    for (const NodeDeviation& row : rows) nodes_.insert(row.node);
  }

  std::string All() const {
    if (nodes_.size() < 2) return "All successful runs are of one node.";
    std::string text = nodes_.size() == 2 ? Two() : Outliers();
    const std::string same = Same();
    if (!same.empty()) text += (text.empty() ? "" : " ") + same;
    return text;
  }

 private:
  const study::StoredMetric& Metric(std::size_t index) const {
    return set_.Stored().metrics[index];
  }

  // Of two nodes neither is an outlier, so the largest difference is stated.
  std::string Two() const {
    std::optional<LevelRatio> largest;
    ComparedNames names;
    std::size_t compared = 0;
    std::size_t differing = 0;
    for (const NodesOfCase& one : cases_) {
      if (one.nodes.size() != 2) continue;
      ++compared;
      // The slower or larger one is named first.
      const bool ordered = one.nodes[1]->deviation.Value() >= 0;
      const NodeDeviation& high = *one.nodes[ordered ? 1 : 0];
      const auto ratio = RatioOfTwo(high.deviation);
      if (!ratio || (ratio->HasInterval() && ratio->Low() <= 1) || ratio->Value() == 1) continue;
      ++differing;
      if (largest && largest->ratio.Value() >= ratio->Value()) continue;
      largest.emplace();
      largest->ratio = *ratio;
      largest->answer = compare::Answer::kSlower;
      names = {Printable(high.node), Printable(one.nodes[ordered ? 0 : 1]->node),
               Metric(one.metric).name, Metric(one.metric).unit, PlaceInWords(by_, one.levels)};
    }
    if (!largest) {
      return compared == 0 ? "No case has results of both nodes."
                           : "No difference between the two nodes is shown.";
    }
    std::string text = ComparisonSentence(*largest, names);
    if (compared > 1) {
      text += fmt::format(
          " The nodes differ in {} of {} comparisons; this is the largest "
          "difference.",
          differing, compared);
    }
    return text;
  }

  std::string Outliers() const {
    std::map<std::string, const NodeDeviation*> outliers;  // by node, the largest
    const NodeDeviation* largest = nullptr;
    const auto is_larger = [](const NodeDeviation& a, const NodeDeviation* b) {
      return b == nullptr || std::abs(a.deviation.Value()) > std::abs(b->deviation.Value());
    };
    for (const NodesOfCase& one : cases_) {
      for (const NodeDeviation* node : one.nodes) {
        if (is_larger(*node, largest)) largest = node;
        if (!node->outlier) continue;
        auto [found, fresh] = outliers.try_emplace(node->node, node);
        if (!fresh && is_larger(*node, found->second)) found->second = node;
      }
    }
    if (outliers.empty()) {
      std::string text = fmt::format("None of {} nodes is an outlier", nodes_.size());
      if (largest != nullptr && largest->deviation.Value() != 0) {
        text += fmt::format("; the largest deviation is that {}", OfOne(*largest));
      }
      return text + '.';
    }
    constexpr std::size_t kMaxNamed = 3;
    std::vector<std::string> parts;
    for (const auto& [node, row] : outliers) {
      if (parts.size() < kMaxNamed) parts.push_back(OfOne(*row));
    }
    if (outliers.size() > kMaxNamed) {
      parts.push_back(fmt::format("{} more nodes are outliers", outliers.size() - kMaxNamed));
    }
    return fmt::format("{}.", fmt::join(parts, "; "));
  }

  // "n2 is 49.6 % slower than the mean of the nodes in wall time (program a)"
  std::string OfOne(const NodeDeviation& row) const {
    const double deviation = row.deviation.Value();
    const bool is_time = Metric(row.metric).unit == "s";
    const std::string how = is_time ? (deviation > 0 ? "slower than" : "faster than")
                                    : (deviation > 0 ? "above" : "below");
    return fmt::format("{} is {} % {} the mean of the nodes in {}{}", Printable(row.node),
                       Percentage(std::abs(deviation)), how, MetricInWords(Metric(row.metric).name),
                       InBrackets(PlaceInWords(by_, row.levels)));
  }

  std::string Same() const {
    std::map<std::size_t, bool> same;
    for (const NodesOfCase& one : cases_) {
      const bool here =
          one.nodes.size() > 1 && std::ranges::all_of(one.nodes, [](const NodeDeviation* node) {
            return node->deviation.Value() == 0;
          });
      same.try_emplace(one.metric, true).first->second &= here;
    }
    std::vector<std::string> names;
    for (const auto& [metric, is_same] : same) {
      if (is_same) names.push_back(MetricInWords(Metric(metric).name));
    }
    if (names.empty()) return "";
    return fmt::format("All nodes have the same {}.", fmt::join(names, ", "));
  }

  const study_results::ResultSet& set_;
  const std::vector<std::string>& by_;
  std::vector<NodesOfCase> cases_;
  std::set<std::string> nodes_;
};

}  // namespace

std::string SelectedText(const study::SelectedMetric& selected) {
  std::string text = Printable(selected.metric);
  for (const auto& [factor, level] : selected.levels) text += " of " + Printable(level);
  return text;
}

std::string MetricInWords(std::string_view metric) {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"wall", "wall time"}, {"user", "user time"}, {"sys", "system time"}});
  for (const auto& [name, words] : kWords) {
    if (metric == name) return std::string(words);
  }
  std::string text = Printable(metric);
  std::ranges::replace(text, '_', ' ');
  std::ranges::replace(text, '-', ' ');
  return text;
}

std::string ComparisonSentence(const LevelRatio& one, const ComparedNames& names) {
  const std::string metric = MetricInWords(names.metric);
  const std::string place = InBrackets(names.place);
  const Measured& ratio = one.ratio;
  if (!ratio.value) {
    return fmt::format("{} of {} cannot be compared with that of {}{}: {}.", metric, names.level,
                       names.baseline, place, ratio.reason);
  }
  if (ratio.Value() == 1 && !ratio.HasInterval()) {
    return fmt::format("{} and {} have the same {}{}.", names.level, names.baseline, metric, place);
  }
  if (one.answer == compare::Answer::kEqual && ratio.HasInterval()) {
    const double widest = std::max(std::abs(1 - ratio.Low()), std::abs(ratio.High() - 1));
    return fmt::format("{} and {} have the same {}: no difference larger than {} %{}.", names.level,
                       names.baseline, metric, Percentage(widest), place);
  }
  if (one.answer == compare::Answer::kUndecided) {
    const auto shown = report::ShowMeasured(ratio, 1);
    return fmt::format("Undecided whether {} and {} differ in {}{}: the ratio is {}{}{}.",
                       names.level, names.baseline, metric, place, shown.value,
                       shown.interval.empty() ? "" : " ", shown.interval);
  }
  return fmt::format(
      "{}{}{}.", names.unit == "s" ? TimeSentenceOf(ratio, names) : NumberSentenceOf(ratio, names),
      place, one.answer == compare::Answer::kEqual ? ", which counts as equal" : "");
}

std::string DifferenceInWords(const LevelRatio& one, const ComparedNames& names) {
  const double value = one.ratio.Value();
  const std::string where =
      fmt::format("{}{}{}", names.level, names.place.empty() ? "" : ", ", names.place);
  const std::string metric = MetricInWords(names.metric);
  if (IsFactor(value)) {
    return fmt::format("{} times the {} ({})", report::ShowRounded(value, 3), metric, where);
  }
  return fmt::format("{} % {} {} ({})", Percentage(std::abs(value - 1)), MoreOrLess(value, names),
                     metric, where);
}

std::string NodesSentences(const study_results::ResultSet& set, const std::vector<std::string>& by,
                           const std::vector<NodeDeviation>& rows) {
  return NodeText(set, by, rows).All();
}

std::string PlaceInWords(const std::vector<std::string>& by,
                         const std::vector<std::string>& levels) {
  std::vector<std::string> where;
  for (std::size_t i = 0; i < by.size(); ++i) {
    if (!levels[i].empty()) where.push_back(fmt::format("{} {}", by[i], levels[i]));
  }
  return Printable(fmt::format("{}", fmt::join(where, ", ")));
}

}  // namespace tare::cli
