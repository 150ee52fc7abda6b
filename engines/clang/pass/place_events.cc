// place_events.cc: matches metrics with lines, loops, blocks and stores.
#include "place_events.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include "match.h"

namespace tare::clang_engine {
namespace {

using format::PlannedMetric;

void AddAt(std::size_t index, llvm::Instruction* place, Events& events) {
  if (place == nullptr) return;
  events.events.push_back({index, place->getFunction(), place, "", true, nullptr, nullptr});
}

std::vector<std::string> NamesOfMember(const std::string& member) {
  std::vector<std::string> names = {member};
  std::string plain = WithoutTemplateArguments(member);
  constexpr llvm::StringRef kUnnamed = "(anonymous namespace)::";
  if (llvm::StringRef(plain).starts_with(kUnnamed)) names.push_back(plain.substr(kUnnamed.size()));
  if (plain != member) names.push_back(std::move(plain));
  return names;
}

// A variable's file is the one that defines it, which may be another unit.
bool IsIn(const std::string& file, const llvm::GlobalVariable& variable) {
  if (file.empty() || variable.isDeclaration()) return true;
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
  variable.getDebugInfo(debug);
  return MatchesPath(file, debug.empty() ? variable.getParent()->getSourceFileName()
                                         : PathOf(debug.front()->getVariable()->getFile()));
}

bool IsMeant(const PlannedMetric& metric, const NamePattern& pattern, const Update& update,
             const std::string& path) {
  if (update.variable != nullptr && pattern.MatchesOne(NamesOf(*update.variable)) &&
      IsIn(metric.file, *update.variable)) {
    return true;
  }
  if (!MatchesPath(metric.file, path)) return false;
  return llvm::any_of(update.members, [&](const std::string& member) {
    return pattern.MatchesOne(NamesOfMember(member));
  });
}

}  // namespace

FlowOfSource::FlowOfSource(const ModuleView& view, const format::InstrumentPlan& plan) {
  const auto has = [&](format::MetricEvent event) {
    return llvm::any_of(plan.metrics,
                        [event](const PlannedMetric& metric) { return metric.event == event; });
  };
  const bool with_blocks = has(format::MetricEvent::kBlock);
  const bool with_loops = has(format::MetricEvent::kLoop);
  for (const KnownFunction& known : view.Functions()) {
    if (!known.has_code) continue;
    if (with_blocks) {
      for (llvm::BasicBlock& block : *known.function) blocks[known.function].push_back(&block);
    }
    if (with_loops) loops[known.function] = LoopsOf(*known.function);
  }
}

void AddBlocks(const ModuleView& view, const FlowOfSource& flow, const PlannedMetric& metric,
               std::size_t index, Events& events) {
  const NumberedName wanted = SplitNumber(metric.what);
  const NamePattern pattern(format::NameMatch::kExact, wanted.name);
  for (const KnownFunction& known : view.Functions()) {
    if (!known.has_code || !pattern.MatchesOne(known.names.all)) continue;
    if (!MatchesPath(metric.file, known.path)) continue;
    const auto& blocks = flow.blocks.at(known.function);
    if (wanted.number >= blocks.size()) {
      FailMetric(view.Module(), metric.name,
                 known.names.shown + " has the blocks 0 to " + std::to_string(blocks.size() - 1));
      continue;
    }
    llvm::Instruction* place = StartOfBlock(*blocks[wanted.number]);
    if (place == nullptr) {
      FailMetric(view.Module(), metric.name,
                 "no code can be inserted into block " + metric.what +
                     ", which selects an exception handler");
    }
    AddAt(index, place, events);
  }
}

void AddLoops(const ModuleView& view, const FlowOfSource& flow, const PlannedMetric& metric,
              std::size_t index, Events& events) {
  const NumberedName wanted = SplitNumber(metric.what);
  for (const KnownFunction& known : view.Functions()) {
    const auto found = flow.loops.find(known.function);
    if (found == flow.loops.end()) continue;
    for (const SourceLoop& loop : found->second) {
      if (loop.start.line == 0 || loop.start.line != wanted.number) continue;
      if (!MatchesPath(wanted.name, loop.start.path)) continue;
      if (MatchesPath(metric.file, loop.start.path)) AddAt(index, PlaceIn(loop), events);
    }
  }
}

void AddLines(const ModuleView& view, const PlannedMetric& metric, std::size_t index,
              Events& events) {
  const NumberedName wanted = SplitNumber(metric.what);
  for (const KnownFunction& known : view.Functions()) {
    if (!known.has_code) continue;
    for (llvm::Instruction* place : ArrivalsAt(*known.function, wanted.name, wanted.number)) {
      if (MatchesPath(metric.file, known.path)) AddAt(index, place, events);
    }
  }
}

void AddUpdates(const ModuleView& view, const std::vector<Update>& updates,
                const PlannedMetric& metric, std::size_t index, Events& events) {
  const NamePattern pattern(metric.match, metric.what);
  for (const Update& update : updates) {
    const KnownFunction* known = view.Find(update.store->getFunction());
    const std::string path = known == nullptr ? view.Module().getSourceFileName() : known->path;
    if (!IsMeant(metric, pattern, update, path)) continue;
    if (!update.when_exchanged) {
      AddAt(index, update.store, events);
      continue;
    }
    llvm::Instruction* behind = update.store->getNextNode();
    llvm::IRBuilder<> builder(behind);
    llvm::Value* stored = builder.CreateExtractValue(update.store, 1);
    events.events.push_back(
        {index, update.store->getFunction(), behind, "", true, stored, nullptr});
  }
}

bool NamesLocal(const ModuleView& view, const PlannedMetric& metric) {
  if (metric.match != format::NameMatch::kExact) return false;
  const auto [function, name] = llvm::StringRef(metric.what).rsplit('.');
  const NamePattern pattern(format::NameMatch::kExact, function.str());
  for (const KnownFunction& known : view.Functions()) {
    if (!known.has_code || !pattern.MatchesOne(known.names.all)) continue;
    for (const llvm::Instruction& instruction : llvm::instructions(*known.function)) {
      for (const llvm::DbgVariableRecord& record :
           llvm::filterDbgVars(instruction.getDbgRecordRange())) {
        if (record.getVariable()->getName() == name) return true;
      }
    }
  }
  return false;
}

}  // namespace tare::clang_engine
