// recent_lines.cc: forgets the lines of a page whose TLB entry was evicted.
#include "model/core/recent_lines.h"

#include <bit>

namespace tare::model {

RecentLines::RecentLines(unsigned line_shift, std::uint64_t page_bytes)
    : line_shift_(line_shift),
      page_shift_(static_cast<unsigned>(std::countr_zero(page_bytes))),
      max_two_(std::uint64_t{1} << line_shift),
      known_(kKnown),
      page_lines_(1) {
  for (std::uint64_t index = 0; index < kKnown; ++index) known_[index].line = NoneAt(index);
}

void RecentLines::StampPages(std::uint64_t* stamps, std::uint64_t places) {
  page_stamps_ = stamps;
  page_lines_.assign(places, 0);
}

void RecentLines::ForgetPage(std::uint64_t page, std::uint64_t place) {
  const std::uint64_t first = page << (page_shift_ - line_shift_);
  const std::uint64_t count = std::uint64_t{1} << (page_shift_ - line_shift_);
  for (std::uint64_t bits = page_lines_[place]; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<std::uint64_t>(std::countr_zero(bits));
    for (std::uint64_t line = first + (bit - first) % 64; line < first + count; line += 64) {
      Forget(line << line_shift_ | kValid);
    }
  }
  page_lines_[place] = 0;
}

}  // namespace tare::model
