// dtw_strip.h: the innermost loop of dynamic time warping, over a strip of rows kept in registers.
// One source file per instruction set includes it; dtw_kernels.h defines a strip.
#pragma once

#include <cstddef>
#include <utility>

#include "stats/dtw_kernels.h"
#include "stats/dtw_lanes.h"

#define TARE_INLINE __attribute__((always_inline))

namespace tare::stats {
namespace {

template <typename Lanes, DtwCost kCost>
typename Lanes::Vector LocalCost(typename Lanes::Vector a, typename Lanes::Vector b) {
  if constexpr (kCost == DtwCost::kAbsolute) {
    return Lanes::Distance(a, b);
  } else {
    return Lanes::Square(a, b);
  }
}

// Lane k computes rows k * kRows to k * kRows + kRows - 1 of the strip. They are divided into
// kStripGroups groups, each one column after the group before it, so that within a step the groups'
// chains of dependent additions are independent of each other.
template <typename Lanes, std::size_t kRows, DtwCost kCost, bool kMany, bool kStore>
class Strip {
 public:
  explicit Strip(const StripWork& work) : work_(work) {}

  void Run() {
    ForRows([&](auto r) TARE_INLINE { left_[r] = Lanes::Set(0); });
    for (auto& vector : before_) vector = Lanes::Set(0);
    for (auto& vector : delay_) vector = Lanes::Set(0);
    // A group reaches its first column, and completes its last, LagOf(group) steps after the
    // strip's first group does. The values that it computes outside of these steps are never used.
    std::size_t entered = 0;
    std::size_t finished = 0;
    while (finished < kUnits) {
      const std::size_t end = work_.columns + LagOf(finished);
      if (entered < kUnits && LagOf(entered) <= end) {
        AdvanceTo(LagOf(entered));
        Enter(entered++);
      } else {
        AdvanceTo(end);
        Leave(finished++);
      }
    }
  }

 private:
  using Vector = typename Lanes::Vector;
  static constexpr std::size_t kWidth = Lanes::kWidth;
  static constexpr std::size_t kGroups = kRows < kStripGroups ? kRows : kStripGroups;
  static constexpr std::size_t kGroupRows = kRows / kGroups;
  static constexpr std::size_t kUnits = kWidth * kGroups;
  // Steps between the last group of a lane and the first group of the next lane on the same column.
  static constexpr std::size_t kDelay = kStripSkew - (kGroups - 1);

  static std::size_t LagOf(std::size_t unit) {
    return unit / kGroups * kStripSkew + unit % kGroups;
  }

  template <typename Body>
  TARE_INLINE static void ForRows(Body body) {
    [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) TARE_INLINE {
      (body(std::integral_constant<std::size_t, kIndex>()), ...);
    }(std::make_index_sequence<kRows>());
  }

  void Enter(std::size_t unit) {
    const std::size_t lane = unit / kGroups;
    const std::size_t group = unit % kGroups;
    double lanes[kWidth];
    for (std::size_t r = group * kGroupRows; r < (group + 1) * kGroupRows; ++r) {
      Lanes::Store(lanes, left_[r]);
      lanes[lane] = work_.left[lane * kRows + r];
      left_[r] = Lanes::Load(lanes);
    }
    Lanes::Store(lanes, before_[group]);
    lanes[lane] = unit == 0 ? work_.corner : corners_[unit - 1];
    before_[group] = Lanes::Load(lanes);
    corners_[unit] = work_.left[lane * kRows + (group + 1) * kGroupRows - 1];
  }

  void Leave(std::size_t unit) {
    const std::size_t lane = unit / kGroups;
    const std::size_t group = unit % kGroups;
    double lanes[kWidth];
    for (std::size_t r = group * kGroupRows; r < (group + 1) * kGroupRows; ++r) {
      Lanes::Store(lanes, left_[r]);
      work_.left[lane * kRows + r] = lanes[lane];
    }
  }

  void AdvanceTo(std::size_t end) {
    if (step_ < work_.masked_before)
      Steps<true>(end < work_.masked_before ? end : work_.masked_before);
    if (step_ < work_.masked_from) Steps<false>(end < work_.masked_from ? end : work_.masked_from);
    Steps<true>(end);
  }

  template <bool kMasked>
  void Steps(std::size_t end) {
    if (step_ >= end) return;
    Vector left[kRows];
    Vector a[kRows];
    Vector before[kGroups];
    ForRows([&](auto r) TARE_INLINE {
      left[r] = left_[r];
      a[r] = Lanes::Load(work_.a + r * kWidth);
      if constexpr (r < kGroups) before[r] = before_[r];
    });
    for (std::size_t t = step_; t < end; ++t) {
      Vector cost[kRows];
      ForRows([&](auto r) TARE_INLINE {
        cost[r] = LocalCost<Lanes, kCost>(a[r], Lanes::Load(AtStep(0, t, r)));
      });
      if constexpr (kMany) {
        for (std::size_t s = 1; s < work_.signals; ++s) {
          ForRows([&](auto r) TARE_INLINE {
            const Vector next_a = Lanes::Load(work_.a + (s * kRows + r) * kWidth);
            const Vector next_b = Lanes::Load(AtStep(s, t, r));
            cost[r] = Lanes::Add(cost[r], LocalCost<Lanes, kCost>(next_a, next_b));
          });
        }
      }
      // `last` saves the last row of each group from the previous step, one column back.
      Vector up = Lanes::ShiftIn(delay_[t % kDelay], work_.row + t);
      Vector last[kGroups];
      ForRows([&](auto r) TARE_INLINE {
        if constexpr ((r + 1) % kGroupRows == 0) last[r / kGroupRows] = left[r];
      });
      Vector diagonal = up;
      ForRows([&](auto r) TARE_INLINE {
        if constexpr (r % kGroupRows == 0) {
          constexpr std::size_t kGroup = r / kGroupRows;
          if constexpr (kGroup > 0) up = last[kGroup - 1];
          diagonal = before[kGroup];
          before[kGroup] = up;
        }
        Vector sum = Lanes::Add(Lanes::Min(Lanes::Min(left[r], diagonal), up), cost[r]);
        if constexpr (kMasked) sum = InBand(t, r, sum);
        diagonal = left[r];
        left[r] = sum;
        up = sum;
        if constexpr (kStore) Lanes::Store(work_.store + (t * kRows + r) * kWidth, sum);
      });
      delay_[t % kDelay] = up;
      Lanes::StoreLast(work_.row + t - LagOf(kUnits - 1), up);
    }
    ForRows([&](auto r) TARE_INLINE {
      left_[r] = left[r];
      if constexpr (r < kGroups) before_[r] = before[r];
    });
    step_ = end;
  }

  // The samples of `signal` in the columns that row r of every lane computes at step t.
  const double* AtStep(std::size_t signal, std::size_t t, std::size_t r) const {
    return work_.b + signal * work_.b_stride + t * kWidth - r / kGroupRows * kWidth;
  }

  // Replaces cells outside the band by infinity. The offsets row - column are integers, which
  // doubles represent exactly.
  Vector InBand(std::size_t t, std::size_t r, Vector sum) const {
    double offsets[kWidth];
    for (std::size_t k = 0; k < kWidth; ++k) {
      const std::size_t diagonal = k * (kRows + kStripSkew) + r + r / kGroupRows;
      offsets[k] = work_.row_less_column + static_cast<double>(diagonal) - static_cast<double>(t);
    }
    return Lanes::Within(Lanes::Load(offsets), work_.band, sum, Lanes::Set(__builtin_inf()));
  }

  StripWork work_;
  std::size_t step_ = 0;
  Vector left_[kRows];
  Vector before_[kGroups];  // the cells above the first row of each group, one column back
  Vector delay_[kDelay];
  double corners_[kUnits];
};

template <typename Lanes, std::size_t kRows, DtwCost kCost, bool kMany, bool kStore>
void RunStrip(const StripWork& work) {
  Strip<Lanes, kRows, kCost, kMany, kStore>(work).Run();
}

template <typename Lanes, std::size_t kRows, DtwCost kCost>
constexpr StripVariants VariantsOf() {
  return {.one = {RunStrip<Lanes, kRows, kCost, false, false>,
                  RunStrip<Lanes, kRows, kCost, false, true>},
          .many = {RunStrip<Lanes, kRows, kCost, true, false>,
                   RunStrip<Lanes, kRows, kCost, true, true>}};
}

template <typename Lanes, std::size_t kRows>
constexpr StripKernel KernelOf() {
  return {.lanes = Lanes::kWidth,
          .rows_per_lane = kRows,
          .absolute = VariantsOf<Lanes, kRows, DtwCost::kAbsolute>(),
          .squared = VariantsOf<Lanes, kRows, DtwCost::kSquared>()};
}

// Only for one signal and without storing: the case that needs the fewest registers.
template <typename Lanes, std::size_t kRows>
constexpr StripKernel PlainKernelOf() {
  return {.lanes = Lanes::kWidth,
          .rows_per_lane = kRows,
          .absolute = {.one = {RunStrip<Lanes, kRows, DtwCost::kAbsolute, false, false>, nullptr},
                       .many = {nullptr, nullptr}},
          .squared = {.one = {RunStrip<Lanes, kRows, DtwCost::kSquared, false, false>, nullptr},
                      .many = {nullptr, nullptr}}};
}

// As many rows as fit into the registers, then smaller strips for the remaining rows.
constexpr StripKernel kKernels[kKernelCount] = {PlainKernelOf<WideLanes, WideLanes::kRows>(),
                                                KernelOf<WideLanes, 8>(), KernelOf<WideLanes, 2>(),
                                                KernelOf<OneLane, 1>()};

}  // namespace
}  // namespace tare::stats
