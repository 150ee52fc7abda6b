// stream.h: the pass that streams executed blocks and accessed addresses in order.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tare::clang_engine {

// Runs last, before CountBlocks. format/stream_wire.h describes the records.
struct StreamAccesses : llvm::PassInfoMixin<StreamAccesses> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
