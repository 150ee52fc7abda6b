// metrics.h: the pass that adds software metrics to a module.
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

// Runs first, on the IR as clang generates it from the source, before inlining and promotion to
// registers. With plan.list it only writes the names that metrics can use.
class CountMetrics : public llvm::PassInfoMixin<CountMetrics> {
 public:
  explicit CountMetrics(std::shared_ptr<const format::InstrumentPlan> plan)
      : plan_(std::move(plan)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  std::shared_ptr<const format::InstrumentPlan> plan_;
};

// Runs last: removes debug information that only the other passes needed.
class DropDebugInformation : public llvm::PassInfoMixin<DropDebugInformation> {
 public:
  explicit DropDebugInformation(format::StripDebug what) : what_(what) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  format::StripDebug what_;
};

// Fails the compilation with a message, because the plan could not be read.
struct FailCompilation : llvm::PassInfoMixin<FailCompilation> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
