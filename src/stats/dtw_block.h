// dtw_block.h: computes rectangles of the warping matrix from the cells on their borders.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/dtw_kernels.h"

namespace tare::stats {

// Two recordings, each a contiguous array [signal][sample], and how their samples may be paired.
struct WarpProblem {
  std::vector<double> a;
  std::vector<double> b;
  std::size_t rows;     // number of samples of a
  std::size_t columns;  // number of samples of b
  std::size_t signals;
  DtwCost cost;
  std::size_t band;  // no limit if it is max(rows, columns) or more
  std::span<const StripKernel> kernels;

  bool InBand(std::size_t row, std::size_t column) const {
    return (row < column ? column - row : row - column) <= band;
  }
};

// Half-open ranges of rows and columns.
struct Rectangle {
  std::size_t row_begin;
  std::size_t row_end;
  std::size_t column_begin;
  std::size_t column_end;

  std::size_t Height() const { return row_end - row_begin; }
  std::size_t Width() const { return column_end - column_begin; }
};

// The rows of a rectangle that one strip computes, and their columns within the band.
struct StripPlace {
  const StripKernel* kernel;
  std::size_t row;
  std::size_t column_begin;
  std::size_t column_end;  // equal to column_begin if no column is within the band
  std::size_t stored_at;   // index into StoredCells::cells
};

// All cells of a rectangle, for tracing the path back.
struct StoredCells {
  std::vector<StripPlace> strips;  // from top to bottom
  std::vector<double> cells;
};

// Divides the rectangle into strips that either store all their cells or none.
std::vector<StripPlace> PlaceStrips(const WarpProblem& problem, const Rectangle& rectangle,
                                    bool store);

// The number of doubles that storing all cells takes.
std::size_t CellsToStore(std::span<const StripPlace> strips);

// Computes one rectangle after another and reuses its working memory.
class BlockFiller {
 public:
  explicit BlockFiller(const WarpProblem& problem) : problem_(problem) {}

  // Selects the columns to compute and sets the row above them.
  void SetColumns(std::size_t begin, std::size_t end, std::span<const double> above);
  // The same with a row of infinities above.
  void SetColumns(std::size_t begin, std::size_t end);

  // Computes rows of the selected columns. On entry `left` contains the column before them, from
  // row_begin to row_end; on return it contains their last column. `corner` is the cell above
  // `left`. If `stored` is given, its strips must be those of the rectangle, and its cells are
  // filled.
  void Fill(std::size_t row_begin, std::size_t row_end, std::span<double> left, double corner,
            StoredCells* stored = nullptr);

  // The last computed row in the selected columns. The values of cells outside the band are
  // unspecified; no cell in the band depends on them.
  std::span<const double> Row() const;

 private:
  void FillStrip(const StripPlace& strip, double* left, double corner, double* store);
  void ArrangeRows(const StripPlace& strip);

  const WarpProblem& problem_;
  std::size_t column_begin_ = 0;
  std::size_t column_end_ = 0;
  std::vector<double> row_;       // kStripMargin of scratch space on either side
  std::vector<double> lanes_b_;   // [signal][step][lane]
  std::vector<double> narrow_b_;  // [signal][step]
  std::vector<double> lanes_a_;   // [signal][row of lane][lane]
  std::vector<StripPlace> strips_;
};

}  // namespace tare::stats
