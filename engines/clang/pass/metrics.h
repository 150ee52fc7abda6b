// metrics.h: the pass that makes a module count software metrics.
#pragma once

#include <llvm/IR/PassManager.h>

#include <memory>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

// Runs first, on the code as it comes from the source: inlining and promotion to registers have
// hidden nothing yet. With plan.list it only writes what could be chosen.
class CountMetrics : public llvm::PassInfoMixin<CountMetrics> {
 public:
  explicit CountMetrics(std::shared_ptr<const format::InstrumentPlan> plan)
      : plan_(std::move(plan)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  std::shared_ptr<const format::InstrumentPlan> plan_;
};

// Runs last: takes away debug information that only the other passes needed.
class DropDebugInformation : public llvm::PassInfoMixin<DropDebugInformation> {
 public:
  explicit DropDebugInformation(format::StripDebug what) : what_(what) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  format::StripDebug what_;
};

// Fails the compilation with a message: the plan could not be read.
struct FailCompilation : llvm::PassInfoMixin<FailCompilation> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace tare::clang_engine
