// unit.h: the counters of one translation unit, and how code adds to them.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

namespace tare::clang_engine {

// Make one, take slots while walking over the module, then Emit() once. Slots are addressed
// relative to an array whose size is known at the end only.
class Unit {
 public:
  // `part` tells apart the units that several passes make of one module. With `atomic` no handler
  // of a signal can come between the two halves of an addition.
  Unit(llvm::Module& module, llvm::StringRef part, bool atomic = false);

  // The first of `count` new slots that belong together.
  std::uint64_t TakeSlots(std::uint64_t count = 1);

  // A line of the unit's text (counters_wire.h), without its end.
  void AddLine(const std::string& line);

  // What identifies the unit among those of a program.
  std::uint64_t Id() const { return id_; }

  // Where this thread's counters of the unit begin. Puts the code that finds out at `builder`'s
  // place, which must dominate all uses: the entry block, behind its allocas. Splits the block.
  llvm::Value* BankAt(llvm::Instruction* place);

  // A pointer to a slot.
  llvm::Value* Slot(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot);

  // Adds `amount` (64 bits) to a slot; returns the store, null of an atomic unit. Volatile: an
  // observer reads at any time, so the sum must not be kept in a register over a loop. Nothing else
  // of the program's memory is held back by it, because the counters are an object of their own.
  llvm::StoreInst* Add(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
                       llvm::Value* amount);
  // The same for a slot whose address is known.
  llvm::StoreInst* AddAt(llvm::IRBuilderBase& builder, llvm::Value* at, llvm::Value* amount);

  // Puts `value` (64 bits, unsigned) into a slot that holds less.
  void Raise(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
             llvm::Value* value);

  bool Empty() const { return slots_ == 0 && text_.empty(); }

  // Puts counters and descriptor into the module; nothing may be taken afterwards.
  void Emit();

 private:
  llvm::Module& module_;
  std::string part_;
  bool atomic_;
  std::uint64_t id_;
  std::uint64_t slots_ = 0;
  std::string text_;
  llvm::GlobalVariable* stand_in_;  // for the array of counters until its size is known
};

// Whether code may be put into it: it has a body, and a thread's bank can be asked for in it.
bool CanCount(const llvm::Function& function);

// Where code that runs once per call of the function goes: behind the allocas of its entry.
llvm::Instruction* EntryPlace(llvm::Function& function);

}  // namespace tare::clang_engine
