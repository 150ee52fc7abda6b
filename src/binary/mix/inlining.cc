// inlining.cc: counting the inlined calls of a source map by name.
#include "binary/mix/inlining.h"

#include "binary/code/clone_name.h"
#include "binary/elf/function.h"

namespace tare::mix {
namespace {

// The variants of a constructor or destructor have different symbols (C1, C2), and its inlined body
// has another (C4); the demangled name is the same for all.
std::string Key(std::string_view name) { return elf::Demangled(std::string(code::BaseName(name))); }

// Functions with internal linkage have no linkage name in the debug information, only the
// unqualified name from the source.
bool IsLocal(std::string_view name) {
  return name.starts_with("_ZL") || name.find("_GLOBAL__N_") != std::string_view::npos;
}

// "emplace_back" of "void std::vector<int>::emplace_back<int>(int&&)". Empty for operators, whose
// names may contain brackets.
std::string SourceName(std::string_view shown) {
  constexpr std::string_view kNameless = "(anonymous namespace)";
  if (shown.find("operator") != std::string_view::npos) return "";
  std::string bare;
  int depth = 0;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    if (shown.substr(at).starts_with(kNameless)) {
      at += kNameless.size() - 1;
      continue;
    }
    if (shown[at] == '(' && depth == 0) break;  // of the parameter list
    if (shown[at] == '<' || shown[at] == '(') ++depth;
    if (depth == 0) bare += shown[at];
    if (shown[at] == '>' || shown[at] == ')') --depth;
  }
  const auto scope = bare.find_last_of(": ");
  return scope == std::string::npos ? bare : bare.substr(scope + 1);
}

// The name of a function in the debug information.
std::string SourceKey(std::string_view name) {
  if (!IsLocal(name)) return Key(name);
  return SourceName(Key(name));
}

std::string PairKey(const std::string& caller, const std::string& callee) {
  return caller + '\n' + callee;
}

}  // namespace

Inlining::Inlining(const FileMix& file) {
  if (!file.sources) return;
  known_ = true;
  std::unordered_map<std::uint32_t, std::string> names;
  std::uint64_t inside = 0;
  std::string caller;
  for (const auto& call : file.sources->inlined()) {
    if (call.function >= file.sources->functions().size()) continue;
    auto [name, is_new] = names.try_emplace(call.function);
    if (is_new) {
      const auto& given = file.sources->functions()[call.function].name;
      const bool is_symbol = given.starts_with("_Z") || given.starts_with("_R");
      name->second = is_symbol ? Key(given) : SourceName(given);
    }
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
  const auto found = pairs_.find(PairKey(Key(caller), SourceKey(callee)));
  return found == pairs_.end() ? 0 : found->second;
}

std::uint64_t Inlining::Times(std::string_view callee) const {
  if (!known_) return 0;
  const auto found = callees_.find(SourceKey(callee));
  return found == callees_.end() ? 0 : found->second;
}

}  // namespace tare::mix
