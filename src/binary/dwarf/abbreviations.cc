// abbreviations.cc: reading abbreviation tables.
#include "binary/dwarf/abbreviations.h"

#include <algorithm>
#include <tuple>

namespace tare::dwarf {
namespace {

// Compilers use about 30. The limit bounds the time for one-byte entries whose forms have no bytes.
constexpr std::uint16_t kMaxAttributes = 128;

std::uint16_t Narrow(std::uint64_t number) {
  return number <= 0xffff ? static_cast<std::uint16_t>(number) : 0;
}

void AddSize(Abbreviation& abbreviation, std::uint16_t form) {
  if (const auto size = PlainSize(form)) {
    abbreviation.plain_bytes += *size;
    return;
  }
  if (IsOffset(form)) {
    ++abbreviation.offsets;
    return;
  }
  switch (form) {
    case kFormAddr:
      ++abbreviation.addresses;
      return;
    case kFormRefAddr:
      ++abbreviation.references;
      return;
    default:
      abbreviation.fixed_size = false;
  }
}

}  // namespace

AbbreviationTable::AbbreviationTable(Cursor& cursor) {
  while (const std::uint64_t code = cursor.Uleb()) {
    Abbreviation abbreviation{};
    abbreviation.code = code;
    abbreviation.tag = Narrow(cursor.Uleb());
    abbreviation.has_children = cursor.U8() != 0;
    abbreviation.fixed_size = true;
    abbreviation.first = static_cast<std::uint32_t>(attributes_.size());
    if (!AddAttributes(cursor, abbreviation)) break;
    abbreviations_.push_back(abbreviation);
  }
  std::ranges::sort(abbreviations_, {},
                    [](const Abbreviation& one) { return std::tie(one.code, one.first); });
}

bool AbbreviationTable::AddAttributes(Cursor& cursor, Abbreviation& abbreviation) {
  while (true) {
    AttributeShape shape{};
    const std::uint64_t attribute = cursor.Uleb();
    const std::uint64_t form = cursor.Uleb();
    if (!cursor.ok()) return false;
    if (attribute == 0 && form == 0) return true;
    shape.attribute = Narrow(attribute);
    shape.form = Narrow(form);
    if (shape.form == kFormImplicitConst) {
      shape.constant = static_cast<std::uint32_t>(constants_.size());
      constants_.push_back(cursor.Sleb());
    }
    if (abbreviation.count == kMaxAttributes) {
      cursor.Fail();
      return false;
    }
    AddSize(abbreviation, shape.form);
    attributes_.push_back(shape);
    ++abbreviation.count;
  }
}

const Abbreviation* AbbreviationTable::Find(std::uint64_t code) const {
  // Compilers number from 1.
  if (code - 1 < abbreviations_.size() && abbreviations_[code - 1].code == code)
    return &abbreviations_[code - 1];
  const auto found = std::ranges::lower_bound(abbreviations_, code, {}, &Abbreviation::code);
  return found != abbreviations_.end() && found->code == code ? &*found : nullptr;
}

const AbbreviationTable* AbbreviationTables::At(std::uint64_t offset) {
  if (const auto known = tables_.find(offset); known != tables_.end()) return &known->second;
  if (offset >= section_.size() || bytes_read_ > 2 * section_.size()) return nullptr;
  Cursor cursor(section_, offset, section_.size());
  const auto added = tables_.emplace(offset, AbbreviationTable(cursor)).first;
  bytes_read_ += cursor.position() - offset;
  return &added->second;
}

}  // namespace tare::dwarf
