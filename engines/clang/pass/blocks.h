// blocks.h: the pass that adds counters from which the executions of every basic block follow.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tare::clang_engine {

// Runs last, on the IR that the code generator receives. Only edges outside a spanning tree of the
// control flow graph get a counter; the counts of the others follow from flow conservation.
struct CountBlocks : llvm::PassInfoMixin<CountBlocks> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
