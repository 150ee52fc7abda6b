// stream.h: the pass that streams executed blocks and accessed addresses in order.
#pragma once

#include <llvm/IR/PassManager.h>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

// Runs last, before CountBlocks. format/stream_wire.h describes the records.
class StreamAccesses : public llvm::PassInfoMixin<StreamAccesses> {
 public:
  explicit StreamAccesses(format::StreamContent content) : content_(content) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  format::StreamContent content_;
};

}  // namespace tare::clang_engine
