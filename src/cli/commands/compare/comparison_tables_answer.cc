// comparison_tables_answer.cc: the answer of a comparison in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/printable.h"
#include "base/units.h"
#include "cli/commands/compare/comparison_tables.h"
#include "report/figures.h"
#include "report/short_symbol.h"

namespace tare::cli {
namespace {

using compare::CommandAnswer;

constexpr double kTimesAs = 1.5;

std::string PercentText(double fraction) {
  const double percent = 100 * fraction;
  return report::ShowRounded(percent, std::abs(percent) < 10 ? 2 : 3);
}

// "3.1 % faster" for a ratio of 0.969.
std::string RatioInWords(double ratio) {
  if (ratio > kTimesAs) return fmt::format("{} times as slow", report::ShowRounded(ratio, 3));
  if (ratio < 1 / kTimesAs) {
    return fmt::format("{} times as fast", report::ShowRounded(1 / ratio, 3));
  }
  if (ratio < 1) return fmt::format("{} % faster", PercentText(1 - ratio));
  return fmt::format("{} % slower", PercentText(ratio - 1));
}

std::string RatioRange(const Measured& ratio) {
  const double value = ratio.Value();
  if (value > kTimesAs) {
    return fmt::format("[{}, {}]", report::ShowRounded(ratio.Low(), 3),
                       report::ShowRounded(ratio.High(), 3));
  }
  if (value < 1 / kTimesAs) {
    return fmt::format("[{}, {}]", report::ShowRounded(1 / ratio.High(), 3),
                       report::ShowRounded(1 / ratio.Low(), 3));
  }
  if (value < 1)
    return fmt::format("[{}, {}]", PercentText(1 - ratio.High()), PercentText(1 - ratio.Low()));
  return fmt::format("[{}, {}]", PercentText(ratio.Low() - 1), PercentText(ratio.High() - 1));
}

std::string QuotedLabel(const std::string& label) {
  constexpr std::size_t kLongest = 40;
  const std::string text = Printable(label);
  return "'" + (text.size() <= kLongest ? text : report::ShortSymbol(text, kLongest)) + "'";
}

std::string OverLayouts(const CompareView& view) {
  if (view.fixed_layout) return "in one layout";
  if (view.report.builds > 1) {
    return fmt::format("over {} builds and {} layouts", view.report.builds, view.report.layouts);
  }
  return fmt::format("over {} layouts", view.report.layouts);
}

std::string LayoutCauses(const CommandAnswer& answer) {
  std::string text;
  for (std::size_t i = 0; i < answer.causes.size(); ++i) {
    if (i > 0) text += i + 1 == answer.causes.size() ? " and " : ", ";
    text += compare::FactorName(answer.causes[i]);
  }
  return text;
}

// What the layout does, or nothing.
std::string LayoutSentence(const CommandAnswer& answer) {
  std::string text;
  if (answer.natural_differs && answer.natural) {
    text += fmt::format(
        " In the layout of a plain run it is {} {}: that comes from the memory "
        "layout{}, not from the program.",
        RatioInWords(answer.natural->Value()), RatioRange(*answer.natural),
        answer.causes.empty() ? "" : ", namely " + LayoutCauses(answer));
  } else if (answer.layout && answer.layout->matters && !answer.causes.empty()) {
    text += fmt::format(" What matters in the layout is {}.", LayoutCauses(answer));
  }
  return text;
}

std::string SingleLayouts(const CommandAnswer& answer) {
  if (!answer.layout || !answer.layout->matters) return "";
  return fmt::format("; in single layouts it was between {} and {}",
                     RatioInWords(answer.layout->low), RatioInWords(answer.layout->high));
}

std::string UndecidedText(const CompareView& view, const CommandAnswer& answer) {
  std::string text;
  if (answer.ratio.HasInterval()) {
    text = fmt::format("the difference is between {} and {} {}", RatioInWords(answer.ratio.Low()),
                       RatioInWords(answer.ratio.High()), OverLayouts(view));
  } else {
    text = "too few runs for an answer";
  }
  const double done = view.fixed_layout ? static_cast<double>(view.report.rounds.size())
                                        : static_cast<double>(view.report.layouts);
  if (view.report.units_wanted > done && done > 0) {
    text += fmt::format("; to decide about {} % takes about {} (--budget {:.0f}s)",
                        PercentText(view.detect),
                        LongDuration(view.report.spent_seconds * view.report.units_wanted / done),
                        std::ceil(view.report.spent_seconds * view.report.units_wanted / done));
  }
  return text;
}

std::string TimeSentence(const CompareView& view, std::size_t command) {
  const CommandAnswer& answer = view.report.answers[command];
  const std::string name = QuotedLabel(view.report.labels[command]);
  const std::string first =
      (view.from_baseline ? "the baseline " : "") + QuotedLabel(view.report.labels.front());
  switch (answer.answer) {
    case compare::Answer::kFaster:
    case compare::Answer::kSlower: {
      const bool times = answer.ratio.Value() > kTimesAs || answer.ratio.Value() < 1 / kTimesAs;
      return fmt::format("{} is {} {} {} {} {}{}.{}", name, RatioInWords(answer.ratio.Value()),
                         times ? "as" : "than", first, RatioRange(answer.ratio), OverLayouts(view),
                         SingleLayouts(answer), LayoutSentence(answer));
    }
    case compare::Answer::kEqual: {
      const double widest = std::max(1 - answer.ratio.Low(), answer.ratio.High() - 1);
      return fmt::format("{} and {} take the same time: no difference larger than {} % {}{}.{}",
                         name, first, PercentText(widest), OverLayouts(view), SingleLayouts(answer),
                         LayoutSentence(answer));
    }
    case compare::Answer::kUndecided:
      break;
  }
  return fmt::format("Undecided whether {} or {} is faster: {}{}.{}", name, first,
                     UndecidedText(view, answer), SingleLayouts(answer), LayoutSentence(answer));
}

std::optional<double> InstructionRatio(const CompareView& view, std::size_t command) {
  const auto& counts = view.report.counts;
  if (command >= counts.size()) return std::nullopt;
  const auto* first = counts.front().Find("instructions");
  const auto* other = counts[command].Find("instructions");
  if (first == nullptr || other == nullptr || !first->value.value || !other->value.value) {
    return std::nullopt;
  }
  if (first->value.Value() <= 0) return std::nullopt;
  return other->value.Value() / first->value.Value();
}

// "mostly in" only where the function has about as large a difference as the whole.
std::string WhereCountsDiffer(const compare::FunctionDifference& most, double whole) {
  constexpr double kMinPart = 0.5;
  constexpr double kMaxPart = 1.5;
  const auto difference = static_cast<double>(most.Difference());
  const double part = whole == 0 ? 0 : difference / whole;
  return fmt::format(
      ", {} {} ({}{})",
      part >= kMinPart && part <= kMaxPart ? "mostly in" : "with the largest change in",
      report::ShortSymbol(Printable(most.function), 40), most.Difference() < 0 ? "-" : "+",
      report::ShowMeasured(Exact(std::llabs(most.Difference())), 1).value);
}

// "It" is the command of the sentence before, if that has one subject.
std::string WhoExecutes(const CompareView& view, std::size_t command) {
  const bool timed = !view.of_counts && command < view.report.answers.size();
  const auto answer = timed ? view.report.answers[command].answer : compare::Answer::kUndecided;
  const bool one = answer == compare::Answer::kFaster || answer == compare::Answer::kSlower;
  return one ? "It" : QuotedLabel(view.report.labels[command]);
}

std::string CountSentence(const CompareView& view, std::size_t command) {
  const auto ratio = InstructionRatio(view, command);
  const auto& counts = view.report.counts;
  if (!ratio) {
    const auto uncounted =
        std::ranges::find_if(counts, [](const auto& count) { return !count.absence.empty(); });
    if (uncounted == counts.end()) return "";
    return fmt::format("Instructions were not counted: {}.", uncounted->absence);
  }
  const auto differences = compare::DifferencesOf(counts.front(), counts[command]);
  const double change = *ratio - 1;
  std::string text;
  if (std::abs(change) < 5e-5) {
    text = differences.empty() ? "Both execute the same instructions"
                               : "Both execute nearly as many instructions";
  } else {
    const std::string first = QuotedLabel(view.report.labels.front());
    text = fmt::format("{} executes {} % {} instructions{}", WhoExecutes(view, command),
                       PercentText(std::abs(change)), change < 0 ? "fewer" : "more",
                       view.of_counts ? " than " + first : "");
    if (!differences.empty()) {
      const double whole = counts[command].Find("instructions")->value.Value() -
                           counts.front().Find("instructions")->value.Value();
      text += WhereCountsDiffer(differences.front(), whole);
    }
  }
  if (view.of_counts || command >= view.report.answers.size()) return text + ".";
  const CommandAnswer& answer = view.report.answers[command];
  const bool fewer = change < -view.detect;
  const bool more = change > view.detect;
  const bool faster = answer.answer == compare::Answer::kFaster;
  const bool slower = answer.answer == compare::Answer::kSlower;
  const bool undecided = answer.answer == compare::Answer::kUndecided;
  if (fewer && !faster) {
    text += undecided ? ", but was not shown to be faster" : ", but it is not faster";
  } else if (more && !slower) {
    text += undecided ? ", but was not shown to be slower" : ", but it is not slower";
  } else if (!fewer && !more && (faster || slower)) {
    text += ": the difference in time is not one of instructions, but of how fast they run";
  }
  return text + ".";
}

std::string GateSentence(const CompareView& view) {
  const std::string limit = PercentText(*view.gate);
  switch (GateStatus(view)) {
    case 0:
      return fmt::format("Gate passed: no slow-down of more than {} %.", limit);
    case 1:
      return fmt::format("Gate failed: a slow-down of more than {} %.", limit);
    default:
      return fmt::format("Gate undecided: the interval contains {} %; raise --budget.", limit);
  }
}

}  // namespace

int GateStatus(const CompareView& view) {
  if (!view.gate) return 0;
  bool undecided = false;
  const double limit = 1 + *view.gate;
  for (std::size_t command = 1; command < view.Commands(); ++command) {
    if (view.of_counts) {
      const auto ratio = InstructionRatio(view, command);
      if (ratio && *ratio > limit) return 1;
      undecided = undecided || !ratio;
      continue;
    }
    if (command >= view.report.answers.size()) return 3;
    const Measured& ratio = view.report.answers[command].ratio;
    if (!ratio.HasInterval()) {
      undecided = true;
    } else if (ratio.Low() > limit) {
      return 1;
    } else if (ratio.High() > limit) {
      undecided = true;
    }
  }
  return undecided ? 3 : 0;
}

std::string CompareAnswer(const CompareView& view) {
  std::string text;
  if (view.report.interrupted) text = "Interrupted: this is what was measured until then. ";
  for (std::size_t command = 1; command < view.Commands(); ++command) {
    if (command > 1) text += "\n\n";
    if (!view.of_counts && command < view.report.answers.size()) {
      text += TimeSentence(view, command) + " ";
    }
    text += CountSentence(view, command);
  }
  if (view.gate) text += "\n\n" + GateSentence(view);
  return text;
}

}  // namespace tare::cli
