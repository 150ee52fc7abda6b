// proxy_prediction.cc: multiplies calls, counted or from debug information, by the cost of hooks.
#include "analysis/proxy/proxy_prediction.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/proxy/executed_code.h"
#include "base/check.h"
#include "binary/code/clone_name.h"

namespace tare::proxy {
namespace {

// Bounds and estimate of a number of occurrences.
struct Times {
  std::uint64_t low = 0;
  std::uint64_t usual = 0;
  std::uint64_t high = 0;

  Times& operator+=(const Times& other) {
    low += other.low;
    usual += other.usual;
    high += other.high;
    return *this;
  }
};

Times Exactly(std::uint64_t times) { return {times, times, times}; }

const CostRange& CostFor(const HookCost& cost, Predicted metric) {
  switch (metric) {
    case Predicted::kInstructions:
      return cost.instructions;
    case Predicted::kLoads:
      return cost.loads;
    case Predicted::kStores:
      return cost.stores;
    case Predicted::kConditionalBranches:
      return cost.branches;
  }
  CHECK(false);
}

count::Metric CountedAs(Predicted metric) {
  switch (metric) {
    case Predicted::kInstructions:
      return count::Metric::kInstructions;
    case Predicted::kLoads:
      return count::Metric::kLoads;
    case Predicted::kStores:
      return count::Metric::kStores;
    case Predicted::kConditionalBranches:
      return count::Metric::kConditionalBranches;
  }
  CHECK(false);
}

// A part that gcc split off a function whose beginning it inlined; the call is counted there.
bool IsPart(std::string_view name) {
  return code::IsSplitPart(name) || name.find(".part.") != std::string_view::npos;
}

class Predicter {
 public:
  Predicter(const mix::FileMix& file, const count::Tally& run)
      : file_(file), run_(run), executed_(*file.image, file.path.string(), run) {
    result_.compiler = CompilerOf(*file.image);
    result_.lower_bound = !file.sources.has_value();
  }

  bool RanNothing() const { return executed_.empty(); }

  Prediction Run() {
    AddFunctions();
    if (file_.sources) AddInlined();
    for (std::size_t i = 0; i < kPredicted; ++i) AddMetric(static_cast<Predicted>(i));
    for (auto& [name, function] : functions_) {
      function.function = name;
      result_.functions.push_back(std::move(function));
    }
    std::ranges::sort(result_.functions, {}, [](const PredictedFunction& one) {
      return std::tuple(-one.instructions, std::string_view(one.function));
    });
    return std::move(result_);
  }

 private:
  const HookCost& Cost(CallKind kind) const {
    return CostOf(file_.image->architecture(), result_.compiler, kind);
  }

  void AddFunctions() {
    const auto& functions = file_.image->functions();
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
      if (file_.code->IsStub(i) || !IsInstrumented(functions[i])) continue;
      const std::uint64_t entered = executed_.At(functions[i].start);
      const std::uint64_t jumps = TailCallsOf(i);
      if (entered == 0 && jumps == 0) continue;
      PredictedFunction& function = Named(functions[i].name);
      function.entered += entered;
      function.tail_calls += jumps;
      result_.entered += entered;
      result_.tail_calls += jumps;
      const bool framed = file_.code->functions()[i].has_frame;
      AddCalls(function, framed ? CallKind::kFramed : CallKind::kPlain, Exactly(entered));
      AddCalls(function, CallKind::kTailCall, Exactly(jumps));
    }
  }

  // The compiler instruments only what it compiles: start files and the like have no debug
  // information.
  bool IsInstrumented(const elf::Function& function) const {
    if (IsPart(function.name)) return false;
    return !file_.sources || file_.sources->FunctionStartingAt(function.start).has_value();
  }

  std::uint64_t TailCallsOf(std::uint32_t function) const {
    std::uint64_t times = 0;
    for (const auto& site : file_.code->CallsOf(function))
      if (site.kind == code::SiteKind::kTailCall && !site.conditional)
        times += executed_.At(site.address);
    return times;
  }

  void AddInlined() {
    for (const auto& call : file_.sources->inlined()) {
      const Times times = TimesOf(call);
      if (times.high == 0) continue;
      const bool named = call.function < file_.sources->functions().size();
      PredictedFunction& function =
          Named(named ? file_.sources->functions()[call.function].name : "");
      function.inlined += times.usual;
      result_.inlined += times.usual;
      AddCalls(function, CallKind::kInlined, times);
    }
  }

  // The optimizer can split an inlined body into many ranges, some of which run only on some paths,
  // or more often, in loops.
  Times TimesOf(const dwarf::InlinedCall& call) const {
    const auto ranges = file_.sources->RangesOf(call);
    Times times = Exactly(executed_.At(ranges.front().start));
    for (const auto& range : ranges) {
      const std::uint64_t here = executed_.At(range.start);
      times.low = std::min(times.low, here);
      times.high = std::max(times.high, here);
    }
    return times;
  }

  PredictedFunction& Named(const std::string& name) {
    return functions_[mix::ShownName(std::string(code::BaseName(name)))];
  }

  void AddCalls(PredictedFunction& function, CallKind kind, const Times& times) {
    calls_[static_cast<std::size_t>(kind)] += times;
    function.instructions += Cost(kind).instructions.usual * static_cast<double>(times.usual);
  }

  void AddMetric(Predicted metric) {
    PredictedMetric predicted;
    predicted.metric = metric;
    predicted.vanilla = run_.total[CountedAs(metric)];
    CostRange added;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const CostRange& cost = CostFor(Cost(static_cast<CallKind>(i)), metric);
      added.low += cost.low * static_cast<double>(calls_[i].low);
      added.usual += cost.usual * static_cast<double>(calls_[i].usual);
      added.high += cost.high * static_cast<double>(calls_[i].high);
    }
    const auto base = static_cast<double>(predicted.vanilla);
    if (base > 0) {
      predicted.ratio =
          RatioWithin(1 + added.usual / base, 1 + added.low / base, 1 + added.high / base);
    }
    result_.metrics.push_back(predicted);
  }

  const mix::FileMix& file_;
  const count::Tally& run_;
  ExecutedCode executed_;
  std::array<Times, kCallKinds> calls_ = {};
  std::map<std::string, PredictedFunction> functions_;
  Prediction result_;
};

}  // namespace

std::string_view Name(Predicted metric) {
  switch (metric) {
    case Predicted::kInstructions:
      return "instructions";
    case Predicted::kLoads:
      return "loads";
    case Predicted::kStores:
      return "stores";
    case Predicted::kConditionalBranches:
      return "conditional-branches";
  }
  CHECK(false);
}

Result<Prediction> Predict(const mix::FileMix& vanilla, const count::Tally& run) {
  Predicter predicter(vanilla, run);
  if (predicter.RanNothing()) {
    return Fail(
        ErrorKind::kUnsupported,
        "no block of the program was counted; a prediction needs an engine that sees all of "
        "them, such as valgrind");
  }
  return predicter.Run();
}

std::vector<Score> ScoreOf(const Prediction& prediction,
                           const std::array<std::optional<double>, kPredicted>& measured,
                           double tolerance) {
  std::vector<Score> scores;
  for (const auto& one : prediction.metrics) {
    const auto& found = measured[static_cast<std::size_t>(one.metric)];
    if (!found || one.vanilla == 0) continue;
    Score score;
    score.metric = one.metric;
    score.predicted = one.ratio;
    score.measured = *found;
    score.error = one.ratio.Value() - *found;
    score.inside = one.ratio.Contains(*found);
    score.predicted_verdict = VerdictOf(Unbounded(one.ratio.Value()), tolerance);
    score.measured_verdict = VerdictOf(Unbounded(*found), tolerance);
    scores.push_back(score);
  }
  return scores;
}

}  // namespace tare::proxy
