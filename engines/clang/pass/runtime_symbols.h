// runtime_symbols.h: what the code that is put in needs of the runtime, in the same module of the
// program.
#pragma once

#include <llvm/IR/Module.h>

namespace tare::clang_engine {

// A thread-local word.
llvm::GlobalVariable* RuntimeWord(llvm::Module& module, llvm::StringRef name);

// A function that is seldom called, always returns, throws nothing and leaves nearly all registers
// alone. Calls of it need the calling convention, too.
llvm::FunctionCallee RuntimeFunction(llvm::Module& module, llvm::StringRef name,
                                     llvm::FunctionType* type);

}  // namespace tare::clang_engine
