// module_view.cc: finds the functions of a module that appear in its source.
#include "module_view.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>

#include "unit.h"

namespace tare::clang_engine {
namespace {

// Thunks, wrappers of thread-local variables and initialisers of a unit are not in the source.
bool IsMadeByCompiler(llvm::StringRef linkage) {
  return linkage.starts_with("_ZT") || linkage.starts_with("__cxx_global_") ||
         linkage.starts_with("_GLOBAL__") || linkage.starts_with("__clang_call_terminate") ||
         linkage.starts_with("__tls_init") || linkage.starts_with("__cxx_global_array_dtor");
}

// A warning that clang controls with -Wbackend-plugin.
class MetricWarning : public llvm::DiagnosticInfo {
 public:
  explicit MetricWarning(const std::string& text)
      : DiagnosticInfo(Kind(), llvm::DS_Warning), text_(text) {}
  void print(llvm::DiagnosticPrinter& printer) const override { printer << text_; }

 private:
  static int Kind() {
    static const int kind = llvm::getNextAvailablePluginDiagnosticKind();
    return kind;
  }
  const std::string& text_;
};

}  // namespace

ModuleView::ModuleView(llvm::Module& module) : module_(module), members_(module) {
  for (llvm::Function& function : module) {
    const bool is_intrinsic = function.isIntrinsic();
    if (is_intrinsic && LibraryNameOf(function).empty()) continue;
    if (IsMadeByCompiler(function.getName()) || function.getName().starts_with("tare_counters_")) {
      continue;
    }
    KnownFunction known{&function, NamesOf(function), PathOf(function), CanCount(function), false};
    // An available_externally body is a copy of the real one, unless it is always inlined.
    known.counted = known.has_code && (!function.hasAvailableExternallyLinkage() ||
                                       function.hasFnAttribute(llvm::Attribute::AlwaysInline));
    places_[&function] = functions_.size();
    functions_.push_back(std::move(known));
  }
}

const KnownFunction* ModuleView::Find(const llvm::Function* function) const {
  const auto found = places_.find(function);
  return found == places_.end() ? nullptr : &functions_[found->second];
}

bool ModuleView::HasDebugInformation() const {
  return module_.getNamedMetadata("llvm.dbg.cu") != nullptr;
}

void ModuleView::DropBody(const KnownFunction& known) {
  known.function->deleteBody();
  functions_[places_.lookup(known.function)].has_code = false;
}

bool ModuleView::IsDelegating(const KnownFunction& known) const {
  if (known.names.parameters.empty()) return false;
  for (const llvm::Instruction& instruction : llvm::instructions(*known.function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const KnownFunction* callee = call == nullptr ? nullptr : Find(call->getCalledFunction());
    if (callee == nullptr || callee == &known) continue;
    if (callee->names.shown == known.names.shown &&
        callee->names.parameters == known.names.parameters) {
      return true;
    }
  }
  return false;
}

void FailMetric(llvm::Module& module, const std::string& metric, const std::string& message) {
  module.getContext().emitError("metric \"" + metric + "\": " + message);
}

void WarnMetric(llvm::Module& module, const std::string& metric, const std::string& message) {
  const std::string text = "metric \"" + metric + "\": " + message;
  module.getContext().diagnose(MetricWarning(text));
}

}  // namespace tare::clang_engine
