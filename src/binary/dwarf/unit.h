// unit.h: the units of .debug_info, and resolving their values in other sections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/dwarf/abbreviations.h"
#include "binary/dwarf/debug_sections.h"
#include "binary/dwarf/form.h"

namespace tare::dwarf {

// Represents the absence of a section offset.
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

struct Unit {
  std::uint64_t offset = 0;       // of its header in .debug_info
  std::uint64_t first_entry = 0;  // of its root entry
  std::uint64_t end = 0;
  Encoding encoding;
  const AbbreviationTable* abbreviations = nullptr;
  bool split = false;  // most of it is in a .dwo file

  // From the root entry.
  std::uint64_t line_program = kNowhere;  // offset in .debug_line
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  std::uint64_t base_address = 0;  // of ranges
  std::string_view directory;      // working directory of the compiler
};

// All units with code, by offset, with their abbreviations and root entries. Appends sentences
// about damage to `problems`.
std::vector<Unit> ReadUnits(const DebugSections& sections, AbbreviationTables& tables,
                            std::vector<std::string>& problems);

// Nothing where the value refers to an invalid offset or to a missing file.
std::optional<std::string_view> TextOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value);
std::optional<std::uint64_t> AddressOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value);
std::optional<std::uint64_t> AddressAt(const DebugSections& sections, const Unit& unit,
                                       std::uint64_t index);
// As an offset in .debug_info.
std::optional<std::uint64_t> ReferenceOf(const Unit& unit, const FormValue& value);

// The unit that contains an offset of .debug_info, or null.
const Unit* UnitAt(const std::vector<Unit>& units, std::uint64_t offset);

}  // namespace tare::dwarf
