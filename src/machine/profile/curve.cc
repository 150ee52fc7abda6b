// curve.cc: names of accesses and patterns in files and messages.
#include "machine/profile/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tare::machine_profile {
namespace {

constexpr auto kAccesses = std::to_array<std::pair<Access, std::string_view>>({
    {Access::kLoad, "load"},
    {Access::kStore, "store"},
    {Access::kUpdate, "update"},
});

constexpr auto kPatterns = std::to_array<std::pair<Pattern, std::string_view>>({
    {Pattern::kStrided, "strided"},
    {Pattern::kRandom, "random"},
    {Pattern::kChained, "chained"},
});

template <typename Rows, typename Key>
std::string_view NameIn(const Rows& rows, Key key) {
  return std::ranges::find(rows, key, [](const auto& row) { return row.first; })->second;
}

template <typename Key, std::size_t count>
std::optional<Key> KeyIn(const std::array<std::pair<Key, std::string_view>, count>& rows,
                         std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const auto& row) { return row.second; });
  if (found == rows.end()) return std::nullopt;
  return found->first;
}

}  // namespace

std::string_view Name(Access access) { return NameIn(kAccesses, access); }

std::string_view Name(Pattern pattern) { return NameIn(kPatterns, pattern); }

std::optional<Access> ParseAccess(std::string_view name) { return KeyIn(kAccesses, name); }

std::optional<Pattern> ParsePattern(std::string_view name) { return KeyIn(kPatterns, name); }

std::string CurveName(const CurveKey& key) {
  const std::string pattern = key.pattern == Pattern::kStrided
                                  ? fmt::format("stride {}", key.stride)
                                  : std::string(Name(key.pattern));
  return fmt::format("{} {}, {} B", Name(key.access), pattern, key.element_bytes);
}

}  // namespace tare::machine_profile
