// recent_lines.cc: what is forgotten with a page.
#include "cache/recent_lines.h"

#include <bit>

namespace tare::cache {

RecentLines::RecentLines(unsigned line_shift, std::uint64_t lines, std::uint64_t page_bytes)
    : line_shift_(line_shift),
      page_shift_(static_cast<unsigned>(std::countr_zero(page_bytes))),
      line_mask_(~((std::uint64_t{1} << line_shift) - 1)),
      index_mask_(std::bit_ceil(lines) - 1),
      known_(index_mask_ + 1),
      page_lines_(1) {}

RecentLines::View RecentLines::view() const {
  View view;
  view.known_ = known_.data();
  view.line_stamps_ = line_stamps_;
  view.page_stamps_ = page_stamps_;
  view.index_mask_ = index_mask_;
  view.line_mask_ = line_mask_;
  view.line_shift_ = line_shift_;
  return view;
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
      Forget(line << line_shift_ | kHeld);
    }
  }
  page_lines_[place] = 0;
}

}  // namespace tare::cache
