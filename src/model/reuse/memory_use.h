// memory_use.h: how the owners of references use memory, valid for every cache and TLB.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/reuse/far_distances.h"
#include "model/reuse/flat_map.h"
#include "model/reuse/page_distances.h"
#include "model/reuse/stack_grid.h"
#include "model/reuse/stride_bins.h"

namespace tare::reuse {

// Addresses are divided into groups by the lowest bits that select a set in every shape. So all
// lines of a set are of one group, and a group can be simulated alone.
inline constexpr unsigned kMaxGroups = 32;
inline constexpr unsigned kMaxPageSizes = 4;

// The lines of covered groups in a region of 64 lines, a bit each; all lines if a region does not
// have lines of all groups.
std::uint64_t NearLines(const GridShapes& shapes, std::uint32_t groups);

struct MemoryUsePlan {
  GridShapes shapes;
  // The groups that the near zone covers, a bit each.
  std::uint32_t groups = ~std::uint32_t{0};
  FarPlan far;                                     // of lines of the smallest size
  std::vector<std::uint64_t> page_bytes = {4096};  // ascending powers of two, up to kMaxPageSizes
  unsigned page_entries = 1;                       // of PageDistances; exact with 1
  unsigned stride_depth = 8;
};

struct Reference {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  // at least 1
  bool store = false;
  std::uint64_t site = 0;  // address of the instruction
  std::uint32_t owner = 0;
};

// The use of pages of one size.
struct PageCounts {
  // By bin. Distance 0 is not counted: it is the rest.
  std::vector<std::uint64_t> at_distance;
  std::uint64_t cold = 0;
};

// Takes references in program order.
class MemoryUse {
  // What matters of a region of 64 lines.
  struct Region {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint64_t lines = 0;    // a bit each: those of covered groups, and sampled lines
    std::uint64_t sampled = 0;  // a bit each
  };
  using Regions = std::array<Region, 512>;  // by number modulo their number
  struct Hot {
    // By group: the line used last; plus kClean unless a store has marked it in all shapes.
    std::array<std::uint64_t, kMaxGroups> lines{};
    // The table of pages_[0].
    std::array<std::uint64_t, kMaxPageEntries> pages{};
  };
  static constexpr std::uint64_t kClean = std::uint64_t{1} << 63;

 public:
  explicit MemoryUse(const MemoryUsePlan& plan);

  // The state that a loop over references keeps in registers, for references that need not be
  // passed to Take. Either nothing about the line is sampled, and pages are not looked at. Or the
  // line is the one used last in its group and, for a store, dirty, so it is at depth 0 in all
  // shapes; and the page is the one used last in its entry.
  class Recent {
   public:
    // Whether the reference is one of those. It is within a line if (address - line) << shift is at
    // most `max_offset`; `shift` is 0 for a store and 1 for a load.
    bool Use(std::uint64_t address, std::uint16_t max_offset, unsigned shift) const {
      const std::uint64_t number = address >> line_shift_;
      const std::uint64_t region = number >> kRegionShift;
      const Region& known = (*regions_)[region % regions_->size()];
      if (known.number == region && (known.lines >> (number % 64) & 1) == 0 &&
          (address & line_mask_) << shift <= max_offset)
        return true;
      const std::uint64_t line = hot_->lines[address >> group_shift_ & group_mask_];
      if ((address - line) << shift > max_offset) return false;
      const std::uint64_t page = address >> page_shift_;
      return page == hot_->pages[page & page_mask_] || !looks_at_pages_;
    }

   private:
    friend class MemoryUse;
    const Hot* hot_ = nullptr;
    const Regions* regions_ = nullptr;
    bool looks_at_pages_ = true;
    unsigned line_shift_ = 0;
    std::uint64_t line_mask_ = 0;
    unsigned group_shift_ = 0;
    unsigned page_shift_ = 0;
    std::uint64_t group_mask_ = 0;
    std::uint64_t page_mask_ = 0;
  };
  // During a burst it knows no line.
  Recent recent() const;

  void Take(const Reference& reference);
  // A line of the smallest size. `is_further`: of an access that began in the line before. Neither
  // pages nor strides are looked at.
  void TakeLine(std::uint64_t line, bool store, bool is_further, std::uint32_t owner);

  // In a burst, all references must be passed to Take, which counts their strides.
  void StartBurst();
  void EndBurst() { in_burst_ = false; }

  // Call it after the last reference, before the counts are read.
  void Finish() { grid_.CountEvicted(); }

  // Pages are looked at from the start, and so are the lines of all groups, in stacks of their own:
  // a window. They may be left out for a while.
  void IgnorePages();
  // Looks at them again, with empty stacks, but counts nothing yet.
  void WarmPages();
  bool counts_pages() const { return pages_use_ == PagesUse::kCounted; }
  // Counts them. A page whose last use is not known is as far away as all those that were used.
  void CountPages();

  unsigned line_bytes() const { return line_bytes_; }  // the smallest
  const StackGrid& grid() const { return grid_; }
  const FarDistances& far() const { return far_; }
  const StrideBins& strides() const { return strides_; }

  // References beyond the first of accesses that span several lines of a size.
  std::uint64_t FurtherLines(std::uint32_t owner, std::size_t line_size) const;
  // By page size.
  std::vector<PageCounts> PagesOf(std::uint32_t owner) const;
  // References of each group that were not at depth 0 of the first shape.
  std::array<std::uint64_t, kMaxGroups> GroupsOf(std::uint32_t owner) const;
  // References at a depth or beyond it, by shape and depth as in StackGrid::AddDepths: all groups
  // relative to the covered ones. From the windows for caches that fill soon, otherwise by number.
  std::vector<double> GroupScales() const;
  // The groups that the near zone covers, a bit each, and the number of all that there are.
  std::uint32_t groups() const { return groups_; }
  unsigned AllGroups() const { return static_cast<unsigned>(group_mask_) + 1; }

 private:
  void UseLine(std::uint64_t line, bool store, std::uint32_t owner);
  void UsePage(std::uint64_t address, std::uint32_t owner);
  void ForgetUncovered();
  const Region& RegionOf(std::uint64_t line);
  bool Matters(std::uint64_t line);
  bool IsSampled(std::uint64_t line);
  void CountFurtherLines(const Reference& reference);

  unsigned line_bytes_;
  std::vector<unsigned> line_shifts_;
  unsigned group_shift_;
  std::uint64_t group_mask_;
  std::uint32_t groups_;
  bool covers_all_;
  std::uint64_t near_lines_;  // of a region: those of covered groups
  std::function<std::size_t(std::uint64_t)> bin_;
  Hot hot_;
  Hot unknown_;  // knows no line
  Regions regions_{};
  Regions no_regions_{};
  bool in_burst_ = false;
  StackGrid grid_;
  // Of all groups, in windows; empty if all are covered.
  std::optional<StackGrid> window_grid_;
  FarDistances far_;
  StrideBins strides_;
  std::vector<unsigned> page_shifts_;
  std::uint64_t page_mask_;
  unsigned page_entries_;
  enum class PagesUse : std::uint8_t { kIgnored, kWarming, kCounted };
  PagesUse pages_use_ = PagesUse::kCounted;
  bool pages_from_start_ = true;      // so the first use of a page is its first in the program
  std::vector<PageDistances> pages_;  // by page size
  // By owner, page size and bin.
  std::vector<std::array<std::vector<std::uint32_t>, kMaxPageSizes>> page_counts_;
  std::vector<std::array<std::uint32_t, kMaxGroups>> group_counts_;  // if some are not covered
  std::vector<std::array<std::uint64_t, kMaxLineSizes>> further_lines_;
};

}  // namespace tare::reuse
