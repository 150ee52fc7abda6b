// placement.cc: shuffles functions and draws their alignments.
#include "placement.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Support/xxhash.h>

#include <utility>
#include <vector>

namespace tare::clang_engine {
namespace {

// Compilers align functions to 16 bytes by default; a cache line has 64 bytes.
constexpr unsigned kMinPower = 4;
constexpr unsigned kPowers = 4;

// A linear congruential generator; only its upper bits are used because the lower ones have short
// periods.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

llvm::PreservedAnalyses PlaceFunctions::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  // The modules of one program draw different sequences.
  Draw draw(seed_ ^ llvm::xxh3_64bits(module.getSourceFileName()));
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) functions.push_back(&function);
  }
  for (std::size_t left = functions.size(); left > 1; --left) {
    std::swap(functions[left - 1], functions[static_cast<std::size_t>(draw.Below(left))]);
  }
  for (llvm::Function* const function : functions) {
    const llvm::Align align(std::uint64_t{1} << (kMinPower + draw.Below(kPowers)));
    if (function->getAlign().valueOrOne() < align) function->setAlignment(align);
    function->removeFromParent();
    module.getFunctionList().push_back(function);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace tare::clang_engine
