// module_view.h: a module as the metrics see it: functions with their source names, types, and
// diagnostics.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "members.h"
#include "names.h"

namespace tare::clang_engine {

struct KnownFunction {
  llvm::Function* function = nullptr;
  FunctionNames names;
  std::string path;       // of the source file that defines it
  bool has_code = false;  // it has a body that can be instrumented
  bool counted = false;   // defined here: its entries can be counted
};

class ModuleView {
 public:
  explicit ModuleView(llvm::Module& module);

  llvm::Module& Module() const { return module_; }
  // Functions that appear in the source, defined here or elsewhere, in the module's order.
  const std::vector<KnownFunction>& Functions() const { return functions_; }
  const KnownFunction* Find(const llvm::Function* function) const;
  const MemberIndex& Members() const { return members_; }
  bool HasDebugInformation() const;
  // Turns an available_externally definition into a declaration.
  void DropBody(const KnownFunction& known);

  // Whether it is a constructor or destructor that only calls another one of the same name. The
  // linker knows several such functions, but an object is constructed once.
  bool IsDelegating(const KnownFunction& known) const;

 private:
  llvm::Module& module_;
  std::vector<KnownFunction> functions_;
  llvm::DenseMap<const llvm::Function*, std::size_t> places_;
  MemberIndex members_;
};

// Fails the compilation. `metric` is the metric's displayed name.
void FailMetric(llvm::Module& module, const std::string& metric, const std::string& message);
void WarnMetric(llvm::Module& module, const std::string& metric, const std::string& message);

}  // namespace tare::clang_engine
