// blocks.cc: selects the edges to count and inserts their counters.
#include "blocks.h"

#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Instrumentation/CFGMST.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <string>
#include <vector>

#include "format/counters_wire.h"
#include "unit.h"

namespace tare::clang_engine {
namespace {

// The members that llvm::CFGMST requires of an edge and a block. A null block is outside the
// function.
struct Edge {
  llvm::BasicBlock* SrcBB;
  llvm::BasicBlock* DestBB;
  std::uint64_t Weight;
  bool InMST = false;
  bool Removed = false;
  bool IsCritical = false;
  Edge(llvm::BasicBlock* source, llvm::BasicBlock* target, std::uint64_t weight = 1)
      : SrcBB(source), DestBB(target), Weight(weight) {}
  std::string infoString() const { return {}; }
};

struct BlockInfo {
  BlockInfo* Group;
  std::uint32_t Index;
  std::uint32_t Rank = 0;
  explicit BlockInfo(unsigned index) : Group(this), Index(index) {}
  std::string infoString() const { return {}; }
};

using Tree = llvm::CFGMST<Edge, BlockInfo>;

// A counter: the instruction that it is inserted before, and the flags of its site.
struct Counter {
  llvm::Instruction* place = nullptr;
  std::uint32_t flags = 0;  // TARE_SITE_...
};

// Returns the call if it will also be a call in machine code, as far as the IR shows.
const llvm::CallBase* CallAt(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call) || call->isInlineAsm())
    return nullptr;
  return call;
}

bool MayNotReturn(const llvm::Instruction& instruction) {
  const llvm::CallBase* call = CallAt(instruction);
  return call != nullptr && !call->hasFnAttr(llvm::Attribute::WillReturn);
}

// Whether a call of the function may never reach its end: by exit, longjmp or an exception in a
// callee. Then both entries and exits are counted, so that the difference is visible.
bool CanStick(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      if (MayNotReturn(instruction)) return true;
    }
  }
  return false;
}

// Before the call from which a block that ends in `unreachable` does not return.
Counter PlaceOfNoReturn(llvm::BasicBlock& block) {
  for (llvm::Instruction& instruction : llvm::reverse(block)) {
    if (CallAt(instruction) != nullptr) return {&instruction, TARE_SITE_NO_RETURN};
  }
  return {block.getTerminator()};
}

// Null when no code can be inserted in the block.
Counter StartOf(llvm::BasicBlock& block) {
  if (block.isEntryBlock()) return {EntryPlace(*block.getParent())};
  const auto place = block.getFirstInsertionPt();
  return {place == block.end() ? nullptr : &*place};
}

// Null when no code can be inserted on the edge.
Counter PlaceOn(const Edge& edge) {
  llvm::BasicBlock* source = edge.SrcBB;
  llvm::BasicBlock* target = edge.DestBB;
  if (source == nullptr) return {EntryPlace(*target->getParent())};
  if (target == nullptr) {
    if (llvm::isa<llvm::UnreachableInst>(source->getTerminator())) return PlaceOfNoReturn(*source);
    // A musttail call must directly precede its return.
    if (auto* call = source->getTerminatingMustTailCall()) return {call};
    return {source->getTerminator()};
  }
  if (source->getSingleSuccessor() != nullptr && source->getTerminator()->getNumSuccessors() == 1 &&
      !source->getTerminator()->isSpecialTerminator()) {
    return {source->getTerminator()};
  }
  if (target->getSinglePredecessor() != nullptr) return StartOf(*target);
  llvm::Instruction* branch = source->getTerminator();
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    if (branch->getSuccessor(i) != target) continue;
    llvm::BasicBlock* between = llvm::SplitCriticalEdge(
        branch, i, llvm::CriticalEdgeSplittingOptions().setMergeIdenticalEdges());
    return {between == nullptr ? nullptr : between->getTerminator()};
  }
  return {};
}

// Adds a counter after each call that can return more than once (setjmp). A function with such a
// call also gets one after each call that may not return, to show which one did not.
void AddBehindCalls(llvm::Function& function, std::vector<Counter>& counters) {
  std::vector<Counter> behind;
  bool comes_back = false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!MayNotReturn(instruction) || instruction.isTerminator()) continue;
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const bool again = call.hasFnAttr(llvm::Attribute::ReturnsTwice);
    comes_back = comes_back || again;
    if (call.isMustTailCall() || call.doesNotReturn()) continue;
    behind.push_back({instruction.getNextNode(), again ? TARE_SITE_COMES_BACK : 0});
  }
  if (comes_back) counters.insert(counters.end(), behind.begin(), behind.end());
}

// For control flow whose edges cannot be counted.
std::vector<Counter> EveryBlock(llvm::Function& function, bool both_ends) {
  std::vector<Counter> counters;
  for (llvm::BasicBlock& block : function) {
    const bool ends = llvm::isa<llvm::UnreachableInst>(block.getTerminator());
    if (ends) counters.push_back(PlaceOfNoReturn(block));
    if (ends && !block.isEntryBlock()) continue;
    Counter counter = StartOf(block);
    if (counter.place == nullptr) continue;
    if (both_ends && block.isEntryBlock()) counter.flags |= TARE_SITE_BOTH_ENDS;
    counters.push_back(counter);
  }
  return counters;
}

std::vector<Counter> ChooseCounters(llvm::Function& function,
                                    llvm::FunctionAnalysisManager& analyses) {
  auto& probabilities = analyses.getResult<llvm::BranchProbabilityAnalysis>(function);
  auto& frequencies = analyses.getResult<llvm::BlockFrequencyAnalysis>(function);
  const bool both_ends = CanStick(function);
  Tree tree(function, both_ends, &probabilities, &frequencies);
  std::vector<Edge*> counted;
  for (const auto& edge : tree.allEdges()) {
    const bool outside = edge->SrcBB == nullptr || edge->DestBB == nullptr;
    if (!edge->Removed && (!edge->InMST || (both_ends && outside))) counted.push_back(edge.get());
  }
  std::vector<Counter> counters;
  for (const Edge* edge : counted) {
    Counter counter = PlaceOn(*edge);
    if (counter.place == nullptr) {
      counters = EveryBlock(function, both_ends);
      break;
    }
    if (both_ends && edge->SrcBB == nullptr) counter.flags |= TARE_SITE_BOTH_ENDS;
    counters.push_back(counter);
  }
  AddBehindCalls(function, counters);
  return counters;
}

// Makes the code generator write the addresses of the instructions for this store to the section of
// sites (PC sections).
llvm::MDNode* Site(llvm::LLVMContext& context, std::uint64_t unit, std::uint64_t slot) {
  auto* word = llvm::Type::getInt64Ty(context);
  auto* half = llvm::Type::getInt32Ty(context);
  llvm::Metadata* numbers[] = {
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(half, TARE_SITE_END)),
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(half, slot)),
      llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(word, unit))};
  llvm::Metadata* node[] = {llvm::MDString::get(context, TARE_SITES_SECTION),
                            llvm::MDNode::get(context, numbers)};
  return llvm::MDNode::get(context, node);
}

bool IsCountable(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.getName().starts_with("tare_counters_");
}

// The AArch64 code generator merges two counters at the ends of blocks that continue at the same
// place. It also merges equal block endings where the counter's address is in a register because
// the offset is too large to encode. Then one site would represent two counters. It does not merge
// endings with inline assembly.
void PreventMerging(llvm::IRBuilderBase& builder, const llvm::Instruction* place,
                    std::uint64_t slot) {
  constexpr std::uint64_t kEncodableSlots = 4096;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(place->getParent()->getTerminator());
  const bool falls_through = branch != nullptr && branch->isUnconditional();
  const llvm::Triple target(place->getModule()->getTargetTriple());
  if (!falls_through && (slot < kEncodableSlots || !target.isAArch64())) return;
  auto* nothing = llvm::FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(llvm::InlineAsm::get(nothing, "", "", true))
      ->setMemoryEffects(llvm::MemoryEffects::none());
}

// Claiming a bank is a separate branch, taken once per thread by the first function that runs. It
// is counted in the bank that the call returns.
void CountClaim(Unit& unit, llvm::Value* bank, std::vector<llvm::StoreInst*>& stores) {
  auto* place = llvm::dyn_cast<llvm::GetElementPtrInst>(bank);
  auto* known = place == nullptr ? nullptr : llvm::dyn_cast<llvm::PHINode>(place->getOperand(1));
  if (known == nullptr) return;
  for (llvm::Value* value : known->incoming_values()) {
    auto* claimed = llvm::dyn_cast<llvm::CallInst>(value);
    if (claimed == nullptr) continue;
    llvm::IRBuilder<> builder(claimed->getNextNode());
    llvm::Value* claimed_bank =
        builder.CreateGEP(builder.getInt8Ty(), place->getPointerOperand(), claimed);
    stores.push_back(unit.Add(builder, claimed_bank, unit.TakeSlots(), builder.getInt64(1)));
  }
}

void CountFunction(llvm::Function& function, Unit& unit, llvm::FunctionAnalysisManager& analyses) {
  const std::vector<Counter> counters = ChooseCounters(function, analyses);
  llvm::LLVMContext& context = function.getContext();
  const std::uint64_t claim_slot = unit.TakeSlots(0);
  llvm::Value* bank = unit.BankAt(EntryPlace(function));
  std::vector<llvm::StoreInst*> claims;
  CountClaim(unit, bank, claims);
  for (llvm::StoreInst* store : claims) {
    store->setMetadata(llvm::LLVMContext::MD_pcsections,
                       Site(context, unit.Id(), claim_slot | TARE_SITE_CAME_BACK));
  }
  for (const Counter& counter : counters) {
    llvm::IRBuilder<> builder(counter.place);
    const std::uint64_t slot = unit.TakeSlots();
    llvm::StoreInst* store = unit.Add(builder, bank, slot, builder.getInt64(1));
    store->setMetadata(llvm::LLVMContext::MD_pcsections,
                       Site(context, unit.Id(), slot | counter.flags));
    PreventMerging(builder, counter.place, slot);
  }
}

}  // namespace

llvm::PreservedAnalyses CountBlocks::run(llvm::Module& module,
                                         llvm::ModuleAnalysisManager& analyses) {
  auto& of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  Unit unit(module, "blocks");
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) {
    if (IsCountable(function)) functions.push_back(&function);
  }
  for (llvm::Function* function : functions) CountFunction(*function, unit, of_functions);
  if (const std::uint64_t slots = unit.TakeSlots(0); slots > 0) {
    unit.AddLine("blocks\t0\t" + std::to_string(slots));
  }
  unit.Emit();
  return llvm::PreservedAnalyses::none();
}

}  // namespace tare::clang_engine
