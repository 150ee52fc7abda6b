// metrics.cc: turns the plan into counters in the module.
#include "metrics.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "calls.h"
#include "event_counters.h"
#include "match.h"
#include "metric_candidates.h"
#include "module_view.h"
#include "place_events.h"
#include "selection.h"
#include "unit.h"
#include "updates.h"

namespace tare::clang_engine {
namespace {

using format::Candidate;
using format::InstrumentPlan;
using format::MetricEvent;
using format::PlannedMetric;

std::string SourcePath(const llvm::Module& module) {
  for (const llvm::DICompileUnit* unit : module.debug_compile_units()) {
    return PathOf(unit->getFile());
  }
  return module.getSourceFileName();
}

bool NeedsUpdates(const InstrumentPlan& plan) {
  return plan.names || !plan.list.empty() ||
         llvm::any_of(plan.metrics, [](const PlannedMetric& metric) {
           return metric.event == MetricEvent::kUpdate;
         });
}

std::vector<Update> AllUpdates(const ModuleView& view) {
  std::vector<Update> all;
  for (llvm::Function& function : view.Module()) {
    if (!CanCount(function)) continue;
    for (Update& update : UpdatesOf(function, view.Members())) all.push_back(std::move(update));
  }
  return all;
}

std::vector<Candidate> CandidatesFor(const ModuleView& view, const std::vector<Update>& updates,
                                     MetricEvent event) {
  switch (event) {
    case MetricEvent::kCall:
      return FunctionCandidates(view);
    case MetricEvent::kVirtual:
      return VirtualCandidates(view);
    case MetricEvent::kUpdate:
      return UpdateCandidates(view, updates);
    default:
      return PlaceCandidates(view);
  }
}

std::vector<Candidate> NamedCandidates(const ModuleView& view, const std::vector<Update>& updates) {
  std::vector<Candidate> all;
  for (const MetricEvent event :
       {MetricEvent::kCall, MetricEvent::kVirtual, MetricEvent::kUpdate}) {
    for (Candidate& candidate : CandidatesFor(view, updates, event))
      all.push_back(std::move(candidate));
  }
  return all;
}

// Whether the metric names one file without wildcards, and it is this one.
bool IsMeantHere(const PlannedMetric& metric, const llvm::Module& module) {
  return !metric.file.empty() &&
         llvm::StringRef(metric.file).find_first_of("*?[") == llvm::StringRef::npos &&
         MatchesPath(metric.file, SourcePath(module));
}

void FailUnknown(const ModuleView& view, const std::vector<Update>& updates,
                 const PlannedMetric& metric) {
  if (metric.event == MetricEvent::kUpdate && NamesLocal(view, metric)) {
    FailMetric(view.Module(), metric.name,
               metric.what +
                   " is an automatic variable; only static variables and members can be counted");
    return;
  }
  if (!IsMeantHere(metric, view.Module())) return;
  std::vector<std::string> names;
  for (const Candidate& candidate : CandidatesFor(view, updates, metric.event))
    names.push_back(candidate.name);
  FailMetric(view.Module(), metric.name,
             "nothing in " + metric.file + " is " + metric.what +
                 (metric.match == format::NameMatch::kExact ? DidYouMean(metric.what, names) : ""));
}

// Collecting events splits edges, so what depends on the original control flow comes first.
Events EventsOf(const ModuleView& view, const InstrumentPlan& plan,
                const std::vector<Update>& updates) {
  Events events;
  const FlowOfSource flow(view, plan);
  const auto each = [&](MetricEvent event, const auto& add) {
    for (std::size_t i = 0; i < plan.metrics.size(); ++i) {
      if (plan.metrics[i].event != event) continue;
      const std::size_t before = events.events.size();
      add(plan.metrics[i], i);
      if (events.events.size() == before) FailUnknown(view, updates, plan.metrics[i]);
    }
  };
  each(MetricEvent::kBlock, [&](const PlannedMetric& metric, std::size_t i) {
    AddBlocks(view, flow, metric, i, events);
  });
  each(MetricEvent::kLoop, [&](const PlannedMetric& metric, std::size_t i) {
    AddLoops(view, flow, metric, i, events);
  });
  each(MetricEvent::kLine,
       [&](const PlannedMetric& metric, std::size_t i) { AddLines(view, metric, i, events); });
  each(MetricEvent::kCall,
       [&](const PlannedMetric& metric, std::size_t i) { AddCalls(view, metric, i, events); });
  each(MetricEvent::kVirtual, [&](const PlannedMetric& metric, std::size_t i) {
    AddVirtualCalls(view, metric, i, events);
  });
  each(MetricEvent::kUpdate, [&](const PlannedMetric& metric, std::size_t i) {
    AddUpdates(view, updates, metric, i, events);
  });
  return events;
}

void WriteList(const ModuleView& view, const std::vector<Update>& updates,
               const std::string& path) {
  std::vector<Candidate> candidates = NamedCandidates(view, updates);
  for (Candidate& candidate : PlaceCandidates(view)) candidates.push_back(std::move(candidate));
  if (AppendNames(path, candidates)) return;
  view.Module().getContext().emitError("cannot write to " + path);
}

}  // namespace

llvm::PreservedAnalyses CountMetrics::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  ModuleView view(module);
  if (plan_->list.empty()) DropInlineBodies(view, *plan_);
  const std::vector<Update> updates =
      NeedsUpdates(*plan_) ? AllUpdates(view) : std::vector<Update>();
  if (!plan_->list.empty()) {
    WriteList(view, updates, plan_->list);
    return llvm::PreservedAnalyses::all();
  }
  const std::vector<Candidate> names =
      plan_->names ? NamedCandidates(view, updates) : std::vector<Candidate>();
  const auto selected = plan_->functions ? SelectedFunctions(view, *plan_->functions)
                                         : std::vector<const KnownFunction*>();
  const Events events = EventsOf(view, *plan_, updates);
  Unit unit(module, "metrics", plan_->atomic);
  EventCounters counters(*plan_, unit);
  counters.Add(events);
  for (const KnownFunction* known : selected) {
    counters.AddSelected(*known->function, known->names.shown + known->names.parameters);
  }
  unit.Emit();
  EmbedNames(module, names);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses DropDebugInformation::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager&) {
  if (what_ == format::StripDebug::kAll) llvm::StripDebugInfo(module);
  if (what_ == format::StripDebug::kToLines) llvm::stripNonLineTableDebugInfo(module);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses FailCompilation::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  module.getContext().emitError(std::string(format::kPlanVariable) +
                                " is not a plan of this version of tare; compile with its tare-cc");
  return llvm::PreservedAnalyses::all();
}

}  // namespace tare::clang_engine
