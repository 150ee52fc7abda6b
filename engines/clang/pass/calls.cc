// calls.cc: finds where functions are entered, called and left.
#include "calls.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "unit.h"
#include "values.h"
#include "virtuals.h"

namespace tare::clang_engine {
namespace {

using format::PlannedMetric;
using format::ValueOf;

bool WantsResult(const PlannedMetric& metric) {
  return metric.value && metric.value->argument == ValueOf::kReturn;
}

void AddResults(const ModuleView& view, const KnownFunction& known, const PlannedMetric& metric,
                std::size_t index, Events& events) {
  if (const std::string problem = ResultProblem(*known.function); !problem.empty()) {
    FailMetric(view.Module(), metric.name, known.names.shown + ": " + problem);
    return;
  }
  for (llvm::BasicBlock& block : *known.function) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (end == nullptr) continue;
    if (block.getTerminatingMustTailCall() != nullptr) {
      WarnMetric(view.Module(), metric.name,
                 known.names.shown + ": results of tail calls (musttail) are not counted");
      continue;
    }
    events.events.push_back(
        {index, known.function, end, "", false, nullptr, end->getReturnValue()});
  }
}

void AddEntry(const ModuleView& view, const KnownFunction& known, const PlannedMetric& metric,
              std::size_t index, Events& events) {
  const llvm::Function& function = *known.function;
  if (!function.hasLocalLinkage() && !function.hasAvailableExternallyLinkage()) {
    events.entries.push_back({index, known.names.linkage, function.hasHiddenVisibility()});
  }
  for (const llvm::GlobalAlias& alias : view.Module().aliases()) {
    if (alias.getAliaseeObject() == known.function && !alias.hasLocalLinkage()) {
      events.entries.push_back({index, alias.getName().str(), alias.hasHiddenVisibility()});
    }
  }
  if (view.IsDelegating(known)) return;
  Event event{index, known.function, nullptr, "", true, nullptr, nullptr};
  if (metric.value && !WantsResult(metric)) {
    const ReadValue read = ArgumentOf(*known.function, metric.value->argument);
    if (read.value == nullptr) {
      FailMetric(view.Module(), metric.name, known.names.shown + ": " + read.problem);
    }
    event.value = read.value;
  }
  events.events.push_back(event);
  if (WantsResult(metric)) AddResults(view, known, metric, index, events);
}

// Returns where the result is available; null when there is no such place.
llvm::Instruction* PlaceBehind(llvm::CallBase& call) {
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
    llvm::BasicBlock* normal = invoke->getNormalDest();
    if (normal->getSinglePredecessor() == nullptr) {
      normal = llvm::SplitEdge(invoke->getParent(), normal);
    }
    return &*normal->getFirstInsertionPt();
  }
  return call.isTerminator() || call.isMustTailCall() ? nullptr : call.getNextNode();
}

void AddResultOfCall(const ModuleView& view, const KnownFunction& callee, llvm::CallBase& call,
                     const PlannedMetric& metric, std::size_t index, Events& events) {
  llvm::Value* result = &call;
  // The C function returns its first argument; the intrinsic returns nothing.
  if (callee.function->isIntrinsic()) {
    result = call.getArgOperand(0);
  } else if (const std::string problem = ResultProblem(*callee.function); !problem.empty()) {
    FailMetric(view.Module(), metric.name, callee.names.shown + ": " + problem);
    return;
  }
  llvm::Instruction* behind = PlaceBehind(call);
  if (behind == nullptr) {
    WarnMetric(view.Module(), metric.name,
               callee.names.shown + ": results of tail calls (musttail) are not counted");
    return;
  }
  events.events.push_back(
      {index, call.getFunction(), behind, callee.names.linkage, false, nullptr, result});
}

std::string PathOfCall(const llvm::CallBase& call) {
  if (const llvm::DILocation* place = call.getDebugLoc()) return PathOf(place->getFile());
  return PathOf(*call.getFunction());
}

void AddCallSites(const ModuleView& view, const KnownFunction& callee, const PlannedMetric& metric,
                  std::size_t index, Events& events) {
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : callee.function->users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (call == nullptr || call->getCalledOperand() != callee.function) continue;
    if (CanCount(*call->getFunction()) && MatchesPath(metric.file, PathOfCall(*call))) {
      calls.push_back(call);
    }
  }
  for (llvm::CallBase* call : calls) {
    Event event{index, call->getFunction(), call, callee.names.linkage, true, nullptr, nullptr};
    if (metric.value && !WantsResult(metric)) {
      const ReadValue read = ArgumentOf(*call, metric.value->argument);
      if (read.value == nullptr) {
        FailMetric(view.Module(), metric.name, callee.names.shown + ": " + read.problem);
        return;
      }
      event.value = read.value;
    }
    events.events.push_back(event);
    if (WantsResult(metric)) AddResultOfCall(view, callee, *call, metric, index, events);
  }
}

bool IsMeant(const PlannedMetric& metric, const KnownFunction& known) {
  const NamePattern pattern(metric.match, metric.what);
  if (metric.event == format::MetricEvent::kCall) return pattern.MatchesOne(known.names.all);
  const llvm::DISubprogram* debug = known.function->getSubprogram();
  return metric.event == format::MetricEvent::kVirtual && debug != nullptr &&
         llvm::any_of(Overridden(*debug), [&](const llvm::DISubprogram* method) {
           return pattern.MatchesOne(NamesOfMethod(*method));
         });
}

}  // namespace

void DropInlineBodies(ModuleView& view, const format::InstrumentPlan& plan) {
  for (const KnownFunction& known : view.Functions()) {
    if (!known.has_code || known.counted) continue;
    const bool meant = llvm::any_of(
        plan.metrics, [&](const PlannedMetric& metric) { return IsMeant(metric, known); });
    if (meant) view.DropBody(known);
  }
}

void AddCalls(const ModuleView& view, const PlannedMetric& metric, std::size_t index,
              Events& events) {
  const NamePattern pattern(metric.match, metric.what);
  for (const KnownFunction& known : view.Functions()) {
    if (!pattern.MatchesOne(known.names.all)) continue;
    if (!known.counted) {
      AddCallSites(view, known, metric, index, events);
    } else if (MatchesPath(metric.file, known.path)) {
      AddEntry(view, known, metric, index, events);
    }
  }
}

void AddVirtualCalls(const ModuleView& view, const PlannedMetric& metric, std::size_t index,
                     Events& events) {
  const NamePattern pattern(metric.match, metric.what);
  for (const KnownFunction& known : view.Functions()) {
    if (!known.counted) continue;
    const llvm::DISubprogram* debug = known.function->getSubprogram();
    if (debug == nullptr) {
      if (view.HasDebugInformation() || !pattern.MatchesOne(known.names.all)) continue;
      FailMetric(view.Module(), metric.name,
                 "which methods override " + metric.what +
                     " is known only from debug information; compile with -g");
      return;
    }
    if (!MatchesPath(metric.file, known.path)) continue;
    for (const llvm::DISubprogram* method : Overridden(*debug)) {
      if (!pattern.MatchesOne(NamesOfMethod(*method))) continue;
      AddEntry(view, known, metric, index, events);
      break;
    }
  }
}

}  // namespace tare::clang_engine
