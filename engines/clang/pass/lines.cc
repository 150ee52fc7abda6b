// lines.cc: finds arrivals at a line and iterations of a loop in the control flow graph.
#include "lines.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <optional>

#include "match.h"
#include "names.h"

namespace tare::clang_engine {
namespace {

// False for instructions that represent nothing in the source.
bool HasLine(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  return place && place.getLine() != 0 && !llvm::isa<llvm::PHINode>(instruction) &&
         !llvm::isa<llvm::LandingPadInst>(instruction) &&
         !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) && !instruction.isLifetimeStartOrEnd();
}

class LineFinder {
 public:
  LineFinder(const std::string& path_glob, unsigned line) : glob_(path_glob), line_(line) {}

  bool IsOn(const llvm::Instruction& instruction) {
    const llvm::DebugLoc& place = instruction.getDebugLoc();
    if (place.getLine() != line_) return false;
    const auto* file = place->getFile();
    const auto [found, is_new] = files_.try_emplace(file, false);
    if (is_new) found->second = MatchesPath(glob_, PathOf(file));
    return found->second;
  }

  // How a block starts and ends; empty when it has no lines.
  struct Ends {
    llvm::Instruction* first = nullptr;    // first instruction with a line
    llvm::Instruction* arrival = nullptr;  // first instruction on the line after one that is not
    bool begins_on = false;
    bool ends_on = false;
    bool has_lines = false;
  };

  Ends EndsOf(llvm::BasicBlock& block) {
    Ends ends;
    for (llvm::Instruction& instruction : block) {
      if (!HasLine(instruction)) continue;
      const bool on = IsOn(instruction);
      if (!ends.has_lines) {
        ends.first = &instruction;
        ends.begins_on = on;
      } else if (on && !ends.ends_on && ends.arrival == nullptr) {
        ends.arrival = &instruction;
      }
      ends.has_lines = true;
      ends.ends_on = on;
    }
    return ends;
  }

 private:
  std::string glob_;
  unsigned line_;
  llvm::DenseMap<const llvm::DIFile*, bool> files_;
};

using BlockEnds = llvm::DenseMap<llvm::BasicBlock*, LineFinder::Ends>;

// Whether control that leaves the block was on the line; blocks without lines propagate it.
llvm::DenseMap<llvm::BasicBlock*, bool> LeavesFrom(llvm::Function& function,
                                                   const BlockEnds& ends) {
  llvm::DenseMap<llvm::BasicBlock*, bool> leaves;
  for (llvm::BasicBlock& block : function) leaves[&block] = ends.lookup(&block).ends_on;
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock& block : function) {
      if (ends.lookup(&block).has_lines || leaves[&block]) continue;
      const bool all = !llvm::pred_empty(&block) &&
                       llvm::all_of(llvm::predecessors(&block),
                                    [&](llvm::BasicBlock* before) { return leaves[before]; });
      if (all) changed = leaves[&block] = true;
    }
  }
  return leaves;
}

bool CanSplit(llvm::BasicBlock& from, llvm::BasicBlock& to) {
  return !to.isEHPad() && !llvm::isa<llvm::IndirectBrInst>(from.getTerminator()) &&
         !llvm::isa<llvm::CallBrInst>(from.getTerminator());
}

llvm::Instruction* PlaceOnEdge(llvm::BasicBlock& from, llvm::BasicBlock& to) {
  if (to.getUniquePredecessor() == &from || !CanSplit(from, to)) return StartOfBlock(to);
  llvm::Instruction* branch = from.getTerminator();
  if (from.getUniqueSuccessor() == &to) return branch;
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    if (branch->getSuccessor(i) != &to) continue;
    llvm::BasicBlock* between = llvm::SplitCriticalEdge(
        branch, i, llvm::CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
    return between == nullptr ? nullptr : between->getTerminator();
  }
  return nullptr;
}

// The block starts on the line: adds arrivals on the edges that come from another line.
void AddArrivalsByEdges(llvm::BasicBlock& block, const LineFinder::Ends& ends,
                        llvm::DenseMap<llvm::BasicBlock*, bool>& leaves,
                        std::vector<llvm::Instruction*>& places) {
  std::vector<llvm::BasicBlock*> from;
  bool one_stays = false;
  bool all_split = true;
  for (llvm::BasicBlock* before : llvm::predecessors(&block)) {
    if (leaves[before]) {
      one_stays = true;
      continue;
    }
    if (!llvm::is_contained(from, before)) from.push_back(before);
    all_split = all_split && CanSplit(*before, block);
  }
  if (from.empty() && !block.isEntryBlock()) return;
  if (!one_stays || !all_split) {
    places.push_back(block.isEntryBlock() ? ends.first : StartOfBlock(block));
    return;
  }
  for (llvm::BasicBlock* before : from) places.push_back(PlaceOnEdge(*before, block));
}

struct Position {
  unsigned line = 0;
  unsigned column = 0;
  bool operator==(const Position&) const = default;
};

Position PositionOf(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  return place ? Position{place.getLine(), place.getCol()} : Position{};
}

const llvm::DILocation* StartFromMetadata(const llvm::Instruction& latch) {
  const llvm::MDNode* node = latch.getMetadata(llvm::LLVMContext::MD_loop);
  if (node == nullptr) return nullptr;
  for (unsigned i = 1; i < node->getNumOperands(); ++i) {
    if (const auto* place = llvm::dyn_cast<llvm::DILocation>(node->getOperand(i))) return place;
  }
  return nullptr;
}

// clang gives the test of a for or while loop and its jump back the same source location. A branch
// inside the body with that location, as in a macro, comes later.
llvm::BasicBlock* TestOf(const llvm::Loop& loop, const llvm::DominatorTree& dominators,
                         llvm::ArrayRef<Position> jumps_back) {
  llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
  loop.getExitingBlocks(exiting);
  llvm::BasicBlock* test = nullptr;
  for (llvm::BasicBlock* block : exiting) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (branch == nullptr || !branch->isConditional()) continue;
    if (!llvm::is_contained(jumps_back, PositionOf(*branch))) continue;
    if (test == nullptr || dominators.dominates(block, test)) test = block;
  }
  return test;
}

SourceLoop Described(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  SourceLoop found;
  found.to = loop.getHeader();
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  loop.getLoopLatches(latches);
  llvm::SmallVector<Position, 4> jumps_back;  // one for each continue
  bool tests_behind = false;
  for (const llvm::BasicBlock* latch : latches) {
    const auto* start = StartFromMetadata(*latch->getTerminator());
    if (start == nullptr) continue;
    found.start = {PathOf(start->getFile()), start->getLine()};
    jumps_back.push_back(PositionOf(*latch->getTerminator()));
    tests_behind = tests_behind || loop.isLoopExiting(latch);
  }
  if (jumps_back.empty()) {
    // A loop made of gotos.
    for (const llvm::Instruction& instruction : *loop.getHeader()) {
      if (!HasLine(instruction)) continue;
      found.start = LineOf(instruction);
      break;
    }
    return found;
  }
  // A do loop tests at its jump back, so its first block runs in every iteration.
  if (tests_behind) return found;
  llvm::BasicBlock* test = TestOf(loop, dominators, jumps_back);
  if (test == nullptr) return found;
  found.from = test;
  const llvm::Instruction* branch = test->getTerminator();
  found.to = branch->getSuccessor(loop.contains(branch->getSuccessor(0)) ? 0 : 1);
  return found;
}

}  // namespace

SourceLine LineOf(const llvm::Instruction& instruction) {
  if (!HasLine(instruction)) return {};
  const llvm::DebugLoc& place = instruction.getDebugLoc();
  return {PathOf(place->getFile()), place.getLine()};
}

llvm::Instruction* StartOfBlock(llvm::BasicBlock& block) {
  if (block.isEntryBlock()) return &*block.getFirstNonPHIOrDbgOrAlloca();
  const auto place = block.getFirstInsertionPt();
  return place == block.end() ? nullptr : &*place;
}

std::vector<llvm::Instruction*> ArrivalsAt(llvm::Function& function, const std::string& path_glob,
                                           unsigned line) {
  LineFinder finder(path_glob, line);
  BlockEnds ends;
  std::vector<llvm::BasicBlock*> blocks;
  bool one = false;
  for (llvm::BasicBlock& block : function) {
    blocks.push_back(&block);
    const LineFinder::Ends& own = ends[&block] = finder.EndsOf(block);
    one = one || own.begins_on || own.arrival != nullptr;
  }
  if (!one) return {};
  auto leaves = LeavesFrom(function, ends);
  std::vector<llvm::Instruction*> places;
  for (llvm::BasicBlock* block : blocks) {
    const LineFinder::Ends own = ends.lookup(block);
    if (own.arrival != nullptr) {
      places.push_back(own.arrival);
    } else if (own.begins_on) {
      AddArrivalsByEdges(*block, own, leaves, places);
    }
  }
  llvm::erase(places, nullptr);
  return places;
}

std::vector<SourceLoop> LoopsOf(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<SourceLoop> found;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    found.push_back(Described(*loop, dominators));
  }
  return found;
}

llvm::Instruction* PlaceIn(const SourceLoop& loop) {
  return loop.from == nullptr ? StartOfBlock(*loop.to) : PlaceOnEdge(*loop.from, *loop.to);
}

}  // namespace tare::clang_engine
