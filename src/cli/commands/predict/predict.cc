// predict.cc: `tare predict`: the time of a signed program on other machines.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/predict/predict_tables.h"
#include "cli/commands/predict/predict_validate.h"
#include "cli/machine_profiles.h"
#include "cli/whatif_tables.h"
#include "machine/profile/whatif.h"
#include "predict/signature/signature_file.h"

namespace tare::cli {
namespace {

struct PredictOptions : ValidateOptions {
  std::vector<std::string> machines;
  std::vector<std::string> whatif;
  bool plot = false;
  bool validate = false;
};

const std::vector<Flag<PredictOptions>> kPredictFlags = WithProgramFlags<PredictOptions>({
    {{"--machine", "M...", "further machines, as MACHINE"}, &PredictOptions::machines},
    {{"--whatif", "CHANGES...",
      "also predict for the first machine with these changes, separated by commas: "
      "L3.bytes=64MiB,memory.bandwidth=x2; one of them may be a range: L2.bytes=256KiB..4MiB"},
     &PredictOptions::whatif},
    {{"--top", "N", "loops to show, or 0 for all (default: 10)"}, &PredictOptions::top},
    {{"-v,--verbose", "", "also show the parts of the time of each loop, and blocks on the curves"},
     &PredictOptions::verbose},
    {{"--plot", "", "also plot the blocks on the curves of the first machine"},
     &PredictOptions::plot},
    {{"--validate", "", "sign PROGRAM, predict it for this machine, measure it, and compare"},
     &PredictOptions::validate},
    {{"--profile", "NAME", "profile for --validate (default: the newest of this machine)"},
     &PredictOptions::profile},
    {{"--runs", "N", "native runs of --validate (default: 10)"}, &PredictOptions::runs},
});

constexpr std::array kPredictExamples = {
    Example{"tare predict spmv.sig", "the time on this machine"},
    Example{"tare predict spmv.sig skylake-server neoverse-n1", "two machines, and their ratio"},
    Example{"tare predict spmv.sig --whatif L3.bytes=64MiB,memory.bandwidth=x2",
            "this machine with a larger cache and faster memory"},
    Example{"tare predict spmv.sig --whatif L2.bytes=256KiB..4MiB",
            "the time as a function of the size of the second cache"},
    Example{"tare predict --validate -- ./spmv 1000", "predict for this machine, and measure"},
};

constexpr std::int64_t kTopLoops = 10;

Result<MachinePrediction> PredictFor(const signature::Signature& signature,
                                     const convolve::SignatureWork& work, const std::string& word) {
  TRY(auto profile, ProfileOf(word));
  TRY(auto rates, convolve::RatesOf(profile));
  auto prediction = convolve::Predict(work, rates);
  auto pmac = convolve::Pmac(signature, profile);
  return MachinePrediction{std::move(profile), std::move(rates), std::move(prediction),
                           std::move(pmac)};
}

Result<void> AddWhatIf(const PredictOptions& options, const convolve::SignatureWork& work,
                       const MachinePrediction& machine, bool whole, report::Document& document) {
  const auto plain = machine_profile::WithoutCurves(machine.profile);
  std::vector<WhatIfTime> all;
  std::vector<report::Series> plots;
  for (const std::string& text : options.whatif) {
    TRY(const auto series, machine_profile::ParseWhatIf(text));
    std::vector<WhatIfTime> times;
    for (const machine_profile::WhatIf& whatif : series.machines) {
      TRY(const auto rates, convolve::ChangedRates(plain, machine.rates, whatif.changes,
                                                   machine.profile.name + "-projected"));
      times.push_back({whatif.text, whatif.x, convolve::PredictSeconds(work, rates)});
    }
    if (!series.ranged.empty() && (whole || Differ(times))) {
      plots.push_back(WhatIfPlot(fmt::format("whatif_{}", plots.size() + 1), series.ranged,
                                 series.unit, times));
    }
    all.insert(all.end(), times.begin(), times.end());
  }
  if (all.empty()) return {};
  auto& answer = std::get<report::Text>(document.blocks.front()).text;
  answer = WhatIfAnswer(machine.prediction.time.Value(), all) + "\n\n" + answer;
  document.blocks.emplace_back(WhatIfTable(machine.prediction.time.Value(), all));
  for (report::Series& plot : plots) document.blocks.emplace_back(std::move(plot));
  AddCaveats(document, std::array{Caveat{CaveatId::kProjected, "changed machines"}});
  return {};
}

// With `all`, every block and row, whatever text shows.
Result<report::Document> PredictionDocument(const PredictOptions& options, const Session& session,
                                            const signature::Signature& signature,
                                            std::span<const MachinePrediction> machines, bool all) {
  const auto work = convolve::WorkOf(signature);
  report::Document document;
  document.title = fmt::format("Prediction from {}", Printable(session.operands.front()));
  document.blocks.emplace_back(report::Text{"answer", AnswerText(signature, work, machines)});
  document.blocks.emplace_back(PredictionTable(machines, options.verbose || all));
  TRY_VOID(AddWhatIf(options, work, machines.front(), all, document));
  const auto top = static_cast<std::size_t>(options.top.value_or(kTopLoops));
  document.blocks.emplace_back(
      LoopTable(work, machines.front(), all && !options.top ? 0 : top, all || options.verbose));
  document.blocks.emplace_back(BoundTable(machines.front()));
  document.blocks.emplace_back(BudgetTable(machines));
  if (options.verbose || all) {
    document.blocks.emplace_back(PlacedBlockTable(signature, machines.front(), all ? 0 : top));
  }
  if (options.plot || all) document.blocks.emplace_back(BlockPlot(machines.front()));
  if (all && machines.size() > 1) document.blocks.emplace_back(PredictionDots(machines));
  document.blocks.emplace_back(report::Text{"pmac", PmacText(machines)});
  for (const MachinePrediction& machine : machines) {
    AddCaveats(document, machine.prediction.caveats);
  }
  AddInputs(signature, machines, document);
  return document;
}

// Says so if the file is missing and a machine has that name.
Result<signature::Signature> SignatureOf(const std::string& file) {
  auto signature = signature::ReadSignature(file);
  std::error_code error;
  if (signature || std::filesystem::exists(file, error) || error) return signature;
  if (!ProfileOf(file)) return signature;
  return Fail(ErrorKind::kUsage,
              fmt::format("{} is a machine; the signature comes first: tare predict SIGNATURE {}",
                          Printable(file), Printable(file)));
}

Result<Outcome> RunPredict(const PredictOptions& options, Session& session) {
  if (options.validate) return RunValidate(options, session);
  if (!session.program.empty()) {
    return Fail(ErrorKind::kUsage,
                "a program is only run with --validate; sign it first: tare sign -o FILE -- "
                "PROGRAM, then tare predict FILE");
  }
  if (session.operands.empty()) {
    return Fail(ErrorKind::kUsage,
                "no signature; give a file of tare sign, or use --validate -- PROGRAM");
  }
  TRY(const auto signature, SignatureOf(session.operands.front()));
  const auto work = convolve::WorkOf(signature);
  std::vector<std::string> words(session.operands.begin() + 1, session.operands.end());
  words.insert(words.end(), options.machines.begin(), options.machines.end());
  if (words.empty()) words.emplace_back();
  std::vector<MachinePrediction> machines;
  for (const std::string& word : words) {
    TRY(auto machine, PredictFor(signature, work, word));
    machines.push_back(std::move(machine));
  }
  const auto make = [&](bool all) {
    return PredictionDocument(options, session, signature, machines, all);
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = {"pmac"};
  if (!options.whatif.empty()) outcome.details = {"loops", "bounds", "budget", "pmac"};
  outcome.keep_blocks = options.plot;
  return outcome;
}

}  // namespace

Command PredictCommand() {
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"SIGNATURE [MACHINE...]", "--validate -- PROGRAM [ARGUMENT...]"});
  return MakeCommand<PredictOptions>(
      {"predict",
       "predict a program's time on other machines",
       "Combines a signature, which tare sign collects in one run of a program, with machine "
       "profiles: each loop takes the time of its busiest resource, plus what the machine cannot "
       "hide behind it. Nothing is fitted to the program. The interval joins what the rates, the "
       "hit rates and the choice of a model can change.\n\n"
       "SIGNATURE is a file of tare sign. MACHINE is a name that tare machine list shows, or a "
       "file (default: this machine). --save FILE stores the prediction with its inputs.\n\n"
       "With --validate, PROGRAM runs natively and once under the engine; the exit status is that "
       "of the program.",
       kPredictExamples,
       true,
       {"[SIGNATURE [MACHINE...]]", 0, 64},
       true,
       kForms},
      kPredictFlags, RunPredict);
}

}  // namespace tare::cli
