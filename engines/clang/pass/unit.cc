// unit.cc: the section of counters, their descriptor, and the code that finds a thread's bank.
#include "unit.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Support/xxhash.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "format/counters_wire.h"
#include "runtime_symbols.h"

namespace tare::clang_engine {
namespace {

constexpr const char* kDelta = "tare_counters_delta";
constexpr const char* kClaim = "tare_counters_claim";

llvm::FunctionCallee Claim(llvm::Module& module) {
  auto* type = llvm::Type::getInt64Ty(module.getContext());
  auto callee = RuntimeFunction(module, kClaim, llvm::FunctionType::get(type, false));
  // The function accesses no memory that the program can access.
  llvm::cast<llvm::Function>(callee.getCallee())
      ->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  return callee;
}

}  // namespace

Unit::Unit(llvm::Module& module, llvm::StringRef part, bool atomic)
    : module_(module), part_(part.str()), atomic_(atomic), id_(0) {
  // The same source compiled twice with different flags gives two units of one program.
  std::string identity = module.getSourceFileName() + '\0' + part_;
  for (const llvm::Function& function : module) {
    identity += function.getName();
    identity += static_cast<char>(function.size() & 0x7f);
  }
  id_ = llvm::xxh3_64bits(identity);
  stand_in_ = new llvm::GlobalVariable(module, llvm::Type::getInt64Ty(module.getContext()), false,
                                       llvm::GlobalValue::ExternalLinkage, nullptr,
                                       "tare_counters_stand_in_" + part_);
  stand_in_->setDSOLocal(true);
}

std::uint64_t Unit::TakeSlots(std::uint64_t count) {
  const std::uint64_t first = slots_;
  slots_ += count;
  return first;
}

void Unit::AddLine(const std::string& line) { text_ += line + '\n'; }

llvm::Value* Unit::BankAt(llvm::Instruction* place) {
  llvm::IRBuilder<> builder(place);
  auto* type = builder.getInt64Ty();
  llvm::Value* delta = builder.CreateLoad(
      type, builder.CreateThreadLocalAddress(RuntimeWord(module_, kDelta)), "tare.delta");
  llvm::Value* unclaimed = builder.CreateICmpEQ(delta, builder.getInt64(0));
  llvm::MDBuilder metadata(module_.getContext());
  llvm::BasicBlock* before = place->getParent();
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(unclaimed, place->getIterator(), false,
                                                            metadata.createUnlikelyBranchWeights());
  builder.SetInsertPoint(then);
  const llvm::FunctionCallee callee = Claim(module_);
  llvm::CallInst* claimed = builder.CreateCall(callee);
  claimed->setCallingConv(llvm::CallingConv::PreserveMost);
  builder.SetInsertPoint(place->getParent(), place->getParent()->begin());
  llvm::PHINode* known = builder.CreatePHI(type, 2);
  known->addIncoming(delta, before);
  known->addIncoming(claimed, then->getParent());
  builder.SetInsertPoint(place);
  return builder.CreateGEP(builder.getInt8Ty(), stand_in_, known, "tare.bank");
}

llvm::Value* Unit::Slot(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot) {
  return builder.CreateConstGEP1_64(builder.getInt64Ty(), bank, slot);
}

llvm::StoreInst* Unit::AddAt(llvm::IRBuilderBase& builder, llvm::Value* at, llvm::Value* amount) {
  if (atomic_) {
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, at, amount, llvm::Align(8),
                            llvm::AtomicOrdering::Monotonic);
    return nullptr;
  }
  llvm::Value* sum = builder.CreateAdd(
      builder.CreateAlignedLoad(builder.getInt64Ty(), at, llvm::Align(8), true), amount);
  return builder.CreateAlignedStore(sum, at, llvm::Align(8), true);
}

llvm::StoreInst* Unit::Add(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
                           llvm::Value* amount) {
  return AddAt(builder, Slot(builder, bank, slot), amount);
}

void Unit::Raise(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
                 llvm::Value* value) {
  llvm::Value* at = Slot(builder, bank, slot);
  if (atomic_) {
    builder.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, at, value, llvm::Align(8),
                            llvm::AtomicOrdering::Monotonic);
    return;
  }
  llvm::Value* now = builder.CreateAlignedLoad(builder.getInt64Ty(), at, llvm::Align(8), true);
  builder.CreateAlignedStore(builder.CreateSelect(builder.CreateICmpUGT(value, now), value, now),
                             at, llvm::Align(8), true);
}

void Unit::Emit() {
  llvm::LLVMContext& context = module_.getContext();
  auto* word = llvm::Type::getInt64Ty(context);
  if (Empty()) {
    stand_in_->eraseFromParent();
    return;
  }
  auto* array = llvm::ArrayType::get(word, slots_);
  auto* counters =
      new llvm::GlobalVariable(module_, array, false, llvm::GlobalValue::InternalLinkage,
                               llvm::ConstantAggregateZero::get(array), "tare.counters." + part_);
  counters->setSection(TARE_COUNTERS_SECTION);
  counters->setAlignment(llvm::Align(8));
  stand_in_->replaceAllUsesWith(counters);
  stand_in_->eraseFromParent();

  text_.resize((text_.size() + 7) & ~std::size_t{7}, '\n');
  auto* text = llvm::ConstantDataArray::getString(context, text_, false);
  auto* type = llvm::StructType::get(context, {word, word, word, word, word, text->getType()});
  auto* unit = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage,
                                        nullptr, "tare.unit." + part_);
  const std::uint64_t size = sizeof(tare_counters_unit) + text_.size();
  llvm::Constant* member = llvm::ConstantExpr::getPtrToInt(
      llvm::ConstantExpr::getInBoundsGetElementPtr(
          type, unit,
          llvm::ArrayRef<llvm::Constant*>{
              llvm::ConstantInt::get(word, 0),
              llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), 2)}),
      word);
  llvm::Constant* offset =
      llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(counters, word), member);
  unit->setInitializer(llvm::ConstantStruct::get(
      type,
      {llvm::ConstantInt::get(word, size), llvm::ConstantInt::get(word, id_), offset,
       llvm::ConstantInt::get(word, slots_), llvm::ConstantInt::get(word, text_.size()), text}));
  unit->setSection(TARE_UNITS_SECTION);
  unit->setAlignment(llvm::Align(8));
  llvm::appendToUsed(module_, {unit, counters});
}

bool CanCount(const llvm::Function& function) {
  if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::Naked) ||
      function.getName().starts_with("tare_counters_")) {
    return false;
  }
  // An ifunc resolver runs before thread-local storage exists.
  return llvm::none_of(function.getParent()->ifuncs(), [&](const llvm::GlobalIFunc& chosen) {
    return chosen.getResolverFunction() == &function;
  });
}

llvm::Instruction* EntryPlace(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::Instruction* place = &*entry.getFirstNonPHIOrDbgOrAlloca();
  // The entry block is split here; an alloca outside the entry block would be dynamic and change
  // the stack pointer.
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::make_range(place->getIterator(), entry.end()))) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (local != nullptr && local->isStaticAlloca()) local->moveBefore(place);
  }
  return place;
}

}  // namespace tare::clang_engine
