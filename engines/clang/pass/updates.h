// updates.h: the variables and members that the stores of a module write to.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

#include "members.h"

namespace tare::clang_engine {

struct Update {
  llvm::Instruction* store = nullptr;
  const llvm::GlobalVariable* variable = nullptr;  // the variable that it is part of, or null
  MemberNames members;
  // For a compare-and-exchange: stores only when this is true.
  bool when_exchanged = false;
};

// Stores, atomic read-modify-writes, and memcpy, memmove and memset, in functions that can be
// instrumented. Stores that only spill an argument to its alloca are left out.
std::vector<Update> UpdatesOf(llvm::Function& function, const MemberIndex& types);

}  // namespace tare::clang_engine
