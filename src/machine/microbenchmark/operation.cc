// operation.cc: the architecture-independent part of the branch microbenchmark.
#include "machine/microbenchmark/operation.h"

#include <bit>

#include "base/check.h"
#include "machine/microbenchmark/operation_rows.h"

namespace tare::microbenchmark {

std::uint64_t RunBranches(std::span<const std::uint8_t> pattern, std::uint64_t count) {
  CHECK(std::has_single_bit(pattern.size()) && count > 0);
  return tare_branches(pattern.data(), pattern.size() - 1, count);
}

}  // namespace tare::microbenchmark
