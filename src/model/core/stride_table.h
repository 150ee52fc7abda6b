// stride_table.h: instructions that walk through memory by equal steps.
#pragma once

#include <cstdint>
#include <vector>

namespace tare::model {

// Direct-mapped by the address of the instruction.
class StrideTable {
 public:
  // `entries` is a power of two.
  explicit StrideTable(unsigned entries) : entries_(entries) {}

  // An instruction needs a line. The step in lines when the last two steps were equal and not 0;
  // otherwise 0.
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
