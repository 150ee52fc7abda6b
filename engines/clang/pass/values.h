// values.h: arguments and results of calls, as numbers.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <string>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

struct ReadValue {
  llvm::Value* value = nullptr;  // an integer of up to 64 bits, or a pointer
  std::string problem;           // why there is none
};

// Of a function that is entered. In a method the object is argument 1.
ReadValue ArgumentOf(llvm::Function& function, int argument);
// At a call of a function that is not defined here.
ReadValue ArgumentOf(llvm::CallBase& call, int argument);

// Why results of the function are no numbers; empty when they are.
std::string ResultProblem(const llvm::Function& function);

}  // namespace tare::clang_engine
