// address_range.h: a stretch of addresses.
#pragma once

#include <cstdint>

namespace tare::binary {

struct AddressRange {
  std::uint64_t start;
  std::uint64_t end;  // first byte behind it
  bool Contains(std::uint64_t address) const { return start <= address && address < end; }
};

}  // namespace tare::binary
