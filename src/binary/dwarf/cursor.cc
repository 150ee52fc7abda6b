// cursor.cc: texts that are referenced by offset.
#include "binary/dwarf/cursor.h"

namespace tare::dwarf {

std::string_view TextAt(std::span<const std::byte> section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  const auto rest = section.subspan(static_cast<std::size_t>(offset));
  const std::string_view text(reinterpret_cast<const char*>(rest.data()),
                              std::min(rest.size(), kLongestText));
  return text.substr(0, text.find('\0'));
}

}  // namespace tare::dwarf
