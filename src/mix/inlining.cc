// inlining.cc: counts the inlined calls of a source map by name.
#include "mix/inlining.h"

#include "binary/function.h"
#include "code/clone_name.h"

namespace tare::mix {
namespace {

// The parts of a constructor or destructor have symbols of their own (C1, C2), its inlined body has
// another (C4): people's names are the same for all.
std::string Key(std::string_view name) {
  return binary::Demangled(std::string(code::BaseName(name)));
}

std::string PairKey(const std::string& caller, const std::string& callee) {
  return caller + '\n' + callee;
}

}  // namespace

Inlining::Inlining(const FileMix& file) {
  if (!file.sources) return;
  known_ = true;
  complete_ = file.sources->complete();
  std::unordered_map<std::uint32_t, std::string> names;
  std::uint64_t inside = 0;
  std::string caller;
  for (const auto& call : file.sources->inlined()) {
    if (call.function >= file.sources->functions().size()) continue;
    auto [name, is_new] = names.try_emplace(call.function);
    if (is_new) name->second = Key(file.sources->functions()[call.function].name);
    if (caller.empty() || call.inside != inside) {
      inside = call.inside;
      const auto* function = file.image->FunctionAt(inside);
      caller = function == nullptr ? "?" : Key(function->name);
    }
    ++callees_[name->second];
    ++pairs_[PairKey(caller, name->second)];
  }
}

std::uint64_t Inlining::Times(std::string_view caller, std::string_view callee) const {
  if (!known_) return 0;
  const auto found = pairs_.find(PairKey(Key(caller), Key(callee)));
  return found == pairs_.end() ? 0 : found->second;
}

std::uint64_t Inlining::Times(std::string_view callee) const {
  if (!known_) return 0;
  const auto found = callees_.find(Key(callee));
  return found == callees_.end() ? 0 : found->second;
}

}  // namespace tare::mix
