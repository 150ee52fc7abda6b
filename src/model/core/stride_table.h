// stride_table.h: detects instructions that access memory with a constant stride.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

// Direct-mapped by the address of the instruction.
class StrideTable {
 public:
  // `entries` must be a power of two.
  explicit StrideTable(unsigned entries) : entries_(entries) {}

  // Records that the instruction at `site` accesses `line`. Returns the step in lines if the last
  // two steps were equal and not 0, otherwise 0.
  std::int64_t Learn(std::uint64_t site, std::uint64_t line);

 private:
  struct Entry {
    std::uint64_t site = ~std::uint64_t{0};
    std::uint64_t line = 0;
    std::int64_t step = 0;
  };

  std::vector<Entry> entries_;
};

}  // namespace tare::model
