// placement.h: the pass that randomizes the order and alignment of functions.
#pragma once

#include <llvm/IR/PassManager.h>

#include <cstdint>

namespace tare::clang_engine {

// Runs after all other passes. Shuffles the functions of a module and gives each a random
// power-of-two alignment. Their code stays the same. The same seed and module always give the same
// result.
class PlaceFunctions : public llvm::PassInfoMixin<PlaceFunctions> {
 public:
  explicit PlaceFunctions(std::uint64_t seed) : seed_(seed) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }

 private:
  std::uint64_t seed_;
};

}  // namespace tare::clang_engine
