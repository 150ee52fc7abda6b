// stream.h: blocks and addresses in the order in which they come.
#pragma once

#include <llvm/IR/PassManager.h>

namespace tare::clang_engine {

// Runs last, before blocks are counted. The records are described in format/stream_wire.h.
struct StreamAccesses : llvm::PassInfoMixin<StreamAccesses> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
