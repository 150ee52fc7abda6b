// abbreviations.h: abbreviation tables, which define the layout of a unit's entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/dwarf/form.h"

namespace tare::dwarf {

struct AttributeShape {
  std::uint16_t attribute;
  std::uint16_t form;
  std::uint32_t constant;  // index into the table's constants, for kFormImplicitConst
};

struct Abbreviation {
  std::uint64_t code;
  std::uint32_t first;  // index of its first attribute
  std::uint16_t count;
  std::uint16_t tag;
  bool has_children;
  bool fixed_size;  // Size() is the size of an entry in bytes
  std::uint16_t addresses = 0;
  std::uint16_t offsets = 0;
  std::uint16_t references = 0;
  std::uint32_t plain_bytes = 0;

  std::uint64_t Size(Encoding encoding) const {
    return plain_bytes + std::uint64_t{addresses} * encoding.address_bytes +
           std::uint64_t{offsets} * encoding.offset_bytes +
           std::uint64_t{references} * encoding.reference_bytes();
  }
};

class AbbreviationTable {
 public:
  // Reads from `cursor` to the end of the table; damage ends it early and makes the cursor fail.
  explicit AbbreviationTable(Cursor& cursor);

  const Abbreviation* Find(std::uint64_t code) const;
  std::span<const AttributeShape> AttributesOf(const Abbreviation& abbreviation) const {
    return std::span(attributes_).subspan(abbreviation.first, abbreviation.count);
  }
  std::int64_t ConstantOf(const AttributeShape& shape) const {
    return shape.form == kFormImplicitConst ? constants_[shape.constant] : 0;
  }

 private:
  bool AddAttributes(Cursor& cursor, Abbreviation& abbreviation);

  std::vector<Abbreviation> abbreviations_;  // by code
  std::vector<AttributeShape> attributes_;
  std::vector<std::int64_t> constants_;
};

// Tables by offset, each read once.
class AbbreviationTables {
 public:
  explicit AbbreviationTables(std::span<const std::byte> section) : section_(section) {}
  // Null where nothing can be read, or where tables overlap implausibly. The pointer stays valid.
  const AbbreviationTable* At(std::uint64_t offset);

 private:
  std::span<const std::byte> section_;
  std::map<std::uint64_t, AbbreviationTable> tables_;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace tare::dwarf
