// names.cc: demangled names, scopes from debug information, and paths.
#include "names.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Path.h>

#include <cstdlib>

namespace tare::clang_engine {
namespace {

constexpr llvm::StringRef kUnnamedSpace = "(anonymous namespace)";

void AddOnce(std::vector<std::string>& names, std::string name) {
  if (!name.empty() && !llvm::is_contained(names, name)) names.push_back(std::move(name));
}

std::string Without(std::string text, llvm::StringRef part) {
  for (;;) {
    const std::size_t at = text.find(part);
    if (at == std::string::npos) return text;
    text.erase(at, part.size());
  }
}

std::string WithoutTags(std::string text) {
  for (;;) {
    const std::size_t at = text.find("[abi:");
    const std::size_t end = at == std::string::npos ? at : text.find(']', at);
    if (end == std::string::npos) return text;
    text.erase(at, end - at + 1);
  }
}

// The demangler allocates its text with malloc.
std::string Taken(char* text) {
  std::string taken = text == nullptr ? "" : text;
  std::free(text);
  return taken;
}

std::string LinkageName(const llvm::GlobalValue& value) {
  llvm::StringRef name = value.getName();
  name.consume_front("\x01");
  return name.str();
}

void AddVariants(FunctionNames& names) {
  const std::string plain = WithoutTags(names.shown);
  for (const std::string& name :
       {plain, WithoutTemplateArguments(plain),
        WithoutTemplateArguments(Without(plain, "(anonymous namespace)::"))}) {
    AddOnce(names.all, name);
    if (!names.parameters.empty()) AddOnce(names.all, name + names.parameters);
  }
}

// Returns the length of "operator" and its symbols at `at`, or 0.
std::size_t OperatorLength(llvm::StringRef name, std::size_t at) {
  constexpr llvm::StringRef kOperator = "operator";
  if (!name.substr(at).starts_with(kOperator)) return 0;
  if (at > 0 && (llvm::isAlnum(name[at - 1]) || name[at - 1] == '_')) return 0;
  const std::size_t end = name.find_first_not_of("<>=-", at + kOperator.size());
  const std::size_t signs = std::min(end, name.size()) - at;
  return signs == kOperator.size() ? 0 : signs;
}

std::string FunctionOf(const llvm::DIScope* scope) {
  while (scope != nullptr && !llvm::isa<llvm::DISubprogram>(scope)) {
    if (!llvm::isa<llvm::DILexicalBlockBase>(scope)) return "";
    scope = scope->getScope();
  }
  return scope == nullptr ? "" : QualifiedName(*scope);
}

void AddDebugNames(const llvm::DIGlobalVariable& variable, std::vector<std::string>& names) {
  const std::string name = variable.getName().str();
  const llvm::DIScope* scope = variable.getScope();
  if (const auto* member = variable.getStaticDataMemberDeclaration()) scope = member->getScope();
  if (const std::string function = FunctionOf(scope); !function.empty()) {
    AddOnce(names, function + '.' + name);
    AddOnce(names, WithoutTemplateArguments(function) + '.' + name);
    AddOnce(names, name);
    return;
  }
  const std::string around = scope == nullptr ? "" : QualifiedName(*scope);
  const std::string full = around.empty() ? name : around + "::" + name;
  AddOnce(names, full);
  AddOnce(names, WithoutTemplateArguments(full));
  AddOnce(names, WithoutTemplateArguments(Without(full, "(anonymous namespace)::")));
}

}  // namespace

llvm::StringRef LibraryNameOf(const llvm::Function& intrinsic) {
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
      return "memcpy";
    case llvm::Intrinsic::memmove:
      return "memmove";
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline:
      return "memset";
    default:
      return "";
  }
}

std::string WithoutTemplateArguments(llvm::StringRef name) {
  std::string text;
  int depth = 0;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = depth == 0 ? OperatorLength(name, i) : 0;
    if (length > 0) {
      text += name.substr(i, length);
      i += length;
      continue;
    }
    if (name[i] == '<') ++depth;
    if (depth == 0) text += name[i];
    if (name[i] == '>' && depth > 0) --depth;
    ++i;
  }
  return text;
}

FunctionNames NamesOf(const llvm::Function& function) {
  FunctionNames names;
  names.linkage = function.isIntrinsic() ? LibraryNameOf(function).str() : LinkageName(function);
  names.shown = names.linkage;
  AddOnce(names.all, names.linkage);
  if (const llvm::DISubprogram* debug = function.getSubprogram()) {
    // The C library's headers redirect the name to another symbol: scanf to __isoc99_scanf.
    if (!llvm::StringRef(names.linkage).starts_with("_Z")) {
      AddOnce(names.all, debug->getName().str());
    }
  }
  // The fortified variant (__NAME_chk) counts as a call of NAME.
  if (llvm::StringRef checked = names.linkage;
      checked.consume_front("__") && checked.consume_back("_chk")) {
    AddOnce(names.all, checked.str());
  }
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(names.linkage.c_str()) || !demangler.isFunction()) return names;
  AddOnce(names.all, llvm::demangle(names.linkage));
  names.shown = Taken(demangler.getFunctionName(nullptr, nullptr));
  names.parameters = Taken(demangler.getFunctionParameters(nullptr, nullptr));
  AddVariants(names);
  return names;
}

std::string QualifiedName(const llvm::DIScope& scope) {
  std::string name = scope.getName().str();
  if (name.empty() && llvm::isa<llvm::DINamespace>(scope)) name = kUnnamedSpace.str();
  if (name.empty() && !llvm::isa<llvm::DICompositeType>(scope)) return "";
  const llvm::DIScope* around = scope.getScope();
  if (const auto* function = llvm::dyn_cast<llvm::DISubprogram>(&scope)) {
    if (const auto* declaration = function->getDeclaration()) around = declaration->getScope();
  }
  // The functions that enclose a local class are not part of its name.
  while (around != nullptr && llvm::isa<llvm::DILocalScope>(around)) around = nullptr;
  if (around == nullptr) return name;
  const std::string outer = QualifiedName(*around);
  return outer.empty() ? name : outer + "::" + name;
}

std::vector<std::string> NamesOf(const llvm::GlobalVariable& variable) {
  const std::string linkage = LinkageName(variable);
  const llvm::StringRef name = linkage;
  if (name.empty() || name.starts_with("llvm.") || name.starts_with("tare") ||
      name.starts_with(".") || name.starts_with("_ZT") || name.starts_with("_ZGV") ||
      name.starts_with("__dso_handle") || variable.hasPrivateLinkage()) {
    return {};
  }
  std::vector<std::string> names;
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
  variable.getDebugInfo(debug);
  for (const auto* expression : debug) AddDebugNames(*expression->getVariable(), names);
  if (name.starts_with("_Z")) {
    const std::string demangled = llvm::demangle(linkage);
    AddOnce(names, demangled);
    AddOnce(names, WithoutTemplateArguments(demangled));
  }
  AddOnce(names, linkage);
  return names;
}

std::string PathOf(const llvm::DIFile* file) {
  if (file == nullptr) return "";
  if (llvm::sys::path::is_absolute(file->getFilename()) || file->getDirectory().empty()) {
    return file->getFilename().str();
  }
  llvm::SmallString<256> path(file->getDirectory());
  llvm::sys::path::append(path, file->getFilename());
  llvm::sys::path::remove_dots(path, true);
  return path.str().str();
}

std::string PathOf(const llvm::Function& function) {
  const llvm::DISubprogram* debug = function.getSubprogram();
  if (debug != nullptr && debug->getFile() != nullptr) return PathOf(debug->getFile());
  return function.getParent()->getSourceFileName();
}

}  // namespace tare::clang_engine
