// module_view.h: a module as the metrics see it: functions with their names, types, messages.
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
  std::string path;       // of the source that defines it
  bool has_code = false;  // what is inside can be counted
  bool counted = false;   // defined here: its entries can be counted
};

class ModuleView {
 public:
  explicit ModuleView(llvm::Module& module);

  llvm::Module& Module() const { return module_; }
  // Those of the source, defined here and elsewhere, in the module's order.
  const std::vector<KnownFunction>& Functions() const { return functions_; }
  const KnownFunction* Find(const llvm::Function* function) const;
  const MemberIndex& Members() const { return members_; }
  bool HasDebugInformation() const;
  // Makes a declaration of a function whose body is here to be inlined only.
  void DropBody(const KnownFunction& known);

  // Of a constructor or destructor that only calls another one of the same name: objects are made
  // once, though the linker knows several functions for it.
  bool IsDelegating(const KnownFunction& known) const;

 private:
  llvm::Module& module_;
  std::vector<KnownFunction> functions_;
  llvm::DenseMap<const llvm::Function*, std::size_t> places_;
  MemberIndex members_;
};

// Fails the compilation. `metric` is the name that it is shown under.
void FailMetric(llvm::Module& module, const std::string& metric, const std::string& message);
void WarnMetric(llvm::Module& module, const std::string& metric, const std::string& message);

}  // namespace tare::clang_engine
