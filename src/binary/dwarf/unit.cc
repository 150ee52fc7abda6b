// unit.cc: headers and root entries of units.
#include "binary/dwarf/unit.h"

#include <fmt/format.h>

#include <algorithm>

namespace tare::dwarf {
namespace {

struct Header {
  Unit unit;
  std::uint64_t abbreviations = 0;
  bool wanted = true;  // false: a type unit
};

// Bytes of the header of a contribution to .debug_str_offsets, .debug_addr and .debug_rnglists
// (DWARF 5, 7.26 to 7.28): the default base of a unit that does not specify its own.
std::uint64_t BytesOfTableHeader(Encoding encoding, bool with_count) {
  return (encoding.offset_bytes == 8 ? 12U : 4U) + 4U + (with_count ? 4U : 0U);
}

// Called after the length has been read. False for an unknown version.
bool ReadHeader(Cursor& cursor, Header& header) {
  Encoding& encoding = header.unit.encoding;
  encoding.version = cursor.U16();
  if (encoding.version < 2 || encoding.version > 5) return false;
  std::uint8_t type = kUnitCompile;
  if (encoding.version == 5) {
    type = cursor.U8();
    encoding.address_bytes = cursor.U8();
    header.abbreviations = cursor.Unsigned(encoding.offset_bytes);
  } else {
    header.abbreviations = cursor.Unsigned(encoding.offset_bytes);
    encoding.address_bytes = cursor.U8();
  }
  header.unit.split = type == kUnitSkeleton || type == kUnitSplitCompile;
  if (header.unit.split) cursor.Skip(8);
  header.wanted = type != kUnitType && type != kUnitSplitType;
  header.unit.first_entry = cursor.position();
  const auto bytes = encoding.address_bytes;
  return cursor.ok() && (bytes == 8 || bytes == 4 || bytes == 2);
}

struct Root {
  FormValue stmt_list, low_pc, comp_dir, dwo_name;
  FormValue str_offsets_base, addr_base, rnglists_base;

  FormValue* Place(std::uint16_t attribute) {
    switch (attribute) {
      case kAtStmtList:
        return &stmt_list;
      case kAtLowPc:
        return &low_pc;
      case kAtCompDir:
        return &comp_dir;
      case kAtDwoName:
      case kAtGnuDwoName:
        return &dwo_name;
      case kAtStrOffsetsBase:
        return &str_offsets_base;
      case kAtAddrBase:
      case kAtGnuAddrBase:
        return &addr_base;
      case kAtRnglistsBase:
        return &rnglists_base;
      default:
        return nullptr;
    }
  }
};

bool ReadRoot(const DebugSections& sections, Unit& unit) {
  Cursor cursor(sections.info, unit.first_entry, unit.end);
  const Abbreviation* abbreviation = unit.abbreviations->Find(cursor.Uleb());
  if (abbreviation == nullptr) return false;
  Root root;
  for (const auto& shape : unit.abbreviations->AttributesOf(*abbreviation)) {
    const FormValue value =
        ReadForm(cursor, shape.form, unit.abbreviations->ConstantOf(shape), unit.encoding);
    if (FormValue* place = root.Place(shape.attribute)) *place = value;
  }
  if (!cursor.ok()) return false;
  const bool numbered = unit.encoding.version >= 5;
  const auto base = [&](const FormValue& value, bool with_count) {
    if (value.there()) return value.value;
    return numbered ? BytesOfTableHeader(unit.encoding, with_count) : 0;
  };
  unit.str_offsets_base = base(root.str_offsets_base, false);
  unit.addr_base = base(root.addr_base, false);
  unit.rnglists_base = base(root.rnglists_base, true);
  if (root.stmt_list.there()) unit.line_program = root.stmt_list.value;
  unit.base_address = AddressOf(sections, unit, root.low_pc).value_or(0);
  unit.directory = TextOf(sections, unit, root.comp_dir).value_or("");
  unit.split = unit.split || root.dwo_name.there();
  return true;
}

}  // namespace

std::vector<Unit> ReadUnits(const DebugSections& sections, AbbreviationTables& tables,
                            std::vector<std::string>& problems) {
  std::vector<Unit> units;
  const std::uint64_t size = sections.info.size();
  for (std::uint64_t at = 0; at < size;) {
    Cursor cursor(sections.info, at, size);
    Header header;
    header.unit.offset = at;
    std::uint64_t length = cursor.U32();
    if (length == 0xffffffff) {
      header.unit.encoding.offset_bytes = 8;
      length = cursor.U64();
    }
    if (!cursor.ok() || length > cursor.Remaining()) {
      problems.push_back(fmt::format(
          "the unit at {:#x} of .debug_info is longer than the rest of the section", at));
      break;
    }
    header.unit.end = at = cursor.position() + length;
    // Linkers fill gaps with zeros.
    if (length == 0) continue;
    Cursor inside(sections.info, cursor.position(), header.unit.end);
    const bool known = ReadHeader(inside, header);
    if (known && !header.wanted) continue;
    if (known) header.unit.abbreviations = tables.At(header.abbreviations);
    if (header.unit.abbreviations == nullptr || !ReadRoot(sections, header.unit)) {
      problems.push_back(
          fmt::format("the unit at {:#x} of .debug_info {}", header.unit.offset,
                      known ? "has a damaged header" : "is not of DWARF version 2 to 5"));
      continue;
    }
    units.push_back(header.unit);
  }
  return units;
}

std::optional<std::string_view> TextOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value) {
  if (value.form == kFormString) return value.text;
  if (value.form == kFormStrp) return TextAt(sections.str, value.value);
  if (value.form == kFormLineStrp) return TextAt(sections.line_str, value.value);
  if (!IsTextIndex(value.form)) return std::nullopt;
  const std::uint64_t bytes = unit.encoding.offset_bytes;
  if (value.value > sections.str_offsets.size() / bytes) return std::nullopt;
  Cursor cursor(sections.str_offsets, unit.str_offsets_base + value.value * bytes,
                sections.str_offsets.size());
  const std::uint64_t offset = cursor.Unsigned(unit.encoding.offset_bytes);
  if (!cursor.ok()) return std::nullopt;
  return TextAt(sections.str, offset);
}

std::optional<std::uint64_t> AddressAt(const DebugSections& sections, const Unit& unit,
                                       std::uint64_t index) {
  const std::uint64_t bytes = unit.encoding.address_bytes;
  if (index > sections.addr.size() / bytes) return std::nullopt;
  Cursor cursor(sections.addr, unit.addr_base + index * bytes, sections.addr.size());
  const std::uint64_t address = cursor.Unsigned(unit.encoding.address_bytes);
  if (!cursor.ok()) return std::nullopt;
  return address;
}

std::optional<std::uint64_t> AddressOf(const DebugSections& sections, const Unit& unit,
                                       const FormValue& value) {
  if (value.form == kFormAddr) return value.value;
  if (IsAddressIndex(value.form)) return AddressAt(sections, unit, value.value);
  if (value.form == kFormLlvmAddrxOffset)
    if (const auto start = AddressAt(sections, unit, value.value >> 32))
      return *start + (value.value & 0xffffffff);
  return std::nullopt;
}

std::optional<std::uint64_t> ReferenceOf(const Unit& unit, const FormValue& value) {
  switch (value.form) {
    case kFormRef1:
    case kFormRef2:
    case kFormRef4:
    case kFormRef8:
    case kFormRefUdata:
      return unit.offset + value.value;
    case kFormRefAddr:
      return value.value;
    default:
      return std::nullopt;
  }
}

const Unit* UnitAt(const std::vector<Unit>& units, std::uint64_t offset) {
  const auto after = std::ranges::upper_bound(units, offset, {}, &Unit::offset);
  if (after == units.begin()) return nullptr;
  const Unit& unit = *std::prev(after);
  return offset >= unit.first_entry && offset < unit.end ? &unit : nullptr;
}

}  // namespace tare::dwarf
