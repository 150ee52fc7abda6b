// enum_table.h: compile-time checks of tables that have one row per enumerator.
#pragma once

#include <array>
#include <cstddef>

namespace tare {

// The number of enumerators, when `last` is the last one and they count from 0.
template <typename Enum>
consteval std::size_t CountUpTo(Enum last) {
  return static_cast<std::size_t>(last) + 1;
}

// Whether the table has a row for each enumerator up to `last`, in their order, so that an
// enumerator is the index of its row.
template <typename Row, std::size_t size, typename Enum>
consteval bool HasRowPerEnumerator(const std::array<Row, size>& table, Enum Row::* id, Enum last) {
  if (size != CountUpTo(last)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (static_cast<std::size_t>(table[i].*id) != i) return false;
  }
  return true;
}

}  // namespace tare
