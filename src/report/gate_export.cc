// gate_export.cc: cases of results, as JUnit XML and as GitHub workflow commands.
#include "report/gate_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/printable.h"
#include "report/figures.h"
#include "report/table_cells.h"

namespace tare::report {
namespace {

std::string ShownRatio(const Measured& ratio) {
  const Figure figure = ShowMeasured(ratio, 1);
  return figure.interval.empty() ? figure.value : figure.value + " " + figure.interval;
}

// The setting "2%" as 0.02.
std::optional<double> GateOf(const Document& document) {
  const auto found = document.provenance.settings.find("gate");
  if (found == document.provenance.settings.end()) return std::nullopt;
  const std::string& text = found->second;
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc()) return std::nullopt;
  return percent / 100;
}

std::vector<GateCase> CompareCases(const Document& document, double gate) {
  std::vector<GateCase> cases;
  const Table* table = FindTable(document, "comparison");
  if (table == nullptr) return cases;
  const auto command = FindColumn(*table, "command");
  const auto ratio = FindColumn(*table, "ratio");
  if (!command || !ratio) return cases;
  for (std::size_t r = 1; r < table->rows.size(); ++r) {
    const auto& row = table->rows[r];
    const auto* measured = std::get_if<Measured>(&row[*ratio]);
    GateCase one{document.title, TextAt(row, *command), GateOutcome::kUndecided, ""};
    const std::string limit = ShowRounded(gate * 100, 4);
    if (measured == nullptr || !measured->value) {
      one.message = "no ratio of times was measured";
    } else if (!measured->HasInterval()) {
      one.message = fmt::format("ratio of times {} without an interval; raise --budget",
                                ShownRatio(*measured));
    } else if (measured->Low() > 1 + gate) {
      one.outcome = GateOutcome::kFailed;
      one.message =
          fmt::format("slower by more than {} %: ratio of times {}", limit, ShownRatio(*measured));
    } else if (measured->High() > 1 + gate) {
      one.message = fmt::format("ratio of times {} contains the limit of {} %; raise --budget",
                                ShownRatio(*measured), limit);
    } else {
      one.outcome = GateOutcome::kPassed;
      one.message = fmt::format("not slower by more than {} %: ratio of times {}", limit,
                                ShownRatio(*measured));
    }
    cases.push_back(std::move(one));
  }
  return cases;
}

GateOutcome OutcomeOf(Verdict verdict) {
  return verdict == Verdict::kValid     ? GateOutcome::kPassed
         : verdict == Verdict::kRefused ? GateOutcome::kFailed
                                        : GateOutcome::kUndecided;
}

// Of the rows of `verdicts` or of the first table with numbers.
std::vector<GateCase> VerdictCases(const Document& document) {
  std::vector<GateCase> cases;
  const Table* table = FindTable(document, "verdicts");
  for (const Block& block : document.blocks) {
    if (table != nullptr) break;
    table = std::get_if<Table>(&block);
  }
  if (table == nullptr) return cases;
  for (const auto& row : table->rows) {
    for (const Cell& cell : row) {
      const auto* measured = std::get_if<Measured>(&cell);
      if (measured == nullptr) continue;
      const std::string name = row.empty() ? "" : TextAt(row, 0);
      cases.push_back({document.title, name.empty() ? table->id : name,
                       OutcomeOf(measured->verdict), measured->reason});
      break;
    }
  }
  return cases;
}

std::string EscapeXml(std::string_view text) { return EscapeHtml(Printable(text)); }

// https://docs.github.com: workflow commands end with the line, and properties at , and :.
std::string EscapeCommand(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '%') {
      escaped += "%25";
    } else if (property && c == ':') {
      escaped += "%3A";
    } else if (property && c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Annotation(std::string_view level, std::string_view title, std::string_view message) {
  return fmt::format("::{} title={}::{}\n", level, EscapeCommand(title, true),
                     EscapeCommand(message, false));
}

}  // namespace

std::vector<GateCase> GateCases(const PageResult& result) {
  const Document& document = result.document;
  const auto gate = GateOf(document);
  std::vector<GateCase> cases = gate ? CompareCases(document, *gate) : VerdictCases(document);
  for (const StatedCaveat& caveat : document.caveats) {
    if (caveat.verdict != Verdict::kRefused) continue;
    cases.push_back(
        {document.title, caveat.id, GateOutcome::kFailed,
         caveat.detail.empty() ? caveat.message : caveat.message + ": " + caveat.detail});
  }
  if (cases.empty()) cases.push_back({document.title, "result", GateOutcome::kPassed, ""});
  return cases;
}

std::string ToJUnit(std::span<const PageResult> results) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tare\">\n";
  for (const PageResult& result : results) {
    const std::vector<GateCase> cases = GateCases(result);
    const auto count = [&](GateOutcome outcome) {
      return std::ranges::count(cases, outcome, &GateCase::outcome);
    };
    xml += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" "
        "hostname=\"{}\" timestamp=\"{}\">\n",
        EscapeXml(result.document.title), cases.size(), count(GateOutcome::kFailed),
        count(GateOutcome::kUndecided), EscapeXml(result.document.provenance.machine),
        EscapeXml(result.document.provenance.time));
    for (const GateCase& one : cases) {
      xml += fmt::format("    <testcase classname=\"tare.{}\" name=\"{}\"",
                         EscapeXml(result.document.command), EscapeXml(one.name));
      if (one.outcome == GateOutcome::kPassed) {
        xml += "/>\n";
        continue;
      }
      const char* element = one.outcome == GateOutcome::kFailed ? "failure" : "skipped";
      xml += fmt::format(">\n      <{} message=\"{}\"/>\n    </testcase>\n", element,
                         EscapeXml(one.message));
    }
    xml += "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

std::string ToGithubAnnotations(std::span<const PageResult> results) {
  std::string text;
  for (const PageResult& result : results) {
    const std::vector<GateCase> cases = GateCases(result);
    bool passed = true;
    for (const GateCase& one : cases) {
      if (one.outcome == GateOutcome::kPassed) continue;
      passed = false;
      text += Annotation(one.outcome == GateOutcome::kFailed ? "error" : "warning", one.suite,
                         one.name + ": " + one.message);
    }
    if (passed) {
      const std::string message = cases.size() == 1 && !cases.front().message.empty()
                                      ? cases.front().name + ": " + cases.front().message
                                      : fmt::format("passed: {} of {}", cases.size(), cases.size());
      text += Annotation("notice", result.document.title, message);
    }
  }
  return text;
}

}  // namespace tare::report
