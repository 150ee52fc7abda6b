// unit.h: the units of .debug_info, and how their values refer to other sections.
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

// No offset of a section.
inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

struct Unit {
  std::uint64_t offset = 0;       // of its header in .debug_info
  std::uint64_t first_entry = 0;  // of its root
  std::uint64_t end = 0;
  Encoding encoding;
  const AbbreviationTable* abbreviations = nullptr;
  bool split = false;  // most of it lies in a .dwo file

  // From the root.
  std::uint64_t line_program = kNowhere;  // offset in .debug_line
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  std::uint64_t base_address = 0;  // of ranges
  std::string_view directory;      // where the compiler ran
};

// All units with code, by offset; each with its abbreviations and its root read. Sentences about
// damage are added to `problems`.
std::vector<Unit> ReadUnits(const DebugSections& sections, AbbreviationTables& tables,
                            std::vector<std::string>& problems);

// Nothing where the value leads outside, or into a file that is not there.
std::optional<std::string_view> TextOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value);
std::optional<std::uint64_t> AddressOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value);
std::optional<std::uint64_t> AddressAt(const DebugSections& sections, const Unit& unit,
                                       std::uint64_t index);
// As an offset in .debug_info.
std::optional<std::uint64_t> ReferenceOf(const Unit& unit, const FormValue& value);

// The unit that holds an offset of .debug_info, or null.
const Unit* UnitAt(const std::vector<Unit>& units, std::uint64_t offset);

}  // namespace tare::dwarf
