// memory_use.cc: passes references to the models of near lines, far lines, pages and strides.
#include "model/reuse/memory_use.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tare::reuse {
namespace {

template <typename Row>
Row& AtOwner(std::vector<Row>& rows, std::uint32_t owner) {
  if (owner >= rows.size()) [[unlikely]]
    rows.resize(owner + 1);
  return rows[owner];
}

// The place of first uses among the counts by bin; distance 0 is not counted.
constexpr std::size_t kColdPage = 0;

unsigned Log2(std::uint64_t power) { return static_cast<unsigned>(std::countr_zero(power)); }

// Shapes with larger ways take too long to fill in a window.
constexpr unsigned kMaxWindowWay = 32 << 10;
// Owners of the references in windows.
enum WindowOwner : std::uint32_t {
  kNotCounted,
  kFirstCovered,  // in the first window
  kFirstUncovered,
  kCovered,
  kUncovered
};

GridShapes WindowShapes(GridShapes shapes) {
  shapes.max_way_bytes =
      std::max(shapes.min_way_bytes, std::min(shapes.max_way_bytes, kMaxWindowWay));
  return shapes;
}

// The groups that there are.
std::uint64_t GroupCount(const GridShapes& shapes) {
  return std::min<std::uint64_t>(kMaxGroups, shapes.min_way_bytes / shapes.line_bytes.back());
}

}  // namespace

// The lowest bits that select a group may be above a region.
std::uint64_t NearLines(const GridShapes& shapes, std::uint32_t groups) {
  const unsigned line_shift = Log2(shapes.line_bytes.front());
  const unsigned group_shift = Log2(shapes.line_bytes.back());
  const std::uint64_t count = GroupCount(shapes);
  if (count << group_shift > std::uint64_t{1} << (line_shift + kRegionShift))
    return ~std::uint64_t{0};
  std::uint64_t lines = 0;
  for (std::uint64_t line = 0; line < 64; ++line) {
    const std::uint64_t group = (line << line_shift) >> group_shift & (count - 1);
    lines |= std::uint64_t{groups >> group & 1} << line;
  }
  return lines;
}

MemoryUse::MemoryUse(const MemoryUsePlan& plan)
    : line_bytes_(plan.shapes.line_bytes.front()),
      group_shift_(Log2(plan.shapes.line_bytes.back())),
      group_mask_(GroupCount(plan.shapes) - 1),
      groups_(static_cast<std::uint32_t>(plan.groups & ((std::uint64_t{2} << group_mask_) - 1))),
      covers_all_(static_cast<unsigned>(std::popcount(groups_)) == AllGroups()),
      near_lines_(NearLines(plan.shapes, groups_)),
      bin_(plan.far.bin),
      grid_(plan.shapes),
      far_(plan.far),
      strides_(plan.stride_depth),
      page_mask_(plan.page_entries - 1),
      page_entries_(plan.page_entries) {
  CHECK(std::ranges::is_sorted(plan.shapes.line_bytes));
  CHECK(!plan.page_bytes.empty() && plan.page_bytes.size() <= kMaxPageSizes);
  CHECK(std::ranges::is_sorted(plan.page_bytes));
  CHECK(std::has_single_bit(plan.page_entries) && plan.page_entries <= kMaxPageEntries);
  for (const unsigned bytes : plan.shapes.line_bytes) line_shifts_.push_back(Log2(bytes));
  for (const std::uint64_t bytes : plan.page_bytes) {
    CHECK(std::has_single_bit(bytes) && bytes >= line_bytes_);
    page_shifts_.push_back(Log2(bytes));
    pages_.emplace_back(plan.page_entries);
  }
  unknown_.pages.fill(kNoPage);
  // A line of another group never matches.
  for (std::uint64_t group = 0; group < kMaxGroups; ++group)
    unknown_.lines[group] = ((group ^ 1) << group_shift_) | kClean;
  // With a single group the group above does not exist; no user program has this line.
  if (group_mask_ == 0) unknown_.lines.fill(kClean | kClean >> 1);
  hot_ = unknown_;
  if (!covers_all_) window_grid_.emplace(WindowShapes(plan.shapes));
}

// The region of the line of this number.
inline const MemoryUse::Region& MemoryUse::RegionOf(std::uint64_t line) {
  const std::uint64_t number = line >> kRegionShift;
  Region& region = regions_[number % regions_.size()];
  if (region.number != number) {
    const std::uint64_t sampled = far_.sample().LinesOf(number);
    region = {number, near_lines_ | sampled, sampled};
  }
  return region;
}

// Whether the line is of a covered group or sampled.
inline bool MemoryUse::Matters(std::uint64_t line) {
  return (RegionOf(line).lines >> (line % 64) & 1) != 0;
}

inline bool MemoryUse::IsSampled(std::uint64_t line) {
  return (RegionOf(line).sampled >> (line % 64) & 1) != 0;
}

// Outside of windows not every line of other groups is passed, so the line used last is not known.
void MemoryUse::ForgetUncovered() {
  for (std::size_t group = 0; group < kMaxGroups; ++group)
    if ((groups_ >> group & 1) == 0) hot_.lines[group] = unknown_.lines[group];
}

void MemoryUse::IgnorePages() {
  if (pages_use_ == PagesUse::kIgnored) return;
  pages_use_ = PagesUse::kIgnored;
  ForgetUncovered();
}

void MemoryUse::WarmPages() {
  ForgetUncovered();
  if (window_grid_) window_grid_->Clear();
  pages_use_ = PagesUse::kWarming;
  pages_from_start_ = false;
  hot_.pages = unknown_.pages;
  pages_.assign(page_shifts_.size(), PageDistances(page_entries_));
}

void MemoryUse::CountPages() { pages_use_ = PagesUse::kCounted; }

MemoryUse::Recent MemoryUse::recent() const {
  Recent recent;
  recent.hot_ = in_burst_ ? &unknown_ : &hot_;
  recent.looks_at_pages_ = pages_use_ != PagesUse::kIgnored;
  recent.regions_ = in_burst_ || recent.looks_at_pages_ ? &no_regions_ : &regions_;
  recent.line_shift_ = line_shifts_.front();
  recent.line_mask_ = line_bytes_ - 1;
  recent.group_shift_ = group_shift_;
  recent.page_shift_ = page_shifts_.front();
  recent.group_mask_ = group_mask_;
  recent.page_mask_ = page_mask_;
  return recent;
}

void MemoryUse::StartBurst() {
  if (!in_burst_) strides_.StartBurst();
  in_burst_ = true;
}

void MemoryUse::Take(const Reference& reference) {
  if (in_burst_)
    strides_.Reference(reference.site, reference.address, reference.bytes, reference.store,
                       reference.owner);
  const std::uint64_t mask = ~(std::uint64_t{line_bytes_} - 1);
  const std::uint64_t first = reference.address & mask;
  const std::uint64_t last = (reference.address + reference.bytes - 1) & mask;
  const bool in_window = window_grid_ && pages_use_ != PagesUse::kIgnored;
  const auto take = [&](std::uint64_t line) {
    if (pages_use_ != PagesUse::kIgnored) UsePage(line, reference.owner);
    if (in_window || Matters(line >> line_shifts_.front()))
      UseLine(line, reference.store, reference.owner);
  };
  take(first);
  if (first == last) [[likely]]
    return;
  CountFurtherLines(reference);
  for (std::uint64_t line = first; line != last;) take(line += line_bytes_);
}

void MemoryUse::CountFurtherLines(const Reference& reference) {
  auto& counts = AtOwner(further_lines_, reference.owner);
  for (std::size_t i = 0; i < line_shifts_.size(); ++i) {
    const std::uint64_t last = reference.address + reference.bytes - 1;
    counts[i] += (last >> line_shifts_[i]) - (reference.address >> line_shifts_[i]);
  }
}

void MemoryUse::TakeLine(std::uint64_t line, bool store, bool is_further, std::uint32_t owner) {
  if (is_further) {
    auto& counts = AtOwner(further_lines_, owner);
    for (std::size_t i = 0; i < line_shifts_.size(); ++i)
      counts[i] += (line & ((std::uint64_t{1} << line_shifts_[i]) - 1)) == 0 ? 1U : 0U;
  }
  UseLine(line, store, owner);
}

// The line is of a covered group or sampled, or in a window.
void MemoryUse::UseLine(std::uint64_t line, bool store, std::uint32_t owner) {
  const std::uint64_t group = line >> group_shift_ & group_mask_;
  std::uint64_t& known = hot_.lines[group];
  if ((known & ~kClean) == line) {
    if (!store || (known & kClean) == 0) return;
  } else {
    // The line used last in the group was perhaps used again without being passed here.
    const unsigned shift = line_shifts_.front();
    const std::uint64_t before = (known & ~kClean) >> shift;
    if (known != unknown_.lines[group] && IsSampled(before)) far_.Touch(before);
    if (IsSampled(line >> shift)) {
      const unsigned rate = far_.sample().rate_bits();
      far_.Reference(line >> shift, owner);
      if (far_.sample().rate_bits() != rate) regions_.fill({});
    }
  }
  const bool is_covered = (groups_ >> group & 1) != 0;
  const bool in_window = window_grid_ && pages_use_ != PagesUse::kIgnored;
  if (!is_covered && !in_window) return;
  known = line | (store ? 0 : kClean);
  if (in_window) {
    WindowOwner window_owner = is_covered ? kCovered : kUncovered;
    if (pages_from_start_) window_owner = is_covered ? kFirstCovered : kFirstUncovered;
    if (pages_use_ != PagesUse::kCounted) window_owner = kNotCounted;
    window_grid_->Reference(line, store, window_owner);
  }
  if (!is_covered) return;
  const bool is_first = grid_.Reference(line, store, owner);
  if (!is_first && groups_ != ~std::uint32_t{0}) ++AtOwner(group_counts_, owner)[group];
}

void MemoryUse::UsePage(std::uint64_t address, std::uint32_t owner) {
  const unsigned first_shift = page_shifts_.front();
  const std::uint64_t page = address >> first_shift;
  if (pages_.front().IsRecent(page)) return;
  const std::uint64_t before = pages_.front().Replaced(page);
  hot_.pages[page & page_mask_] = page;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    // A page was perhaps used until now, without being passed, as a part of a larger one.
    const std::uint64_t around = before >> (page_shifts_[i] - first_shift);
    if (i > 0 && before != kNoPage && !pages_[i].IsRecent(around)) pages_[i].Use(around);
    const std::uint64_t number = address >> page_shifts_[i];
    if (pages_[i].IsRecent(number)) continue;
    const std::uint64_t others = pages_[i].Pages();
    auto distance = pages_[i].Use(number);
    if (pages_use_ != PagesUse::kCounted) continue;
    if (!distance && !pages_from_start_) distance = others;
    if (distance == 0U) continue;
    const std::size_t bin = distance ? bin_(*distance) : kColdPage;
    auto& counts = AtOwner(page_counts_, owner)[i];
    if (bin >= counts.size()) counts.resize(bin + 1);
    ++counts[bin];
  }
}

std::uint64_t MemoryUse::FurtherLines(std::uint32_t owner, std::size_t line_size) const {
  return owner < further_lines_.size() ? further_lines_[owner][line_size] : 0;
}

std::vector<PageCounts> MemoryUse::PagesOf(std::uint32_t owner) const {
  std::vector<PageCounts> counts(page_shifts_.size());
  if (owner >= page_counts_.size()) return counts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::vector<std::uint32_t>& bins = page_counts_[owner][i];
    if (bins.empty()) continue;
    counts[i].cold = bins[kColdPage];
    counts[i].at_distance.assign(bins.begin(), bins.end());
    counts[i].at_distance[kColdPage] = 0;
  }
  return counts;
}

// The first window has all references of its time. Later ones show how much more all groups have
// than the covered ones, in the rest of the run.
std::vector<double> MemoryUse::GroupScales() const {
  // So many references count as if groups were equal: few in windows say little.
  constexpr double kEqual = 16;
  const double scale = static_cast<double>(AllGroups()) / std::popcount(groups_);
  const std::size_t depths = grid_.max_ways() + 1;
  std::vector<double> scales(grid_.shapes() * depths, scale);
  if (!window_grid_) return scales;
  const StackGrid& window = *window_grid_;
  const auto counts_of = [&](WindowOwner owner) {
    std::vector<std::uint64_t> counts(window.shapes() * depths);
    window.AddDepths(owner, counts);
    return counts;
  };
  const auto first_covered = counts_of(kFirstCovered);
  const auto first_others = counts_of(kFirstUncovered);
  const auto covered = counts_of(kCovered);
  const auto others = counts_of(kUncovered);
  std::vector<std::uint64_t> all_covered(grid_.shapes() * depths);
  grid_.AddAllDepths(all_covered);
  const std::size_t set_counts = grid_.shapes() / line_shifts_.size();
  const std::size_t window_set_counts = window.shapes() / line_shifts_.size();
  for (std::size_t shape = 0; shape < window.shapes(); ++shape) {
    const std::size_t of_grid = shape / window_set_counts * set_counts + shape % window_set_counts;
    double first = 0;
    double first_all = 0;
    double later = 0;
    double later_all = 0;
    double total = 0;
    for (std::size_t depth = depths; depth-- > 1;) {
      const std::size_t i = shape * depths + depth;
      first += static_cast<double>(first_covered[i]);
      first_all += static_cast<double>(first_covered[i]) + static_cast<double>(first_others[i]);
      later += static_cast<double>(covered[i]);
      later_all += static_cast<double>(covered[i]) + static_cast<double>(others[i]);
      total += static_cast<double>(all_covered[of_grid * depths + depth]);
      if (total == 0) continue;
      const double ratio = (later_all + kEqual * scale) / (later + kEqual);
      scales[of_grid * depths + depth] = (first_all + std::max(0.0, total - first) * ratio) / total;
    }
  }
  return scales;
}

std::array<std::uint64_t, kMaxGroups> MemoryUse::GroupsOf(std::uint32_t owner) const {
  std::array<std::uint64_t, kMaxGroups> counts{};
  if (owner < group_counts_.size()) std::ranges::copy(group_counts_[owner], counts.begin());
  return counts;
}

}  // namespace tare::reuse
