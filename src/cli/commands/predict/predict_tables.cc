// predict_tables.cc: predictions as tables and sentences.
#include "cli/commands/predict/predict_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/derived.h"
#include "base/printable.h"
#include "cli/commands/machine/machine_plots.h"
#include "machine/profile/memory_model.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

Measured ShareOf(double part, const Measured& whole) {
  return WithWorstVerdict(Unbounded(whole.Value() > 0 ? 100 * part / whole.Value() : 0.0), {whole});
}

// Part of a prediction, or another model's time from the same inputs.
Measured SharedVerdict(double seconds, const Measured& like) {
  return WithWorstVerdict(Unbounded(seconds), {like});
}

// Seconds by what bounds them, most first.
std::vector<std::pair<std::string, double>> BoundSeconds(const convolve::Prediction& prediction) {
  std::map<std::string, double> seconds;
  for (const convolve::LoopTime& time : prediction.loops) {
    seconds[LimitText(time, prediction.level_names)] += time.total;
  }
  std::vector<std::pair<std::string, double>> sorted(seconds.begin(), seconds.end());
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& row) { return row.second; });
  return sorted;
}

std::string LoopName(const convolve::LoopWork& loop) {
  const std::string function = loop.function.empty() ? "(unknown)" : loop.function;
  if (loop.file.empty() || loop.line == 0) {
    return loop.is_loop ? fmt::format("{} loop", function) : function;
  }
  const std::size_t slash = loop.file.rfind('/');
  const std::string file = slash == std::string::npos ? loop.file : loop.file.substr(slash + 1);
  return fmt::format("{} {}{}:{}", function, loop.is_loop ? "loop " : "", file, loop.line);
}

std::string SignedProgram(const signature::Signature& signature) {
  if (signature.command.empty()) return "The program";
  const std::string& path = signature.command.front();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string AnswerText(const signature::Signature& signature, const convolve::SignatureWork& work,
                       std::span<const MachinePrediction> machines) {
  const convolve::Prediction& first = machines.front().prediction;
  std::string text = fmt::format(
      "{} is predicted to take {} on {} ({} to {})", Printable(SignedProgram(signature)),
      report::ShowSeconds(first.time.Value()), Printable(first.machine),
      report::ShowSeconds(first.time.Low()), report::ShowSeconds(first.time.High()));
  const auto bounds = BoundSeconds(first);
  if (!bounds.empty() && work.instructions > 0) {
    text += fmt::format("; {:.0f} % of that is bound by {}",
                        100 * bounds.front().second / first.time.Value(), bounds.front().first);
  }
  text += ".";
  for (std::size_t i = 1; i < machines.size(); ++i) {
    const convolve::Prediction& other = machines[i].prediction;
    const double ratio = first.time.Value() / other.time.Value();
    const bool apart = other.time.High() < first.time.Low() || other.time.Low() > first.time.High();
    text += fmt::format(" {} takes {}, {} times as fast{}.", Printable(other.machine),
                        report::ShowSeconds(other.time.Value()), report::ShowRounded(ratio, 3),
                        apart ? "" : "; the intervals overlap");
  }
  return text;
}

report::Table PredictionTable(std::span<const MachinePrediction> machines, bool all_models) {
  report::Table table{
      "prediction",
      all_models ? "Predicted time" : "Predicted time; -v also shows the models sum and pmac",
      {{"machine", "", false, false, true}, {"model"}, {"time", "s"}, {"speed"}, {"origin"}},
      {}};
  const convolve::Prediction& first = machines.front().prediction;
  for (const MachinePrediction& machine : machines) {
    const convolve::Prediction& prediction = machine.prediction;
    const std::string origin(Name(prediction.origin));
    const auto add = [&](const char* model, const Measured& time, double reference) {
      report::Cell speed;
      if (reference > 0) {
        speed = WithWorstVerdict(Unbounded(reference / time.Value()), {first.time, time});
      }
      table.rows.push_back({prediction.machine, std::string(model), time, speed, origin});
    };
    add("overlap", prediction.time, first.time.Value());
    if (!all_models) continue;
    add("sum", SharedVerdict(prediction.sum, prediction.time), first.sum);
    if (!machine.pmac) continue;
    const auto& reference = machines.front().pmac;
    const Measured all = SharedVerdict(machine.pmac->seconds, prediction.time);
    add("pmac", Doubtful(all, "counts memory references only, and averages rates, not times"),
        reference ? reference->seconds : 0);
    const Measured harmonic = SharedVerdict(machine.pmac->harmonic_seconds, prediction.time);
    add("pmac, harmonic", Doubtful(harmonic, "counts memory references only"),
        reference ? reference->harmonic_seconds : 0);
  }
  return table;
}

report::Bars PredictionDots(std::span<const MachinePrediction> machines) {
  report::Bars dots{"prediction_plot", "Predicted time on each machine", "s", {"predicted"}, {}};
  dots.dots = true;
  for (const MachinePrediction& machine : machines) {
    dots.bars.push_back({Printable(machine.prediction.machine), {machine.prediction.time}});
  }
  return dots;
}

report::Table BudgetTable(std::span<const MachinePrediction> machines) {
  report::Table table{
      "budget",
      "Error budget: half the width of the interval that each part alone causes",
      {{"machine", "", false, false, true}, {"part"}, {"width", "s"}, {"share", "%"}},
      {}};
  for (const MachinePrediction& machine : machines) {
    const Measured& time = machine.prediction.time;
    for (const convolve::BudgetRow& row : machine.prediction.budget) {
      table.rows.push_back({machine.prediction.machine, row.what, SharedVerdict(row.seconds, time),
                            ShareOf(row.seconds, time)});
    }
  }
  return table;
}

report::Table BoundTable(const MachinePrediction& machine) {
  report::Table table{"bounds",
                      fmt::format("What bounds the time on {}", machine.prediction.machine),
                      {{"bound_by"}, {"time", "s"}, {"share", "%"}},
                      {}};
  for (const auto& [bound, seconds] : BoundSeconds(machine.prediction)) {
    const Measured& time = machine.prediction.time;
    table.rows.push_back({bound, SharedVerdict(seconds, time), ShareOf(seconds, time)});
  }
  return table;
}

report::Table LoopTable(const convolve::SignatureWork& work, const MachinePrediction& machine,
                        std::size_t top, bool parts) {
  report::Table table{"loops",
                      fmt::format("Loops by time on {}", machine.prediction.machine),
                      {report::SymbolColumn("loop"), {"share", "%"}, {"time", "s"}, {"bound_by"}},
                      {}};
  if (parts) {
    for (const char* part : {"arithmetic", "dependences", "lines", "latency", "tlb", "branches"}) {
      table.columns.push_back({part, "s"});
    }
  }
  const auto& times = machine.prediction.loops;
  std::vector<std::size_t> order(times.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return times[i].total; });
  if (top > 0 && order.size() > top) order.resize(top);
  for (const std::size_t i : order) {
    const convolve::LoopTime& time = times[i];
    const Measured& whole = machine.prediction.time;
    table.rows.push_back({LoopName(work.loops[i]), ShareOf(time.total, whole),
                          SharedVerdict(time.total, whole),
                          LimitText(time, machine.prediction.level_names)});
    if (!parts) continue;
    for (const double seconds : {time.throughput, time.chain, time.lines, time.latency, time.walks,
                                 time.mispredictions + time.waits}) {
      table.rows.back().emplace_back(SharedVerdict(seconds, whole));
    }
  }
  return table;
}

report::Series BlockPlot(const MachinePrediction& machine) {
  using machine_profile::Access;
  using machine_profile::Pattern;
  report::Series series{"blocks_on_curves",
                        fmt::format("Blocks on the curves of {}", machine.prediction.machine),
                        {"working_set", "B"},
                        true,
                        {},
                        true,
                        CacheMarks(machine.profile)};
  const auto with_curves = machine_profile::WithCurves(machine.profile);
  for (const Pattern pattern : {Pattern::kStrided, Pattern::kRandom}) {
    const auto* curve = with_curves.FindCurve({Access::kLoad, pattern, 1, 8});
    if (curve == nullptr) continue;
    report::Line line{CurveName(curve->key), "/s", {}, {}, {}, {}};
    for (const machine_profile::CurvePoint& point : curve->points) {
      line.x.push_back(static_cast<double>(point.bytes));
      line.y.push_back(point.rate.Value());
    }
    series.lines.push_back(std::move(line));
  }
  if (!machine.pmac) return series;
  constexpr double kMinShare = 0.01;
  for (const bool random : {false, true}) {
    std::vector<std::pair<double, double>> points;
    for (const convolve::PlacedBlock& block : machine.pmac->blocks) {
      if ((block.random > 0.5) != random || block.share < kMinShare) continue;
      if (block.working_set > 0) points.emplace_back(block.working_set, block.rate);
    }
    if (points.empty()) continue;
    std::ranges::sort(points);
    report::Line line{random ? "random blocks" : "regular blocks", "/s", {}, {}, {}, {}};
    line.points = true;
    line.verdict = machine.prediction.time.verdict;
    line.reason = machine.prediction.time.reason;
    for (const auto& [x, y] : points) {
      line.x.push_back(x);
      line.y.push_back(y);
    }
    series.lines.push_back(std::move(line));
  }
  return series;
}

report::Table PlacedBlockTable(const signature::Signature& signature,
                               const MachinePrediction& machine, std::size_t top) {
  report::Table table{"placed_blocks",
                      fmt::format("Blocks on the curves of {}", machine.prediction.machine),
                      {{"block"},
                       report::SymbolColumn("function"),
                       {"share", "%"},
                       {"random", "%"},
                       {"working_set", "B"},
                       {"rate", "/s"}},
                      {}};
  if (!machine.pmac) return table;
  const auto shared = [&](double value) { return SharedVerdict(value, machine.prediction.time); };
  for (const convolve::PlacedBlock& placed : machine.pmac->blocks) {
    if (top > 0 && table.rows.size() == top) break;
    const signature::Block& block = signature.parts[placed.part].blocks[placed.block];
    table.rows.push_back({Printable(signature::NameOf(signature, block)),
                          Printable(block.function.empty() ? "[unknown]" : block.function),
                          shared(100 * placed.share), shared(100 * placed.random),
                          placed.working_set > 0 ? shared(placed.working_set)
                                                 : Absent("no point of the curve is near"),
                          shared(placed.rate)});
  }
  return table;
}

std::string PmacText(std::span<const MachinePrediction> machines) {
  std::string text;
  for (const MachinePrediction& machine : machines) {
    const std::string name = Printable(machine.prediction.machine);
    if (!machine.pmac) {
      text +=
          fmt::format("Model pmac does not apply to {}: {}.\n", name, machine.pmac.error().message);
      continue;
    }
    const auto& pmac = *machine.pmac;
    if (!(pmac.harmonic > 0)) continue;
    text += fmt::format(
        "Equation 1 gives {} {} memory references per nanosecond. Rates must be averaged "
        "harmonically, because times add up: that gives {}, and the arithmetic mean is {:.0f} % "
        "too fast.\n",
        name, report::ShowRounded(1e-9 * pmac.metasim, 3),
        report::ShowRounded(1e-9 * pmac.harmonic, 3), 100 * (pmac.metasim / pmac.harmonic - 1));
    const auto& first = machines.front().pmac;
    if (&machine == &machines.front() || !first) continue;
    text += fmt::format("The processor ratio of {} to {} is {} ({} harmonically).\n", name,
                        Printable(machines.front().prediction.machine),
                        report::ShowRounded(pmac.metasim / first->metasim, 3),
                        report::ShowRounded(pmac.harmonic / first->harmonic, 3));
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void AddInputs(const signature::Signature& signature, std::span<const MachinePrediction> machines,
               report::Document& document) {
  auto& settings = document.provenance.settings;
  settings["signature_command"] = fmt::format("{}", fmt::join(signature.command, " "));
  settings["signature_time"] = signature.time;
  settings["signature_machine"] = signature.machine;
  for (const signature::Object& object : signature.objects) {
    if (!object.build_id.empty()) settings["build_id " + object.path] = object.build_id;
  }
  for (const MachinePrediction& machine : machines) {
    const machine_profile::Profile& profile = machine.profile;
    settings["profile " + profile.name] =
        fmt::format("{}, {}{}{}", Name(profile.origin), profile.source,
                    profile.time.empty() ? "" : ", ", profile.time);
  }
}

}  // namespace tare::cli
