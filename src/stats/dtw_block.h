// dtw_block.h: rectangles of the warping matrix, computed from what borders on them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/dtw_kernels.h"

namespace tare::stats {

// Two recordings, each [signal][sample] in one piece, and how their samples may meet.
struct WarpProblem {
  std::vector<double> a;
  std::vector<double> b;
  std::size_t rows;     // samples of a
  std::size_t columns;  // samples of b
  std::size_t signals;
  DtwCost cost;
  std::size_t band;  // rows + columns where there is none
  std::span<const StripKernel> kernels;

  bool InBand(std::size_t row, std::size_t column) const {
    return (row < column ? column - row : row - column) <= band;
  }
};

// From the first row or column to before the last.
struct Rectangle {
  std::size_t row_begin;
  std::size_t row_end;
  std::size_t column_begin;
  std::size_t column_end;

  std::size_t Height() const { return row_end - row_begin; }
  std::size_t Width() const { return column_end - column_begin; }
};

// Some rows of a rectangle that one kernel computes, and the columns of them within the band.
struct StripPlace {
  const StripKernel* kernel;
  std::size_t row;
  std::size_t column_begin;
  std::size_t column_end;  // equal to column_begin when the band passes by
  std::size_t stored_at;   // in StoredCells::cells
};

// All cells of a rectangle, to walk back through.
struct StoredCells {
  std::vector<StripPlace> strips;  // from the top
  std::vector<double> cells;
};

// How the rectangle is cut into strips, for storing all cells or not.
std::vector<StripPlace> PlaceStrips(const WarpProblem& problem, const Rectangle& rectangle,
                                    bool store);

// How many doubles it takes to store all cells.
std::size_t CellsToStore(std::span<const StripPlace> strips);

// Computes rectangles one after another, keeping its working memory.
class BlockFiller {
 public:
  explicit BlockFiller(const WarpProblem& problem) : problem_(problem) {}

  // Loads the columns to work on, and the row above them.
  void SetColumns(std::size_t begin, std::size_t end, std::span<const double> above);
  // The same with an infinite row above.
  void SetColumns(std::size_t begin, std::size_t end);

  // Computes rows of the loaded columns. `left` holds the column before them, from row_begin to
  // row_end, and afterwards the last column; `corner` is the cell above `left`. With `stored`, its
  // strips must be those of the rectangle; its cells are filled.
  void Fill(std::size_t row_begin, std::size_t row_end, std::span<double> left, double corner,
            StoredCells* stored = nullptr);

  // The last row computed, in the loaded columns. Cells out of band hold anything that an
  // in-band neighbour below never looks at.
  std::span<const double> Row() const;

 private:
  void FillStrip(const StripPlace& strip, double* left, double corner, double* store);
  void ArrangeRows(const StripPlace& strip);

  const WarpProblem& problem_;
  std::size_t column_begin_ = 0;
  std::size_t column_end_ = 0;
  std::vector<double> row_;       // kStripMargin of scratch either side
  std::vector<double> lanes_b_;   // [signal][step][lane]
  std::vector<double> narrow_b_;  // [signal][step]
  std::vector<double> lanes_a_;   // [signal][row of lane][lane]
  std::vector<StripPlace> strips_;
};

}  // namespace tare::stats
