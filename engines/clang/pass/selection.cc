// selection.cc: selects functions by name, file, size, inline keyword and profile.
#include "selection.h"

#include <fnmatch.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "match.h"

namespace tare::clang_engine {
namespace {

bool MatchesName(const std::vector<std::string>& globs, const FunctionNames& names) {
  return llvm::any_of(globs, [&](const std::string& glob) {
    return llvm::any_of(names.all, [&](const std::string& name) {
      return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
    });
  });
}

bool MatchesFile(const std::vector<std::string>& globs, const std::string& path) {
  return llvm::any_of(globs, [&](const std::string& glob) { return MatchesPath(glob, path); });
}

std::uint64_t SizeOf(const llvm::Function& function) {
  std::uint64_t size = 0;
  for (const llvm::BasicBlock& block : function) {
    for (const llvm::Instruction& instruction : block) {
      const bool counts = !llvm::isa<llvm::AllocaInst>(instruction) &&
                          !llvm::isa<llvm::DbgInfoIntrinsic>(instruction);
      if (counts) ++size;
    }
  }
  return size;
}

// Members that are defined in their class have the same linkage as templates, which are not marked
// inline.
bool IsMarkedInline(const llvm::Function& function) {
  if (function.hasFnAttribute(llvm::Attribute::InlineHint) ||
      function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
    return true;
  }
  const llvm::DISubprogram* debug = function.getSubprogram();
  const bool is_template = debug != nullptr && debug->getTemplateParams().size() > 0;
  return function.hasLinkOnceLinkage() && !is_template;
}

}  // namespace

std::vector<const KnownFunction*> SelectedFunctions(const ModuleView& view,
                                                    const format::FunctionSelection& selection) {
  llvm::StringSet<> too_often;
  for (const std::string& name : selection.too_often) too_often.insert(name);
  std::vector<const KnownFunction*> selected;
  for (const KnownFunction& known : view.Functions()) {
    if (!known.counted || known.function->isDeclaration()) continue;
    if (!selection.names.empty() && !MatchesName(selection.names, known.names)) continue;
    if (MatchesName(selection.not_names, known.names)) continue;
    if (!selection.files.empty() && !MatchesFile(selection.files, known.path)) continue;
    if (MatchesFile(selection.not_files, known.path)) continue;
    if (SizeOf(*known.function) < selection.min_instructions) continue;
    if (selection.skip_inline && IsMarkedInline(*known.function)) continue;
    const bool often = llvm::any_of(
        known.names.all, [&](const std::string& name) { return too_often.contains(name); });
    if (!often) selected.push_back(&known);
  }
  return selected;
}

}  // namespace tare::clang_engine
