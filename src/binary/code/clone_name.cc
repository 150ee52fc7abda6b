// clone_name.cc: the suffixes that gcc and clang append.
#include "binary/code/clone_name.h"

#include <algorithm>
#include <array>

namespace tare::code {
namespace {

constexpr auto kEndings = std::to_array<std::string_view>(
    {"isra", "constprop", "part", "cold", "lto_priv", "localalias", "llvm", "clone", "simdclone",
     "__uniq", "unlikely", "hot", "split", "warm", "_omp_fn", "specialized", "resolver", "ifunc",
     "content"});

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char one) { return one >= '0' && one <= '9'; });
}

}  // namespace

std::string_view BaseName(std::string_view name) {
  std::string_view base = name;
  std::string_view rest = name;
  while (true) {
    const auto dot = rest.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return base;
    const auto ending = rest.substr(dot + 1);
    rest = rest.substr(0, dot);
    if (IsNumber(ending)) continue;  // belongs to the previous suffix
    if (std::ranges::find(kEndings, ending) == kEndings.end()) return base;
    base = rest;
  }
}

bool IsSplitPart(std::string_view name) {
  constexpr std::string_view kCold = ".cold";
  const auto at = name.rfind(kCold);
  if (at == std::string_view::npos || at == 0) return false;
  const auto rest = name.substr(at + kCold.size());
  return rest.empty() || (rest[0] == '.' && IsNumber(rest.substr(1)));
}

}  // namespace tare::code
