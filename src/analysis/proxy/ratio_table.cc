// ratio_table.cc: sorts columns into ratios and bounds, and validates every cell.
#include "analysis/proxy/ratio_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>

#include "base/printable.h"
#include "stats/interval.h"

namespace tare::proxy {
namespace {

constexpr std::string_view kProgram = "program";

std::string Plain(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    const bool blank = letter == ' ' || letter == '_';
    plain += blank ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return plain;
}

std::string MetricName(const std::string& column) {
  constexpr std::array<std::string_view, 4> kTimes = {"run-time", "runtime", "wall-time", "time"};
  if (std::ranges::find(kTimes, Plain(column)) != kTimes.end()) return std::string(kRunTime);
  return column;
}

struct MetricColumns {
  std::string metric;
  std::size_t value = 0;
  std::optional<std::size_t> low = {};
  std::optional<std::size_t> high = {};
};

class TableAssessor {
 public:
  TableAssessor(const CsvTable& table, double tolerance) : table_(table), tolerance_(tolerance) {}

  Result<ImportedRatios> All() {
    const std::array needed = {kProgram};
    TRY(const auto found, table_.FindColumns(needed));
    program_column_ = found.front();
    TRY_VOID(SortColumns());
    for (std::size_t row = 0; row < table_.Rows(); ++row) TRY_VOID(Row(row));
    return std::move(imported_);
  }

 private:
  std::unexpected<Error> Wrong(const std::string& what) const {
    return Fail(ErrorKind::kFormat, what);
  }

  std::string NameOf(std::size_t column) const { return Printable(table_.Columns()[column]); }

  // The column whose name is `name` without the suffix.
  std::optional<std::size_t> Base(const std::string& name, std::string_view suffix) const {
    if (!name.ends_with(suffix)) return std::nullopt;
    const auto& names = table_.Columns();
    const auto found = std::ranges::find(names, name.substr(0, name.size() - suffix.size()));
    if (found == names.end()) return std::nullopt;
    const auto column = static_cast<std::size_t>(found - names.begin());
    return column == program_column_ ? std::nullopt : std::optional(column);
  }

  bool IsBeside(const std::string& name) const {
    for (const std::string_view suffix : {"_verdict", "_unit"}) {
      if (Base(name, suffix)) return true;
    }
    return false;
  }

  Result<bool> TakeBound(std::size_t column) {
    const std::string& name = table_.Columns()[column];
    for (const std::string_view suffix : {".low", ".high", "_low", "_high"}) {
      const auto base = Base(name, suffix);
      if (!base && suffix.starts_with('.') && name.ends_with(suffix)) {
        return Wrong(fmt::format("{}: the column '{}' is a bound of a metric that has no column",
                                 table_.Name(), Printable(name)));
      }
      if (!base) continue;
      auto& bounds = suffix.ends_with("low") ? lows_ : highs_;
      if (std::ranges::find(bounds, *base, &Bound::base) != bounds.end()) {
        return Wrong(
            fmt::format("{}: '{}' has two columns for one bound", table_.Name(), NameOf(*base)));
      }
      bounds.push_back({*base, column});
      return true;
    }
    return false;
  }

  Result<void> SortColumns() {
    for (std::size_t column = 0; column < table_.Columns().size(); ++column) {
      const std::string& name = table_.Columns()[column];
      if (column == program_column_ || IsBeside(name)) continue;
      TRY(const bool bound, TakeBound(column));
      if (bound) continue;
      MetricColumns metric{MetricName(name), column};
      if (std::ranges::find(metrics_, metric.metric, &MetricColumns::metric) != metrics_.end()) {
        return Wrong(fmt::format("{}: two columns contain {}", table_.Name(), metric.metric));
      }
      metrics_.push_back(std::move(metric));
    }
    if (metrics_.empty()) {
      return Wrong(
          fmt::format("{}: there is no column of ratios besides '{}'", table_.Name(), kProgram));
    }
    return MatchBounds();
  }

  Result<void> MatchBounds() {
    for (MetricColumns& metric : metrics_) {
      const auto find = [&](const std::vector<Bound>& bounds) -> std::optional<std::size_t> {
        const auto found = std::ranges::find(bounds, metric.value, &Bound::base);
        return found == bounds.end() ? std::nullopt : std::optional(found->column);
      };
      metric.low = find(lows_);
      metric.high = find(highs_);
      if (metric.low.has_value() != metric.high.has_value()) {
        return Wrong(fmt::format("{}: '{}' has one bound; an interval needs both", table_.Name(),
                                 NameOf(metric.value)));
      }
    }
    return {};
  }

  Result<void> Row(std::size_t row) {
    ProgramRatios program{std::string(table_.Cell(row, program_column_)), {}};
    if (program.program.find_first_not_of(" \t") == std::string::npos) {
      return Wrong(fmt::format("{}: the program has no name", table_.Place(row)));
    }
    if (!seen_.insert(program.program).second) {
      return Wrong(fmt::format("{}: the program '{}' is listed twice", table_.Place(row),
                               Printable(program.program)));
    }
    for (const MetricColumns& columns : metrics_) {
      TRY(auto metric, Metric(row, columns));
      program.metrics.push_back(std::move(metric));
    }
    imported_.programs.push_back(std::move(program));
    return {};
  }

  bool IsEmpty(std::size_t row, std::size_t column) const {
    return table_.Cell(row, column).find_first_not_of(" \t") == std::string_view::npos;
  }

  Result<MetricRatio> Metric(std::size_t row, const MetricColumns& columns) {
    MetricRatio metric;
    metric.metric = columns.metric;
    TRY(const auto interval, Bounds(row, columns));
    if (IsEmpty(row, columns.value)) {
      if (interval) {
        return Wrong(fmt::format("{}: '{}' has bounds but no ratio", table_.Place(row),
                                 NameOf(columns.value)));
      }
      metric.ratio = Absent("the table has no number for it");
      return metric;
    }
    TRY(const double value, Positive(row, columns.value));
    metric.ratio = interval ? RatioWithin(value, interval->low, interval->high) : Unbounded(value);
    if (interval && !(interval->low <= value && value <= interval->high)) {
      return Wrong(fmt::format("{}: {} of '{}' is not between its bounds {} and {}",
                               table_.Place(row), value, NameOf(columns.value), interval->low,
                               interval->high));
    }
    if (!interval) ++imported_.without_interval;
    SetVerdict(tolerance_, {}, metric);
    return metric;
  }

  // Absent if neither bound is given.
  Result<std::optional<stats::Interval>> Bounds(std::size_t row,
                                                const MetricColumns& columns) const {
    if (!columns.low) return std::nullopt;
    const bool low = !IsEmpty(row, *columns.low);
    const bool high = !IsEmpty(row, *columns.high);
    if (!low && !high) return std::nullopt;
    if (low != high) {
      return Wrong(fmt::format("{}: '{}' has one bound; an interval needs both", table_.Place(row),
                               NameOf(columns.value)));
    }
    TRY(const double lower, Positive(row, *columns.low));
    TRY(const double upper, Positive(row, *columns.high));
    return stats::Interval{lower, upper};
  }

  Result<double> Positive(std::size_t row, std::size_t column) const {
    TRY(const double value, table_.Number(row, column));
    if (value > 0) return value;
    return Wrong(fmt::format("{}, column '{}': expected a ratio above 0, not {}", table_.Place(row),
                             NameOf(column), value));
  }

  struct Bound {
    std::size_t base;
    std::size_t column;
  };

  const CsvTable& table_;
  double tolerance_;
  std::size_t program_column_ = 0;
  std::vector<MetricColumns> metrics_;
  std::vector<Bound> lows_;
  std::vector<Bound> highs_;
  std::set<std::string> seen_;
  ImportedRatios imported_;
};

}  // namespace

Result<ImportedRatios> AssessTable(const CsvTable& table, double tolerance) {
  return TableAssessor(table, tolerance).All();
}

}  // namespace tare::proxy
