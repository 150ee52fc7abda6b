// svg.cc: finds the plot of a document.
#include "report/svg.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <type_traits>
#include <vector>

#include "base/printable.h"

namespace tare::report {
namespace {

bool HasPlot(const Block& block) {
  return std::visit(
      []<typename Kind>(const Kind& part) {
        if constexpr (std::is_same_v<Kind, Series>) {
          return !part.lines.empty();
        } else if constexpr (std::is_same_v<Kind, Bars>) {
          return !part.bars.empty();
        } else if constexpr (std::is_same_v<Kind, Tree>) {
          return !part.roots.empty();
        } else if constexpr (std::is_same_v<Kind, Timeline>) {
          return !part.lanes.empty();
        } else {
          return false;
        }
      },
      block);
}

std::string IdOf(const Block& block) {
  return std::visit([](const auto& part) { return part.id; }, block);
}

}  // namespace

Result<std::string> ToSvg(const Document& document, std::string_view id) {
  std::vector<std::string> plots;
  const Block* found = nullptr;
  for (const Block& block : document.blocks) {
    if (HasPlot(block)) plots.push_back(IdOf(block));
    const bool is_table = std::holds_alternative<Table>(block);
    const bool fits =
        id.empty() ? HasPlot(block) : IdOf(block) == id && (HasPlot(block) || is_table);
    if (fits && found == nullptr) found = &block;
  }
  if (found == nullptr && id.empty()) {
    return Fail(ErrorKind::kUsage,
                "this result has no plot; --figure TABLE draws the intervals of a table");
  }
  if (found == nullptr) {
    return Fail(ErrorKind::kUsage, fmt::format("this result has no plot '{}'; its plots are {}",
                                               Printable(id), fmt::join(plots, ", ")));
  }
  return std::visit(
      []<typename Kind>(const Kind& part) -> std::string {
        if constexpr (std::is_same_v<Kind, Text>) {
          return "";
        } else {
          return ToSvg(part);
        }
      },
      *found);
}

}  // namespace tare::report
