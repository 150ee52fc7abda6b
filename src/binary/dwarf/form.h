// form.h: values of attributes, in all the forms that DWARF 2 to 5 write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "binary/dwarf/cursor.h"
#include "binary/dwarf/dwarf_constants.h"

namespace tare::dwarf {

// How a unit writes its numbers.
struct Encoding {
  std::uint16_t version = 4;
  std::uint8_t address_bytes = 8;
  std::uint8_t offset_bytes = 4;

  // DWARF 2 wrote references to other units like addresses.
  std::uint8_t reference_bytes() const { return version <= 2 ? address_bytes : offset_bytes; }
};

struct FormValue {
  std::uint16_t form = 0;   // 0: the attribute is not there
  std::uint64_t value = 0;  // a number, an offset or an index, as the form says
  std::string_view text;    // of kFormString only

  bool there() const { return form != 0; }
};

// Bytes of a form that does not depend on the unit's encoding.
std::optional<unsigned> PlainSize(std::uint16_t form);
// Whether the value is a distance in a section, 4 or 8 bytes by the format of the unit.
bool IsOffset(std::uint16_t form);

// An unknown form makes the cursor fail: nobody can tell where the next value begins.
// `constant` is the value of kFormImplicitConst.
FormValue ReadForm(Cursor& cursor, std::uint16_t form, std::int64_t constant, Encoding encoding);
void SkipForm(Cursor& cursor, std::uint16_t form, Encoding encoding);

bool IsAddressIndex(std::uint16_t form);
bool IsTextIndex(std::uint16_t form);
// Its target lies in a supplementary file (DWARF 5, 7.3.6; dwz).
bool IsSupplementary(std::uint16_t form);
// A number of class constant; nothing for other classes.
std::optional<std::uint64_t> Constant(const FormValue& value);

}  // namespace tare::dwarf
