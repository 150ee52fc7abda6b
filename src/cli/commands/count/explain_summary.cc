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
    text = fmt::format("{} counts {} more in every program, independent of what it executes",
                       source, Counts(term.extra.Value()));
  } else {
    text = fmt::format("{} counts {} for each {}", source, HowMany(term), OccurrenceOf(term.cause));
  }
  text += fmt::format(" ({} % of the difference).", Counts(100 * term.share));
  if (term.aliases.empty()) return text;
  std::vector<std::string> names;
  for (const auto& alias : term.aliases) names.push_back(alias.cause.name);
  text += fmt::format(" These programs cannot distinguish it from {}", Some(names));
  const auto needed = term.Needed(difference.programs.size());
  if (!needed) {
    return text + ": use programs in which they occur in other proportions.";
  }
  return text + fmt::format(": about {:.0f} such programs could.", *needed);
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
  if (std::abs(*worst) < 0.5) return "Every program's difference is fully explained.";
  double left = 0;
  double all = 0;
  for (const double value : explanation.residuals) left += std::abs(value);
  for (const double value : difference.amounts) all += std::abs(value);
  const auto at = static_cast<std::size_t>(worst - explanation.residuals.begin());
  return fmt::format(
      "{} % of the difference is unexplained; the largest residual is {} counts, in {}; residuals "
      "vary by about {}.",
      Counts(100 * left / all), Counts(*worst), Printable(difference.programs[at]),
      NoiseOf(explanation));
}

std::string NothingFound(const Difference& difference, const Explanation& explanation) {
  const auto seen = std::ranges::count_if(
      explanation.detectable, [](const explain::DetectableCause& it) { return it.min_extra <= 1; });
  std::string text = fmt::format(
      "No cause explains the difference of {} and {}: it looks like noise of about {} in each "
      "program. One extra count per occurrence would have been detected for {} of {} causes",
      Printable(difference.first), Printable(difference.second), NoiseOf(explanation), seen,
      explanation.detectable.size());
  for (const explain::DetectableCause& cause : explanation.detectable) {
    if (cause.cause.kind != CauseKind::kEvent) continue;
    text += fmt::format("; at least {} extra counts for each {}", Counts(cause.min_extra),
                        OccurrenceOf(cause.cause));
  }
  return text + ".";
}

std::string TickSentence(const explain::TickRate& ticks) {
  if (ticks.usual) {
    return fmt::format(" The timer ticks at {} Hz: no other common rate fits.", *ticks.usual);
  }
  return fmt::format(
      " A timer that explains it would tick at {} Hz, which matches no single common rate.",
      Counts(ticks.rate.Value()));
}

std::string NotTested(const Difference& difference, const Explanation& explanation) {
  std::string text =
      fmt::format("{} can distinguish up to {}", Plural(difference.programs.size(), "program"),
                  Plural(explanation.max_terms, "cause"));
  const std::size_t needed = explain::MinPrograms(explanation.max_terms + 1);
  if (explanation.max_terms == explain::kMaxTerms) {
    text += "; more are not searched for.";
  } else if (needed > difference.programs.size()) {
    text += fmt::format("; {} causes need {} programs.", explanation.max_terms + 1, needed);
  } else {
    text += ": there are no more candidates.";
  }
  if (!difference.rare.empty()) {
    std::vector<std::string> names;
    for (const auto& cause : difference.rare) names.push_back(cause.name);
    text += fmt::format(" {} occur in fewer than {} programs and cannot be tested: {}.",
                        Plural(names.size(), "cause"), explain::kMinSupport, Some(names));
  }
  if (!difference.left_out.empty()) {
    text += fmt::format(" Omitted because a source or the opcodes are missing: {}.",
                        Some(difference.left_out));
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
    return fmt::format("{} and {} have the same counts in all of {}: there is nothing to explain.",
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
  return text + "\n\n" + NotTested(difference, explanation);
}

}  // namespace tare::cli
