// blocks.h: counters from which the executions of every block follow.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tare::clang_engine {

// Runs last, on the code as it is handed to the code generator. Only edges outside a spanning tree
// of the flow graph carry a counter; the others follow from what flows in and out.
struct CountBlocks : llvm::PassInfoMixin<CountBlocks> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
