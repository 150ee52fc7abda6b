// proxy_report.cc: converts options to programs, measurements and blocks.
#include "cli/commands/proxy/proxy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/csv.h"
#include "base/printable.h"
#include "binary/mix/file_mix.h"
#include "cli/cells.h"
#include "cli/commands/count/count_options.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/proxy/likelihood_tables.h"
#include "cli/commands/proxy/proxy_tables.h"
#include "cli/failed_events.h"
#include "measure/run/varied_layouts.h"

namespace tare::cli {
namespace {

// Compared wherever the processor counts them; the virtual PMU has the first two.
constexpr const char* kUsualEvents =
    "conditional-mispredictions,l2-instruction-accesses,stalled-cycles";

// "10%" and "10" are percentages; a value below 1 without the sign is a fraction.
Result<double> Tolerance(const std::string& text) {
  std::string_view digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool number = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
  const double part = percent || value >= 1 ? value / 100 : value;
  if (number && part > 0 && part < 1) return part;
  return Fail(ErrorKind::kUsage,
              fmt::format("--tolerance {}: expected more than 0 % and less than 100 %, such as "
                          "10%, 10 or 0.1",
                          Printable(text)));
}

Result<std::size_t> InRange(const char* option, const std::optional<std::int64_t>& given,
                            std::size_t usual, std::int64_t min, std::int64_t max) {
  if (!given) return usual;
  if (*given >= min && *given <= max) return static_cast<std::size_t>(*given);
  return Fail(ErrorKind::kUsage, fmt::format("{} {}: expected {} to {}", option, *given, min, max));
}

Result<Outcome> ReportImported(const ProxyOptions& options, const Session& session) {
  if (!session.operands.empty() || options.predict) {
    return Fail(ErrorKind::kUsage,
                "--import reads a table and runs no program; remove the programs");
  }
  TRY(const double tolerance, Tolerance(options.tolerance));
  constexpr std::array<std::string_view, 1> kNeeded = {"program"};
  TRY(const auto table, ReadCsv(options.import, std::uint64_t{64} << 20, kNeeded));
  TRY(const auto imported, proxy::AssessTable(table, tolerance));
  Outcome outcome;
  report::Document& document = outcome.document;
  document.title = fmt::format("Proxies of {}", Printable(options.import));
  document.blocks.emplace_back(RatiosTable(imported.programs, true));
  outcome.not_in_text = {"ratio_plot"};
  document.blocks.emplace_back(WideRatiosTable(imported.programs, false));
  document.blocks.emplace_back(MisledTable(imported.programs));
  document.blocks.emplace_back(report::Text{"summary", ImportSummary(imported, tolerance)});
  document.blocks.emplace_back(RatioDots(imported.programs, tolerance));
  if (const std::string doubt = table.CutDoubt(); !doubt.empty()) {
    AddCaveats(document, std::array{Caveat{CaveatId::kFileCut, doubt}});
  }
  return outcome;
}

// Standard input can be read only once, so the second program gets the input that was stored for
// the first.
Result<run::ResolvedProgram> Second(ProxyOptions options, const Session& session,
                                    const ReadyProgram& first) {
  const run::Input& input = first.setting.input;
  options.input = input.from == run::Input::From::kFile ? input.file.string() : "/dev/null";
  options.argv0_length.reset();
  TRY(const auto ready, Prepare(options, session));
  return ready.program;
}

struct Programs {
  ReadyProgram vanilla;
  std::optional<run::ResolvedProgram> instrumented;
};

// "-" means a program that has not been built yet.
Result<Programs> PreparePrograms(const ProxyOptions& options, const Session& session) {
  const auto& words = session.operands;
  const bool alone = words.size() == 1 || (words.size() > 1 && words[1] == "-");
  if (words.empty() || (alone && !options.predict)) {
    return Fail(ErrorKind::kUsage,
                "expected two programs: tare proxy VANILLA INSTRUMENTED [-- ARGUMENT...]");
  }
  Session one = session;
  one.program = {words[0]};
  if (words.size() > 2) one.program.insert(one.program.end(), words.begin() + 2, words.end());
  // A program alone is counted once.
  TRY(auto ready, Prepare(options, one, alone ? InputUse::kOneRun : InputUse::kSeveralRuns));
  Programs programs{std::move(ready), std::nullopt};
  if (alone) return programs;
  one.program[0] = words[1];
  TRY(programs.instrumented, Second(options, one, programs.vanilla));
  // Paths of equal length put both stacks at the same address.
  if (!options.argv0_length) {
    programs.vanilla.setting.argv0_length = std::max(programs.vanilla.program.path.string().size(),
                                                     programs.instrumented->path.string().size());
  }
  return programs;
}

std::string ProgramName(const proxy::ProxyRequest& request) {
  return request.vanilla.path.filename().string();
}

Result<proxy::ProxyRequest> MakeRequest(const ProxyOptions& options, const Programs& programs,
                                        const Session& session) {
  proxy::ProxyRequest request;
  request.vanilla = programs.vanilla.program;
  request.setting = programs.vanilla.setting;
  request.engine_seconds = programs.vanilla.engine_seconds;
  if (programs.instrumented) request.instrumented = *programs.instrumented;
  request.region = options.region;
  request.children = options.children;
  request.pin_view = !options.native_view;
  TRY(request.tolerance, Tolerance(options.tolerance));
  TRY(request.confidence, Confidence(options.confidence));
  if (options.runs) {
    TRY(request.pairs, InRange("--runs", options.runs, 0, 2, 10000));
  }
  TRY(request.layouts, InRange("--vary", options.vary, request.layouts, 1, run::kMaxLayouts));
  TRY(request.events, SelectEvents(options.events));
  TRY(auto usual, SelectEvents(kUsualEvents));
  for (pmu::ProgramEvent& event : usual) {
    const bool requested = std::ranges::find(request.events, event.name,
                                             &pmu::ProgramEvent::name) != request.events.end();
    if (event.absence.empty() && !requested) request.events.push_back(std::move(event));
  }
  if (options.budget) request.budget_seconds = options.budget->seconds;
  auto processor = ChooseProcessor(options.machine);
  // A missing processor is an error only if it was requested.
  if (!processor && !options.machine.empty()) return std::unexpected(processor.error());
  if (processor) request.processor = *std::move(processor);
  if (auto verdicts = ReadSelfTest().verdicts) {
    request.failed_test = [stored = *std::move(verdicts)](std::span<const std::string> sources,
                                                          std::string_view event) {
      return pmu::FailedTest(stored, sources, event);
    };
  }
  request.interrupted = session.interrupted;
  return request;
}

// 0 means all.
Result<std::size_t> MaxRows(const ProxyOptions& options, bool all) {
  TRY(const auto rows, InRange("--top", options.top, all ? 0 : 20, 0, INT32_MAX));
  return rows == 0 ? SIZE_MAX : rows;
}

struct Explanation {
  proxy::StaticDifference difference;
  proxy::MixChange mix;
};

// Explains the difference in counts from both files.
Result<Explanation> ExplanationOf(const ProxyOptions& options, const proxy::ProxyRequest& request,
                                  const proxy::CountedRuns& counted, Session& session) {
  TRY(const auto vanilla, mix::ReadFileMix(request.vanilla.path, true, session.progress));
  TRY(const auto other, mix::ReadFileMix(request.instrumented.path, true, session.progress));
  Explanation explanation;
  TRY(explanation.difference,
      proxy::Differ(vanilla, counted.vanilla, other, counted.instrumented, options.interface));
  explanation.mix = proxy::ChangeOfMix(vanilla, counted.vanilla, other);
  return explanation;
}

// If the files cannot be analyzed, the ratios are reported without an explanation.
Result<void> AddDifference(const ProxyOptions& options, const proxy::ProxyRequest& request,
                           const proxy::CountedRuns& counted, Session& session, bool all,
                           report::Document& document) {
  if (counted.engine.empty()) return {};
  TRY(const auto max_rows, MaxRows(options, all));
  const auto explanation = ExplanationOf(options, request, counted, session);
  if (!explanation) {
    const ErrorKind kind = explanation.error().kind;
    if (kind == ErrorKind::kInterrupted || kind == ErrorKind::kUsage) {
      return std::unexpected(explanation.error());
    }
    document.blocks.emplace_back(
        report::Text{"no_functions", fmt::format("Added instructions per function are unknown: {}.",
                                                 explanation.error().message)});
    return {};
  }
  document.blocks.emplace_back(DifferencePartsTable(explanation->difference));
  document.blocks.emplace_back(DifferenceFunctionsTable(explanation->difference, max_rows, all));
  document.blocks.emplace_back(MixChangeTable(explanation->mix));
  return {};
}

Result<void> AddPrediction(const proxy::ProxyRequest& request, const count::Tally& run,
                           const proxy::ProgramRatios& ratios, Session& session,
                           report::Document& document) {
  TRY(const auto vanilla, mix::ReadFileMix(request.vanilla.path, true, session.progress));
  TRY(const auto prediction, proxy::Predict(vanilla, run));
  document.blocks.emplace_back(PredictionTable(prediction, ratios, request.tolerance));
  document.blocks.emplace_back(report::Text{"prediction_summary", PredictionSummary(prediction)});
  TRY(const auto model, proxy::CaptureModel::Fit(proxy::CaptureCases()));
  document.blocks.emplace_back(
      LikelihoodTable(model, prediction, ratios, request.tolerance, request.confidence));
  document.blocks.emplace_back(
      report::Text{"likelihood_summary", LikelihoodSummary(model, request.tolerance)});
  document.blocks.emplace_back(ReliabilityTable(model, request.confidence));
  document.blocks.emplace_back(ReliabilityPlot(model, request.confidence));
  return {};
}

// Predicts from one counted run of the uninstrumented program, without a comparison.
Result<Outcome> PredictAlone(const proxy::ProxyRequest& request, Session& session) {
  count::CountRequest counting;
  counting.program = request.vanilla;
  counting.setting = run::WithDiscardedOutput(request.setting);
  counting.engine_seconds = request.engine_seconds;
  counting.children = request.children;
  counting.pin_view = request.pin_view;
  counting.engines = {engine::Engine::kValgrind};
  counting.runs = 1;
  counting.events = false;
  counting.pass_output = true;
  counting.interrupted = request.interrupted;
  count::Images images;
  TRY(const auto report,
      count::CountProgram(counting, host::FindEngineFiles(), images, session.progress));
  const count::EngineCounts& counts = report.engines.front();
  if (!counts.Usable()) return Fail(ErrorKind::kUnsupported, counts.absence);
  Outcome outcome;
  outcome.sources = {std::string(Name(counts.engine))};
  outcome.document.title = fmt::format("Instrumenting {}", Printable(ProgramName(request)));
  TRY_VOID(AddPrediction(request, counts.tally, {}, session, outcome.document));
  outcome.details = {"reliability"};
  outcome.not_in_text = {"reliability_plot"};
  AddCaveats(outcome.document, AllCaveats(report));
  StateDroppedControl(outcome.document);
  AddSettings(outcome.document, report.setting);
  return outcome;
}

}  // namespace

Result<Outcome> ProxyReportOf(const ProxyOptions& options, Session& session) {
  if (!options.import.empty()) return ReportImported(options, session);
  TRY(const auto programs, PreparePrograms(options, session));
  TRY(const auto request, MakeRequest(options, programs, session));
  if (!programs.instrumented) return PredictAlone(request, session);
  count::Images images;
  TRY(const auto report,
      proxy::MeasureProxy(request, host::FindEngineFiles(), images, session.progress));
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    report::Document& document = outcome.document;
    document.title =
        fmt::format("{} as a proxy of {}", Printable(request.instrumented.path.filename().string()),
                    Printable(ProgramName(request)));
    const std::array ratios = {report.ratios};
    document.blocks.emplace_back(RatiosTable(ratios, all));
    if (all) document.blocks.emplace_back(WideRatiosTable(ratios, true));
    const auto misled = MisledTable(ratios);
    if (all || !misled.rows.empty()) document.blocks.emplace_back(misled);
    TRY_VOID(AddDifference(options, request, report.counted, session, all, document));
    if (options.predict && !report.counted.engine.empty()) {
      TRY_VOID(AddPrediction(request, report.counted.vanilla, report.ratios, session, document));
    }
    document.blocks.emplace_back(report::Text{"summary", ProxySummary(report, request)});
    if (all) {
      document.blocks.emplace_back(RatioDots(ratios, request.tolerance));
      document.blocks.emplace_back(PairsTable(report.ratios));
    }
    outcome.details = {"misled", "parts", "functions", "mix", "reliability"};
    outcome.not_in_text = {"ratio_plot", "samples", "reliability_plot"};
    if (!report.counted.engine.empty()) outcome.sources = {report.counted.engine};
    if (outcome.sources.empty()) outcome.sources = {"hardware"};
    AddCaveats(document, report.caveats);
    StateDroppedControl(document);
    AddSettings(document, report.setting);
    return outcome;
  });
}

}  // namespace tare::cli
