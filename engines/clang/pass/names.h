// names.h: how functions, variables, types and files of a module are called in its source.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

struct FunctionNames {
  std::string linkage;     // as the linker knows it
  std::string shown;       // "ns::Table<int>::Find": as it is listed
  std::string parameters;  // "(int, char const*)"; empty in C
  // All by which it can be chosen: those above, with and without parameters and template
  // arguments.
  std::vector<std::string> all;
};

FunctionNames NamesOf(const llvm::Function& function);

// The C name of an intrinsic that stands for a library function: memcpy, memmove, memset. Empty
// for others.
llvm::StringRef LibraryNameOf(const llvm::Function& intrinsic);

// "Table<int>::Find" as "Table::Find"; operators keep their signs.
std::string WithoutTemplateArguments(llvm::StringRef name);

// Namespaces, classes and the name; functions around a local class are left out.
std::string QualifiedName(const llvm::DIScope& scope);

// The first is the one that is listed. Empty for what the compiler made.
std::vector<std::string> NamesOf(const llvm::GlobalVariable& variable);

// With its directory when the compiler knew it.
std::string PathOf(const llvm::DIFile* file);
// Of the source that defines it, else of the module's.
std::string PathOf(const llvm::Function& function);

}  // namespace tare::clang_engine
