// plugin.cc: the plugin's entry point: registers the passes with clang's pipeline.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>

#include <cstdlib>
#include <memory>

#include "blocks.h"
#include "format/instrument_plan.h"
#include "metrics.h"
#include "placement.h"
#include "stream.h"

namespace {

using tare::format::InstrumentPlan;
using tare::format::StripDebug;

bool HasMetrics(const InstrumentPlan& plan) {
  return !plan.metrics.empty() || plan.functions || plan.names || !plan.list.empty();
}

void RegisterFailure(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        passes.addPass(tare::clang_engine::FailCompilation());
      });
}

void Register(llvm::PassBuilder& builder) {
  const char* text = std::getenv(tare::format::kPlanVariable);
  if (text == nullptr || *text == 0) return;
  auto parsed = tare::format::ParsePlanText(text);
  if (!parsed) {
    RegisterFailure(builder);
    return;
  }
  const auto plan = std::make_shared<const InstrumentPlan>(std::move(*parsed));
  builder.registerPipelineStartEPCallback(
      [plan](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        if (HasMetrics(*plan)) passes.addPass(tare::clang_engine::CountMetrics(plan));
      });
  builder.registerOptimizerLastEPCallback(
      [plan](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
        if (!plan->list.empty()) return;
        if (plan->stream != tare::format::StreamContent::kNothing) {
          passes.addPass(tare::clang_engine::StreamAccesses(plan->stream));
        }
        if (plan->blocks) passes.addPass(tare::clang_engine::CountBlocks());
        if (plan->strip_debug != StripDebug::kNothing) {
          passes.addPass(tare::clang_engine::DropDebugInformation(plan->strip_debug));
        }
        if (plan->placement != 0) {
          passes.addPass(tare::clang_engine::PlaceFunctions(plan->placement));
        }
      });
}

}  // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "tare", "1", Register};
}
