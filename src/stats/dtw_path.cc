// dtw_path.cc: computes the distance by panels of columns, and the path with a grid of saved rows
// and columns.
#include "stats/dtw_path.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace tare::stats {
namespace {

constexpr double kNoPath = std::numeric_limits<double>::infinity();

// The number of columns computed at once: their samples and the row above fit into the L1 cache.
constexpr std::size_t kPanel = 1024;

// Rectangles of up to this many doubles are stored whole; a square of kTile by kTile must fit.
constexpr std::size_t kStoredDoubles = 48 * 1024;
constexpr std::size_t kTile = 192;
// A grid has at most this many rows and columns of tiles, so its memory is a fixed multiple of the
// rectangle's height and width.
constexpr std::size_t kGrid = 16;

// The length of a tile along one side of a rectangle.
std::size_t TileLength(std::size_t length, std::size_t multiple) {
  const std::size_t tiles = std::clamp<std::size_t>((length + kTile - 1) / kTile, 1, kGrid);
  const std::size_t tile = (length + tiles - 1) / tiles;
  return (tile + multiple - 1) / multiple * multiple;
}

// The cells on the border of a rectangle, which determine all cells in it.
struct Border {
  std::span<const double> above;
  std::span<const double> left;
  double corner;
};

// Traces the path from the last cell to the first. A rectangle that is too large to store is
// computed once, saving the rows and columns that divide it into tiles; then only the tiles on the
// path are computed again, recursively. Driga et al. (2006) use this method for sequence alignment
// ("FastLSA"); with a grid of two by two it is Hirschberg's (1975) divide and conquer.
class PathFinder {
 public:
  explicit PathFinder(const WarpProblem& problem) : problem_(problem), filler_(problem) {}

  WarpPath Find() {
    const std::vector<double> above(problem_.columns, kNoPath);
    const std::vector<double> left(problem_.rows, kNoPath);
    steps_.reserve(problem_.rows + problem_.columns);
    at_ = {problem_.rows - 1, problem_.columns - 1};
    const double distance = Trace({0, problem_.rows, 0, problem_.columns}, {above, left, 0});
    CHECK(done_);
    std::ranges::reverse(steps_);
    return {distance, std::move(steps_)};
  }

 private:
  // Traces the path from `at_`, the last cell of the rectangle, until it leaves the rectangle.
  // Returns the value of that last cell.
  double Trace(const Rectangle& rectangle, const Border& border) {
    std::vector<StripPlace> strips = PlaceStrips(problem_, rectangle, true);
    if (CellsToStore(strips) > kStoredDoubles) return TraceGrid(rectangle, border);
    return TraceStored(rectangle, border, std::move(strips));
  }

  double TraceGrid(const Rectangle& rectangle, const Border& border) {
    const std::size_t tile_height = TileLength(rectangle.Height(), problem_.kernels.front().Rows());
    const std::size_t tile_width = TileLength(rectangle.Width(), 1);
    const std::size_t tile_rows = (rectangle.Height() - 1) / tile_height + 1;
    const std::size_t tile_columns = (rectangle.Width() - 1) / tile_width + 1;
    // The last row of every row of tiles, and the last column of every column of tiles.
    std::vector<double> rows(tile_rows * rectangle.Width());
    std::vector<double> columns(tile_columns * rectangle.Height());
    const auto tile_at = [&](std::size_t r, std::size_t c) {
      return Rectangle{
          rectangle.row_begin + r * tile_height,
          std::min(rectangle.row_begin + (r + 1) * tile_height, rectangle.row_end),
          rectangle.column_begin + c * tile_width,
          std::min(rectangle.column_begin + (c + 1) * tile_width, rectangle.column_end)};
    };
    const auto border_of = [&](std::size_t r, std::size_t c) {
      const std::size_t row = r * tile_height;
      const std::size_t column = c * tile_width;
      const Rectangle tile = tile_at(r, c);
      const auto above = r == 0 ? border.above
                                : std::span<const double>(rows).subspan((r - 1) * rectangle.Width(),
                                                                        rectangle.Width());
      const auto left = c == 0 ? border.left
                               : std::span<const double>(columns).subspan(
                                     (c - 1) * rectangle.Height(), rectangle.Height());
      const double corner = column > 0 ? above[column - 1]
                            : row > 0  ? left[row - 1]
                                       : border.corner;
      return Border{above.subspan(column, tile.Width()), left.subspan(row, tile.Height()), corner};
    };
    for (std::size_t c = 0; c < tile_columns; ++c) {
      const std::span<double> column =
          std::span(columns).subspan(c * rectangle.Height(), rectangle.Height());
      for (std::size_t r = 0; r < tile_rows; ++r) {
        const Rectangle tile = tile_at(r, c);
        const Border tile_border = border_of(r, c);
        if (r == 0) filler_.SetColumns(tile.column_begin, tile.column_end, tile_border.above);
        const std::span<double> left = column.subspan(r * tile_height, tile.Height());
        std::ranges::copy(tile_border.left, left.begin());
        filler_.Fill(tile.row_begin, tile.row_end, left, tile_border.corner);
        std::ranges::copy(
            filler_.Row(),
            rows.begin() + static_cast<std::ptrdiff_t>(r * rectangle.Width() + c * tile_width));
      }
    }
    CHECK(tile_rows * tile_columns > 1);
    const double last = rows.back();
    if (Overflows(last)) return last;
    while (Within(rectangle)) {
      const std::size_t r = (at_.a - rectangle.row_begin) / tile_height;
      const std::size_t c = (at_.b - rectangle.column_begin) / tile_width;
      Rectangle part = tile_at(r, c);
      part.row_end = at_.a + 1;
      part.column_end = at_.b + 1;
      Border part_border = border_of(r, c);
      part_border.above = part_border.above.first(part.Width());
      part_border.left = part_border.left.first(part.Height());
      Trace(part, part_border);
    }
    return last;
  }

  double TraceStored(const Rectangle& rectangle, const Border& border,
                     std::vector<StripPlace> strips) {
    stored_.cells.resize(std::max(stored_.cells.size(), CellsToStore(strips)));
    stored_.strips = std::move(strips);
    left_.assign(border.left.begin(), border.left.end());
    filler_.SetColumns(rectangle.column_begin, rectangle.column_end, border.above);
    filler_.Fill(rectangle.row_begin, rectangle.row_end, left_, border.corner, &stored_);
    const double last = filler_.Row().back();
    if (Overflows(last)) return last;

    std::size_t strip = stored_.strips.size() - 1;
    const auto view_of = [&](std::size_t row) {
      if (row + 1 == rectangle.row_begin || row == kNone) {
        return RowView{border.above.data(), 1, rectangle.column_begin, border.corner};
      }
      while (row < stored_.strips[strip].row) --strip;
      const StripPlace& place = stored_.strips[strip];
      return RowView{
          stored_.cells.data() + place.stored_at + place.kernel->StoredAt(row - place.row, 0),
          place.kernel->Rows(), place.column_begin, border.left[row - rectangle.row_begin]};
    };
    RowView here = view_of(at_.a);
    RowView above = view_of(at_.a - 1);
    while (true) {
      steps_.push_back(at_);
      if (at_ == DtwStep{0, 0}) {
        done_ = true;
        return last;
      }
      const bool has_above = at_.a > 0;
      const bool has_left = at_.b > 0;
      const auto cell = [&](const RowView& view, std::size_t row, std::size_t column) {
        if (!problem_.InBand(row, column)) return kNoPath;
        if (column < rectangle.column_begin) return view.before;
        return view.cells[(column - view.column_begin) * view.stride];
      };
      const double up = has_above ? cell(above, at_.a - 1, at_.b) : kNoPath;
      const double left = has_left ? cell(here, at_.a, at_.b - 1) : kNoPath;
      const double diagonal = has_above && has_left ? cell(above, at_.a - 1, at_.b - 1) : kNoPath;
      const bool step_a = diagonal <= left || up <= left;
      if (diagonal <= std::min(up, left) || !step_a) --at_.b;
      if (step_a) --at_.a;
      if (!Within(rectangle)) return last;
      if (step_a) {
        here = above;
        above = view_of(at_.a - 1);
      }
    }
  }

  // The cells of one row from column_begin on; `before` is the cell to the left of the rectangle.
  struct RowView {
    const double* cells;
    std::size_t stride;
    std::size_t column_begin;
    double before;
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  bool Within(const Rectangle& rectangle) const {
    return !done_ && at_.a >= rectangle.row_begin && at_.b >= rectangle.column_begin;
  }

  // If the sum overflows, there is no path to trace.
  bool Overflows(double value) {
    if (value == kNoPath) done_ = true;
    return done_;
  }

  const WarpProblem& problem_;
  BlockFiller filler_;
  StoredCells stored_;
  std::vector<double> left_;
  std::vector<DtwStep> steps_;
  DtwStep at_{};
  bool done_ = false;
};

}  // namespace

double WarpDistance(const WarpProblem& problem) {
  BlockFiller filler(problem);
  std::vector<double> left(problem.rows, kNoPath);
  for (std::size_t begin = 0; begin < problem.columns; begin += kPanel) {
    filler.SetColumns(begin, std::min(begin + kPanel, problem.columns));
    filler.Fill(0, problem.rows, left, begin == 0 ? 0 : kNoPath);
  }
  return filler.Row().back();
}

WarpPath FindWarpPath(const WarpProblem& problem) { return PathFinder(problem).Find(); }

}  // namespace tare::stats
