// form.h: attribute values in all forms of DWARF 2 to 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "binary/dwarf/cursor.h"
#include "binary/dwarf/dwarf_constants.h"

namespace tare::dwarf {

// The sizes of a unit's numbers.
struct Encoding {
  std::uint16_t version = 4;
  std::uint8_t address_bytes = 8;
  std::uint8_t offset_bytes = 4;

  // In DWARF 2 a reference to another unit has the size of an address.
  std::uint8_t reference_bytes() const { return version <= 2 ? address_bytes : offset_bytes; }
};

struct FormValue {
  std::uint16_t form = 0;   // 0: the attribute is absent
  std::uint64_t value = 0;  // a number, an offset or an index, depending on the form
  std::string_view text;    // for kFormString only

  bool there() const { return form != 0; }
};

// The size in bytes of a form that does not depend on the unit's encoding.
std::optional<unsigned> PlainSize(std::uint16_t form);
// Whether the value is a section offset of 4 or 8 bytes, depending on the unit's format.
bool IsOffset(std::uint16_t form);

// An unknown form makes the cursor fail, because the start of the next value is unknown. `constant`
// is the value of kFormImplicitConst.
FormValue ReadForm(Cursor& cursor, std::uint16_t form, std::int64_t constant, Encoding encoding);
void SkipForm(Cursor& cursor, std::uint16_t form, Encoding encoding);

bool IsAddressIndex(std::uint16_t form);
bool IsTextIndex(std::uint16_t form);
// Whether the target is in a supplementary file (DWARF 5, 7.3.6; dwz).
bool IsSupplementary(std::uint16_t form);
// A number of class constant; nothing for other classes.
std::optional<std::uint64_t> Constant(const FormValue& value);

}  // namespace tare::dwarf
