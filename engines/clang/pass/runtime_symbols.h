// runtime_symbols.h: declarations of the runtime's symbols that instrumented code uses.
#pragma once

#include <llvm/IR/Module.h>

namespace tare::clang_engine {

// A thread-local 64-bit word of the runtime.
llvm::GlobalVariable* RuntimeWord(llvm::Module& module, llvm::StringRef name);

// A function that is rarely called, always returns, does not throw and preserves nearly all
// registers (preserve_most). Calls of it must use the same calling convention.
llvm::FunctionCallee RuntimeFunction(llvm::Module& module, llvm::StringRef name,
                                     llvm::FunctionType* type);

}  // namespace tare::clang_engine
