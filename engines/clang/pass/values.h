// values.h: numeric arguments and results of calls.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <string>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

struct ReadValue {
  llvm::Value* value = nullptr;  // an integer of up to 64 bits, or a pointer
  std::string problem;           // why there is none
};

// Of a function at its entry. In a method, argument 1 is the object.
ReadValue ArgumentOf(llvm::Function& function, int argument);
// At a call of a function that is not defined here.
ReadValue ArgumentOf(llvm::CallBase& call, int argument);

// Returns why the function's results are not numbers; empty when they are.
std::string ResultProblem(const llvm::Function& function);

}  // namespace tare::clang_engine
