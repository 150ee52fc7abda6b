// virtuals.h: which methods override which, by debug information.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

// The virtual methods that a call of which can end in this one, itself first: as declared in its
// class and in the classes that it is derived from. Empty when it is not virtual.
std::vector<const llvm::DISubprogram*> Overridden(const llvm::DISubprogram& definition);

// By which such a method can be chosen; the first is the one that is listed.
std::vector<std::string> NamesOfMethod(const llvm::DISubprogram& method);

}  // namespace tare::clang_engine
