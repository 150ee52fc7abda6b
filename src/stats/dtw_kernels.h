// dtw_kernels.h: the strips that compute dynamic time warping, for each instruction set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "stats/dtw_cost.h"

namespace tare::stats {

// A strip is lanes * rows_per_lane consecutive rows of the matrix of accumulated costs. Lane k
// computes rows k * rows_per_lane and following, kStripSkew columns after lane k - 1. The rows of a
// lane form up to kStripGroups groups, each one column after the group above it.
inline constexpr std::size_t kStripGroups = 4;
inline constexpr std::size_t kStripSkew = kStripGroups + 1;
inline constexpr std::size_t kWidestLanes = 8;

// An upper limit of the lag of any row of any strip after the strip's first row, in columns.
inline constexpr std::size_t kStripMargin = kWidestLanes * kStripSkew;

// The input and output of one strip over `columns` columns.
struct StripWork {
  const double* a;  // [signal][row of lane][lane]: the samples of the rows
  const double* b;  // [step][lane]: the sample of column t - k * kStripSkew at step t of lane k,
                    // unspecified beyond the ends; readable for kStripMargin steps on either side
  std::size_t b_stride;  // distance from one signal's b to the next
  std::size_t signals;
  std::size_t columns;
  double* row;    // in: the row above the strip; out: its last row. Readable for kStripMargin after
                  // the last column; kStripMargin before the first column are scratch space
  double* left;   // [row] in: the column before the strip; out: its last column
  double corner;  // the cell above the first of `left`
  double* store;  // [step][row of lane][lane]: all cells, in the variants that store them

  // The band: cells with |row - column| > band are infinite. Such cells occur only in steps before
  // masked_before and from masked_from on.
  double row_less_column;  // row - column of the strip's first cell
  double band;
  std::size_t masked_before;
  std::size_t masked_from;
};

using StripFunction = void (*)(const StripWork& work);

// The functions for one signal and for several signals; element 1 of each stores all cells.
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
  // The number of steps by which `row` of the strip reaches a column later than the first row.
  std::size_t Lag(std::size_t row) const {
    return row / rows_per_lane * kStripSkew + row % rows_per_lane / (rows_per_lane / Groups());
  }
  std::size_t Steps(std::size_t columns) const { return columns + Lag(Rows() - 1); }
  // The index of a cell in StripWork::store.
  std::size_t StoredAt(std::size_t row, std::size_t column) const {
    return ((column + Lag(row)) * rows_per_lane + row % rows_per_lane) * lanes +
           row / rows_per_lane;
  }
  // Returns null if there is no such variant; the single-row strip has all variants.
  StripFunction Choose(DtwCost cost, bool many, bool store) const {
    const StripVariants& variants = cost == DtwCost::kAbsolute ? absolute : squared;
    return (many ? variants.many : variants.one)[store ? 1 : 0];
  }
};

inline constexpr std::size_t kKernelCount = 4;

enum class InstructionSet { kBaseline, kAvx2, kAvx512 };

// The strips of one instruction set, from the tallest to one of a single row; empty if this build
// or this processor lacks the instruction set. All give bit-identical sums.
std::span<const StripKernel> StripKernels(InstructionSet set);

// The strips of the best instruction set that this processor supports.
std::span<const StripKernel> BestStripKernels();

}  // namespace tare::stats
