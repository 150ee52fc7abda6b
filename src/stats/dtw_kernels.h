// dtw_kernels.h: the strips of which dynamic time warping is made, for each instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "stats/dtw_cost.h"

namespace tare::stats {

// A strip is lanes * rows_per_lane consecutive rows of the matrix of accumulated costs. Lane k has
// rows k * rows_per_lane and on, and works kStripSkew columns behind lane k - 1. The rows of a lane
// form up to kStripGroups groups, each one column behind the group above it.
inline constexpr std::size_t kStripGroups = 4;
inline constexpr std::size_t kStripSkew = kStripGroups + 1;
inline constexpr std::size_t kWidestLanes = 8;

// No row of any strip lags further behind the first one.
inline constexpr std::size_t kStripMargin = kWidestLanes * kStripSkew;

// One strip over `columns` columns.
struct StripWork {
  const double* a;       // [signal][row of lane][lane]: the rows' samples
  const double* b;       // [step][lane]: the sample of column t - k * kStripSkew at step t of lane
                         // k, anything beyond the ends; readable kStripMargin steps either side
  std::size_t b_stride;  // from one signal's b to the next
  std::size_t signals;
  std::size_t columns;
  double* row;   // in: the row above the strip; out: its last row. Readable kStripMargin behind the
                 // last column, and scratch kStripMargin before the first
  double* left;  // [row] in: the column before the strip; out: its last column
  double corner;  // above the first of `left`
  double* store;  // [step][row of lane][lane]: all cells, in the variants that store

  // The band: cells with |row - column| > band are infinite. Steps below masked_before and from
  // masked_from on have such cells.
  double row_less_column;  // of the strip's first cell
  double band;
  std::size_t masked_before;
  std::size_t masked_from;
};

using StripFunction = void (*)(const StripWork& work);

// For one signal and for many; the second of each stores all cells.
struct StripVariants {
  StripFunction one[2];
  StripFunction many[2];
};

struct StripKernel {
  std::size_t lanes;
  std::size_t rows_per_lane;
  StripVariants absolute;
  StripVariants squared;

  std::size_t Rows() const { return lanes * rows_per_lane; }
  std::size_t Groups() const { return std::min(rows_per_lane, kStripGroups); }
  // How many steps `row` of the strip is behind the first row on the same column.
  std::size_t Lag(std::size_t row) const {
    return row / rows_per_lane * kStripSkew + row % rows_per_lane / (rows_per_lane / Groups());
  }
  std::size_t Steps(std::size_t columns) const { return columns + Lag(Rows() - 1); }
  // Where StripWork::store has a cell.
  std::size_t StoredAt(std::size_t row, std::size_t column) const {
    return ((column + Lag(row)) * rows_per_lane + row % rows_per_lane) * lanes +
           row / rows_per_lane;
  }
  // Null where this kernel does not do that; the one of a single row does everything.
  StripFunction Choose(DtwCost cost, bool many, bool store) const {
    const StripVariants& variants = cost == DtwCost::kAbsolute ? absolute : squared;
    return (many ? variants.many : variants.one)[store ? 1 : 0];
  }
};

inline constexpr std::size_t kKernelCount = 4;

enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

// The strips of one instruction set, from the highest to one of a single row; empty where this
// build or this processor lacks it. All give the same sums to the last bit.
std::span<const StripKernel> StripKernels(InstructionSet set);

// Those of the best instruction set that this processor has.
std::span<const StripKernel> BestStripKernels();

}  // namespace tare::stats
