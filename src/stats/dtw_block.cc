// dtw_block.cc: divides rectangles of the warping matrix into strips and computes them.
#include "stats/dtw_block.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace tare::stats {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The tallest strip that supports the request, fits into the remaining rows and is not much taller
// than the band.
const StripKernel& KernelFor(const WarpProblem& problem, std::size_t rows, bool store) {
  for (const StripKernel& kernel : problem.kernels) {
    if (kernel.Rows() <= rows && (kernel.Rows() <= 2 * problem.band || kernel.Rows() == 1) &&
        kernel.Choose(problem.cost, problem.signals > 1, store) != nullptr) {
      return kernel;
    }
  }
  return problem.kernels.back();
}

// Arranges the columns of b from `begin` to `end` in the layout of StripWork::b.
void FanOut(const WarpProblem& problem, std::size_t begin, std::size_t end, std::size_t lanes,
            std::vector<double>& fanned) {
  const std::size_t steps = end - begin + 2 * kStripMargin;
  fanned.assign(problem.signals * steps * lanes, 0.0);
  for (std::size_t s = 0; s < problem.signals; ++s) {
    const double* from = problem.b.data() + s * problem.columns;
    double* to = fanned.data() + (s * steps + kStripMargin) * lanes;
    for (std::size_t k = 0; k < lanes; ++k) {
      for (std::size_t j = begin; j < end; ++j) {
        to[(j - begin + k * kStripSkew) * lanes + k] = from[j];
      }
    }
  }
}

}  // namespace

std::vector<StripPlace> PlaceStrips(const WarpProblem& problem, const Rectangle& rectangle,
                                    bool store) {
  std::vector<StripPlace> strips;
  std::size_t stored = 0;
  for (std::size_t row = rectangle.row_begin; row < rectangle.row_end;) {
    const StripKernel& kernel = KernelFor(problem, rectangle.row_end - row, store);
    const std::size_t last = row + kernel.Rows() - 1;
    const std::size_t first_column = row > problem.band ? row - problem.band : 0;
    const std::size_t begin =
        std::clamp(first_column, rectangle.column_begin, rectangle.column_end);
    const std::size_t end = std::clamp(last + problem.band + 1, begin, rectangle.column_end);
    strips.push_back({&kernel, row, begin, end, stored});
    if (begin < end) stored += kernel.Steps(end - begin) * kernel.Rows();
    row += kernel.Rows();
  }
  return strips;
}

std::size_t CellsToStore(std::span<const StripPlace> strips) {
  if (strips.empty()) return 0;
  const StripPlace& last = strips.back();
  const std::size_t columns = last.column_end - last.column_begin;
  return last.stored_at + (columns > 0 ? last.kernel->Steps(columns) * last.kernel->Rows() : 0);
}

void BlockFiller::SetColumns(std::size_t begin, std::size_t end) {
  column_begin_ = begin;
  column_end_ = end;
  row_.assign(end - begin + 2 * kStripMargin, kInfinity);
  FanOut(problem_, begin, end, problem_.kernels.front().lanes, lanes_b_);
  FanOut(problem_, begin, end, 1, narrow_b_);
}

void BlockFiller::SetColumns(std::size_t begin, std::size_t end, std::span<const double> above) {
  CHECK(above.size() == end - begin);
  SetColumns(begin, end);
  std::ranges::copy(above, row_.begin() + kStripMargin);
}

std::span<const double> BlockFiller::Row() const {
  return std::span(row_).subspan(kStripMargin, column_end_ - column_begin_);
}

void BlockFiller::Fill(std::size_t row_begin, std::size_t row_end, std::span<double> left,
                       double corner, StoredCells* stored) {
  CHECK(left.size() == row_end - row_begin);
  if (stored == nullptr) {
    strips_ = PlaceStrips(problem_, {row_begin, row_end, column_begin_, column_end_}, false);
  }
  for (const StripPlace& strip : stored == nullptr ? strips_ : stored->strips) {
    const std::size_t rows = strip.kernel->Rows();
    double* strip_left = left.data() + (strip.row - row_begin);
    const double next_corner = strip_left[rows - 1];
    if (strip.column_begin > column_begin_) {
      // The column to the left of this strip is outside the band.
      std::fill_n(strip_left, rows, kInfinity);
      corner = row_[kStripMargin + strip.column_begin - 1 - column_begin_];
    }
    if (strip.column_begin < strip.column_end) {
      FillStrip(strip, strip_left, corner,
                stored == nullptr ? nullptr : stored->cells.data() + strip.stored_at);
    }
    if (strip.column_end < column_end_) std::fill_n(strip_left, rows, kInfinity);
    corner = next_corner;
  }
}

void BlockFiller::ArrangeRows(const StripPlace& strip) {
  const StripKernel& kernel = *strip.kernel;
  lanes_a_.resize(problem_.signals * kernel.Rows());
  for (std::size_t s = 0; s < problem_.signals; ++s) {
    const double* from = problem_.a.data() + s * problem_.rows + strip.row;
    double* to = lanes_a_.data() + s * kernel.Rows();
    for (std::size_t row = 0; row < kernel.Rows(); ++row) {
      to[row % kernel.rows_per_lane * kernel.lanes + row / kernel.rows_per_lane] = from[row];
    }
  }
}

void BlockFiller::FillStrip(const StripPlace& strip, double* left, double corner, double* store) {
  const StripKernel& kernel = *strip.kernel;
  ArrangeRows(strip);
  const std::size_t columns = strip.column_end - strip.column_begin;
  const std::size_t steps = kernel.Steps(columns);
  const std::size_t first = kStripMargin + strip.column_begin - column_begin_;
  const std::vector<double>& fanned = kernel.lanes == 1 ? narrow_b_ : lanes_b_;
  // In the first steps cells can be too far below the band, in the last steps too far above it.
  const std::size_t lowest = strip.row + kernel.Rows() - 1 + (steps - columns);
  const std::size_t above = strip.column_begin + problem_.band;
  const std::size_t below = strip.row + problem_.band + 1;
  kernel.Choose(problem_.cost, problem_.signals > 1, store != nullptr)(
      {.a = lanes_a_.data(),
       .b = fanned.data() + first * kernel.lanes,
       .b_stride = (column_end_ - column_begin_ + 2 * kStripMargin) * kernel.lanes,
       .signals = problem_.signals,
       .columns = columns,
       .row = row_.data() + first,
       .left = left,
       .corner = corner,
       .store = store,
       .row_less_column = static_cast<double>(strip.row) - static_cast<double>(strip.column_begin),
       .band = static_cast<double>(problem_.band),
       .masked_before = lowest > above ? std::min(lowest - above, steps) : 0,
       .masked_from =
           below > strip.column_begin ? std::min(below - strip.column_begin, steps) : 0});
}

}  // namespace tare::stats
