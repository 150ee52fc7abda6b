// names.h: source names of a module's functions, variables, types and files.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

struct FunctionNames {
  std::string linkage;     // the linker's symbol
  std::string shown;       // "ns::Table<int>::Find": as in lists
  std::string parameters;  // "(int, char const*)"; empty in C
  // All names that select it: those above, with and without parameters and template arguments.
  std::vector<std::string> all;
};

FunctionNames NamesOf(const llvm::Function& function);

// Returns the C name of an intrinsic that represents a library function: memcpy, memmove, memset.
// Empty for others.
llvm::StringRef LibraryNameOf(const llvm::Function& intrinsic);

// Turns "Table<int>::Find" into "Table::Find"; operator names such as operator< are kept.
std::string WithoutTemplateArguments(llvm::StringRef name);

// Namespaces, classes and the name, without the functions that enclose a local class.
std::string QualifiedName(const llvm::DIScope& scope);

// The first name is the one in lists. Empty for compiler-generated variables.
std::vector<std::string> NamesOf(const llvm::GlobalVariable& variable);

// Includes the directory if debug information has it.
std::string PathOf(const llvm::DIFile* file);
// Returns the path of the source that defines it, or the module's.
std::string PathOf(const llvm::Function& function);

}  // namespace tare::clang_engine
