// placement.h: the same functions at other places.
#pragma once

#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace tare::clang_engine {

// Runs last of all: the functions of a module in another order, each at a multiple of another power
// of two. What they do stays as it was. The same seed and module always give the same places.
class PlaceFunctions : public llvm::PassInfoMixin<PlaceFunctions> {
 public:
  explicit PlaceFunctions(std::uint64_t seed) : seed_(seed) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  std::uint64_t seed_;
};

}  // namespace tare::clang_engine
