// explain_summary.cc: phrases causes, their sizes and their uncertainty.
#include "cli/commands/count/explain_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/printable.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using explain::CauseKind;
using explain::Difference;
using explain::Explanation;
using explain::Term;

std::string Counts(double value) { return report::ShowRounded(value, 3); }

std::string Plural(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// At most three names, and the number of further ones.
std::string Some(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 3;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(kMax, names.size()); ++i) {
    shown.push_back(Printable(names[i]));
  }
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (names.size() > kMax) text += fmt::format(" and {} more", names.size() - kMax);
  return text;
}

std::string HowMany(const Term& term) {
  const auto whole = term.Whole();
  if (whole == 1) return "one extra";
  if (whole == 2) return "two extra";
  if (whole) return fmt::format("{} extra", *whole);
  return fmt::format("{} extra", Counts(term.extra.Value()));
}

std::string TermSentence(const Difference& difference, const Term& term) {
  const std::string source = Printable(term.by_second ? difference.second : difference.first);
  std::string text;
  if (term.cause.kind == CauseKind::kConstant) {
    text = fmt::format("{} counts {} more in every program, whatever runs in it", source,
                       Counts(term.extra.Value()));
  } else {
    text = fmt::format("{} counts {} for each {}", source, HowMany(term), OccurrenceOf(term.cause));
  }
  text += fmt::format(" ({} % of the difference).", Counts(100 * term.share));
  if (term.aliases.empty()) return text;
  std::vector<std::string> names;
  for (const auto& alias : term.aliases) names.push_back(alias.cause.name);
  text += fmt::format(" These programs do not tell it from {}", Some(names));
  const auto needed = term.Needed(difference.programs.size());
  if (!needed) {
    return text + ": programs are needed in which they occur in other proportions.";
  }
  return text + fmt::format(": about {:.0f} programs like these would.", *needed);
}

std::string NoiseOf(const Explanation& explanation) {
  std::string text = fmt::format("{} counts", Counts(explanation.noise));
  if (std::isfinite(explanation.knee)) {
    text += fmt::format(" or {} % of the count, whichever is more",
                        Counts(100 * explanation.noise / explanation.knee));
  }
  return text;
}

std::string RestSentence(const Difference& difference, const Explanation& explanation) {
  const auto size = [](double value) { return std::abs(value); };
  const auto worst = std::ranges::max_element(explanation.residuals, {}, size);
  if (std::abs(*worst) < 0.5) return "Nothing is left unexplained in any program.";
  double left = 0;
  double all = 0;
  for (const double value : explanation.residuals) left += std::abs(value);
  for (const double value : difference.amounts) all += std::abs(value);
  const auto at = static_cast<std::size_t>(worst - explanation.residuals.begin());
  return fmt::format(
      "Unexplained are {} % of the difference, the most, {} counts, in {}; they scatter by about "
      "{}.",
      Counts(100 * left / all), Counts(*worst), Printable(difference.programs[at]),
      NoiseOf(explanation));
}

std::string NothingFound(const Difference& difference, const Explanation& explanation) {
  const auto seen = std::ranges::count_if(explanation.sights,
                                          [](const explain::Sight& it) { return it.least <= 1; });
  std::string text = fmt::format(
      "No cause explains the difference of {} and {}: it is like chance, by about {} in each "
      "program. One extra count for each occurrence would have been found for {} of {} causes",
      Printable(difference.first), Printable(difference.second), NoiseOf(explanation), seen,
      explanation.sights.size());
  for (const explain::Sight& sight : explanation.sights) {
    if (sight.cause.kind != CauseKind::kEvent) continue;
    text += fmt::format("; for each {} from {} on", OccurrenceOf(sight.cause), Counts(sight.least));
  }
  return text + ".";
}

std::string TickSentence(const explain::TickRate& ticks) {
  if (ticks.usual) {
    return fmt::format(" The timer behind it ticks at {} Hz: no other usual rate is in reach.",
                       *ticks.usual);
  }
  return fmt::format(" A timer behind it would tick at {} Hz, which is no usual rate for certain.",
                     Counts(ticks.rate.Value()));
}

std::string NotJudged(const Difference& difference, const Explanation& explanation) {
  std::string text =
      fmt::format("{} can tell up to {} apart", Plural(difference.programs.size(), "program"),
                  Plural(explanation.max_terms, "cause"));
  const std::size_t needed = explain::LeastPrograms(explanation.max_terms + 1);
  if (explanation.max_terms == explain::kMaxTerms) {
    text += ", and more are not looked for.";
  } else if (needed > difference.programs.size()) {
    text += fmt::format("; {} causes need {} programs.", explanation.max_terms + 1, needed);
  } else {
    text += ": there are no more candidates.";
  }
  if (!difference.rare.empty()) {
    std::vector<std::string> names;
    for (const auto& cause : difference.rare) names.push_back(cause.name);
    text += fmt::format(" {} occur in fewer than {} programs and cannot be judged: {}.",
                        Plural(names.size(), "cause"), explain::kMinSupport, Some(names));
  }
  if (!difference.left_out.empty()) {
    text +=
        fmt::format(" Left out for lack of a source or of opcodes: {}.", Some(difference.left_out));
  }
  return text;
}

}  // namespace

std::string OccurrenceOf(const explain::Cause& cause) {
  switch (cause.kind) {
    case CauseKind::kPrefix:
      return fmt::format("{} iteration beyond the first", Printable(cause.name));
    case CauseKind::kInstruction:
      return "instruction";
    case CauseKind::kConstant:
      return "program";
    case CauseKind::kEvent:
      if (cause.name == explain::kSeconds) return "second";
      if (cause.name == "page-faults") return "page fault";
      if (cause.name == "context-switches") return "context switch";
      return fmt::format("of {}", Printable(cause.name));
    case CauseKind::kOpcode:
      break;
  }
  return Printable(cause.name);
}

std::string ExplanationSummary(const Difference& difference, const Explanation& explanation,
                               const std::optional<explain::TickRate>& ticks) {
  if (!explanation.differs) {
    return fmt::format("{} and {} agree to the count in all of {}: there is nothing to explain.",
                       Printable(difference.first), Printable(difference.second),
                       Plural(difference.programs.size(), "program"));
  }
  std::string text;
  if (explanation.terms.empty()) {
    text = NothingFound(difference, explanation);
  } else {
    for (const Term& term : explanation.terms) {
      if (!text.empty()) text += " ";
      text += TermSentence(difference, term);
      const bool is_time =
          term.cause.kind == CauseKind::kEvent && term.cause.name == explain::kSeconds;
      if (is_time && ticks) text += TickSentence(*ticks);
    }
    text += " " + RestSentence(difference, explanation);
  }
  return text + "\n\n" + NotJudged(difference, explanation);
}

}  // namespace tare::cli
