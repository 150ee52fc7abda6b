// common_options.cc: the rows of the common options.
#include "cli/common_options.h"

#include <algorithm>
#include <array>

namespace tare::cli {
namespace {

const auto kFlags = std::to_array<Flag<CommonOptions>>({
    {{"--json", "", "print the whole result as JSON"}, &CommonOptions::json},
    {{"--csv", "TABLE", "print one table as comma-separated values; - for the main one"},
     &CommonOptions::csv},
    {{"--markdown", "TABLE", "print one table as Markdown; - for the main one"},
     &CommonOptions::markdown},
    {{"--list-tables", "", "list the ids of the tables; runs nothing"},
     &CommonOptions::list_tables},
    {{"--save", "FILE", "also write the whole result as JSON to FILE"}, &CommonOptions::save},
    {{"--html", "FILE", "also write the whole result as a page for a browser to FILE"},
     &CommonOptions::html},
    {{"--svg", "FILE", "also write a plot of the result to FILE"}, &CommonOptions::svg},
    {{"--figure", "ID", "the plot for --svg, named by its id (default: the first)"},
     &CommonOptions::figure},
    {{"-v,--verbose", "", "show all tables, columns and rows"}, &CommonOptions::verbose},
    {{"-q,--quiet", "", "show neither progress nor the closing line"}, &CommonOptions::quiet},
    {{"-h,--help", "", "show this help"}, &CommonOptions::help},
});

}  // namespace

std::vector<BoundFlag> BindCommonFlags(const std::shared_ptr<CommonOptions>& options,
                                       std::span<const BoundFlag> own) {
  std::vector<BoundFlag> flags = BindFlags<CommonOptions>(kFlags, options);
  std::erase_if(flags, [own](const BoundFlag& flag) {
    return std::ranges::any_of(
        own, [&](const BoundFlag& other) { return LongName(other.text) == LongName(flag.text); });
  });
  return flags;
}

}  // namespace tare::cli
