// updates.h: what the stores of a module write to.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <string>
#include <vector>

#include "members.h"

namespace tare::clang_engine {

struct Update {
  llvm::Instruction* store = nullptr;
  const llvm::GlobalVariable* variable = nullptr;  // that it is a part of, or null
  MemberNames members;
  // Of a compare-and-exchange: it stores only when this is true.
  bool when_exchanged = false;
};

// Stores, atomic read-modify-writes, and memcpy, memmove and memset, in functions that can count.
// Those that only put an argument into its place are left out.
std::vector<Update> UpdatesOf(llvm::Function& function, const MemberIndex& types);

}  // namespace tare::clang_engine
