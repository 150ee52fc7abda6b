// unit.h: the counters of one translation unit, and the code that adds to them.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

namespace tare::clang_engine {

// Create one, take slots while walking the module, then call Emit() once. Slots are addressed
// relative to an array whose size is known only at the end.
class Unit {
 public:
  // `part` distinguishes the units that several passes make of one module. With `atomic`, additions
  // are atomic, so that a signal handler cannot interrupt one.
  Unit(llvm::Module& module, llvm::StringRef part, bool atomic = false);

  // Allocates `count` consecutive slots and returns the first.
  std::uint64_t TakeSlots(std::uint64_t count = 1);

  // Adds a line to the unit's text (counters_wire.h), without the newline.
  void AddLine(const std::string& line);

  // Identifies the unit within a program.
  std::uint64_t Id() const { return id_; }

  // Returns the address of this thread's counters of the unit. Inserts the code that computes it at
  // `place`, which must dominate all uses: in the entry block, after its allocas. Splits the block.
  llvm::Value* BankAt(llvm::Instruction* place);

  // Returns a pointer to a slot.
  llvm::Value* Slot(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot);

  // Adds `amount` (64 bits) to a slot; returns the store, null for an atomic unit. The store is
  // volatile because an observer reads at any time: the sum must not stay in a register during a
  // loop. The counters are a separate object, so this does not restrict other memory accesses.
  llvm::StoreInst* Add(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
                       llvm::Value* amount);
  // The same for a slot whose address is known.
  llvm::StoreInst* AddAt(llvm::IRBuilderBase& builder, llvm::Value* at, llvm::Value* amount);

  // Sets a slot to the maximum of its content and `value` (64 bits, unsigned).
  void Raise(llvm::IRBuilderBase& builder, llvm::Value* bank, std::uint64_t slot,
             llvm::Value* value);

  bool Empty() const { return slots_ == 0 && text_.empty(); }

  // Adds counters and descriptor to the module; no slot may be taken afterwards.
  void Emit();

 private:
  llvm::Module& module_;
  std::string part_;
  bool atomic_;
  std::uint64_t id_;
  std::uint64_t slots_ = 0;
  std::string text_;
  llvm::GlobalVariable* stand_in_;  // replaces the array of counters until its size is known
};

// Whether code may be inserted: it has a body, and can access a thread's bank.
bool CanCount(const llvm::Function& function);

// Returns where to insert code that runs once per call: after the allocas of the entry block.
llvm::Instruction* EntryPlace(llvm::Function& function);

}  // namespace tare::clang_engine
