// range_list.cc: .debug_ranges of DWARF 3 and 4, .debug_rnglists of DWARF 5.
#include "binary/dwarf/range_list.h"

namespace tare::dwarf {
namespace {

using elf::AddressRange;

bool AddOldList(const DebugSections& sections, const Unit& unit, std::uint64_t offset,
                std::uint64_t& budget, std::vector<AddressRange>& ranges) {
  Cursor cursor(sections.ranges, offset, sections.ranges.size());
  const unsigned bytes = unit.encoding.address_bytes;
  const std::uint64_t marks_base =
      bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes * 8) - 1;
  std::uint64_t base = unit.base_address;
  for (; budget > 0; --budget) {
    const std::uint64_t start = cursor.Unsigned(bytes);
    const std::uint64_t end = cursor.Unsigned(bytes);
    if (!cursor.ok()) return false;
    if (start == 0 && end == 0) return true;
    if (start == marks_base) {
      base = end;
    } else {
      ranges.push_back({base + start, base + end});
    }
  }
  return false;
}

class NewList {
 public:
  NewList(const DebugSections& sections, const Unit& unit, std::uint64_t offset)
      : sections_(sections),
        unit_(unit),
        cursor_(sections.rnglists, offset, sections.rnglists.size()),
        base_(unit.base_address) {}

  bool Read(std::uint64_t& budget, std::vector<AddressRange>& ranges) {
    for (; budget > 0; --budget) {
      const std::uint8_t kind = cursor_.U8();
      if (!cursor_.ok()) return false;
      if (kind == kRangeEnd) return true;
      if (!Entry(kind, ranges) || !cursor_.ok()) return false;
    }
    return false;
  }

 private:
  std::uint64_t Address() { return cursor_.Unsigned(unit_.encoding.address_bytes); }
  std::uint64_t Indexed() {
    const auto address = AddressAt(sections_, unit_, cursor_.Uleb());
    if (!address) cursor_.Fail();
    return address.value_or(0);
  }

  bool Entry(std::uint8_t kind, std::vector<AddressRange>& ranges) {
    AddressRange range{};
    switch (kind) {
      case kRangeBaseAddressx:
        base_ = Indexed();
        return true;
      case kRangeBaseAddress:
        base_ = Address();
        return true;
      case kRangeStartxEndx:
        range.start = Indexed();
        range.end = Indexed();
        break;
      case kRangeStartxLength:
        range.start = Indexed();
        range.end = range.start + cursor_.Uleb();
        break;
      case kRangeOffsetPair:
        range.start = base_ + cursor_.Uleb();
        range.end = base_ + cursor_.Uleb();
        break;
      case kRangeStartEnd:
        range.start = Address();
        range.end = Address();
        break;
      case kRangeStartLength:
        range.start = Address();
        range.end = range.start + cursor_.Uleb();
        break;
      default:
        return false;
    }
    if (cursor_.ok()) ranges.push_back(range);
    return true;
  }

  const DebugSections& sections_;
  const Unit& unit_;
  Cursor cursor_;
  std::uint64_t base_;
};

}  // namespace

bool AddRanges(const DebugSections& sections, const Unit& unit, const FormValue& value,
               std::uint64_t& budget, std::vector<AddressRange>& ranges) {
  std::uint64_t offset = value.value;
  if (unit.encoding.version < 5) return AddOldList(sections, unit, offset, budget, ranges);
  if (value.form == kFormRnglistx) {
    const std::uint64_t bytes = unit.encoding.offset_bytes;
    if (offset > sections.rnglists.size() / bytes) return false;
    Cursor cursor(sections.rnglists, unit.rnglists_base + offset * bytes, sections.rnglists.size());
    offset = unit.rnglists_base + cursor.Unsigned(unit.encoding.offset_bytes);
    if (!cursor.ok()) return false;
  }
  return NewList(sections, unit, offset).Read(budget, ranges);
}

}  // namespace tare::dwarf
