// virtuals.h: finds which virtual methods override which, from debug information.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

// Returns the virtual methods whose calls can dispatch to this one, itself first: as declared in
// its class and in its base classes. Empty when it is not virtual.
std::vector<const llvm::DISubprogram*> Overridden(const llvm::DISubprogram& definition);

// Returns the names that select such a method; the first is the one in lists.
std::vector<std::string> NamesOfMethod(const llvm::DISubprogram& method);

}  // namespace tare::clang_engine
