// count_tables_lines.cc: counts by source line, beside the source.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/count_tables.h"
#include "report/wrap.h"

namespace tare::cli {
namespace {

constexpr std::uint64_t kMaxSourceBytes = 64 << 20;
// Columns of source text that fit beside the numbers of a row at 80 columns.
constexpr std::size_t kBesideFile = 36;
constexpr std::size_t kBesideLine = 46;

// Source files, each read once.
class SourceTexts {
 public:
  // Empty if the file cannot be read or has no such line.
  std::string Line(const std::string& file, std::uint32_t line) {
    const std::vector<std::string>& lines = Lines(file);
    return line == 0 || line > lines.size() ? std::string() : lines[line - 1];
  }

  const std::vector<std::string>& Lines(const std::string& file) {
    const auto [found, is_new] = files_.try_emplace(file);
    if (!is_new) return found->second;
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) return found->second;
    const auto text = ReadFile(file, kMaxSourceBytes);
    if (!text) return found->second;
    for (std::string_view rest = *text; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      found->second.push_back(Shown(rest.substr(0, end)));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    return found->second;
  }

 private:
  // Two columns per tab keep deep indentation narrow.
  static std::string Shown(std::string_view line) {
    std::string text;
    for (const char c : line) {
      if (c == '\t') {
        text += "  ";
      } else if (c != '\r') {
        text += c;
      }
    }
    return Printable(text);
  }

  std::map<std::string, std::vector<std::string>> files_;
};

// For people: one line of up to `width` columns. Spaces at its start must not break.
std::string Fitted(const std::string& text, bool brief, std::size_t width) {
  if (!brief) return text;
  std::string shown = report::Cut(text, width);
  const std::size_t indent = std::min(shown.find_first_not_of(' '), shown.size());
  std::string spaces;
  for (std::size_t i = 0; i < indent; ++i) spaces += "\u00a0";
  return shown.replace(0, indent, spaces);
}

std::string WithoutIndent(const std::string& text) {
  const std::size_t start = text.find_first_not_of(' ');
  return start == std::string::npos ? std::string() : text.substr(start);
}

std::string BaseName(const std::string& file) { return file.substr(file.rfind('/') + 1); }

Measured ShareOf(std::uint64_t part, const count::Tally& tally) {
  const std::uint64_t whole = tally.total[count::Metric::kInstructions];
  if (whole == 0) return Absent("nothing was counted");
  return Known(100 * static_cast<double>(part) / static_cast<double>(whole));
}

// Whether `file` is `wanted` or ends in it, at the border of a name.
bool IsNamed(const std::string& file, const std::string& wanted) {
  if (!file.ends_with(wanted)) return false;
  return file.size() == wanted.size() || wanted.starts_with('/') ||
         file[file.size() - wanted.size() - 1] == '/';
}

// Lines between which others are left out take another row.
std::size_t RowsOf(const std::set<std::uint32_t>& lines) {
  std::size_t rows = lines.size();
  std::optional<std::uint32_t> before;
  for (const std::uint32_t line : lines) {
    rows += before && line > *before + 1 ? 1u : 0u;
    before = line;
  }
  return rows;
}

// The lines that ran and those around them; at least one, and no more than fit if `max_rows` is not
// 0, most instructions first.
std::set<std::uint32_t> LinesToShow(const std::map<std::uint32_t, count::CountedLine>& ran,
                                    std::uint32_t last, std::size_t max_rows) {
  constexpr std::uint32_t kAround = 2;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const auto& [line, counts] : ran) order.emplace_back(counts.instructions, line);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           &std::pair<std::uint64_t, std::uint32_t>::first);
  std::set<std::uint32_t> shown;
  for (const auto& [instructions, line] : order) {
    std::set<std::uint32_t> more = shown;
    const std::uint32_t from = line > kAround ? line - kAround : 1;
    for (std::uint32_t at = from; at <= std::min(last, line + kAround); ++at) more.insert(at);
    if (max_rows > 0 && !shown.empty() && RowsOf(more) > max_rows) break;
    shown = std::move(more);
  }
  return shown;
}

}  // namespace

report::Table LineTable(const count::Tally& tally, const count::LineCounts& lines,
                        std::size_t max_rows, bool brief) {
  report::Table table{"lines",
                      "Source lines by instructions",
                      {{"file"},
                       {"line"},
                       report::Detail(report::SymbolColumn("function")),
                       {"instructions"},
                       report::Kept({"share", "%"}),
                       report::Detail({"loads"}),
                       report::Detail({"stores"}),
                       report::Kept({"source"})},
                      {}};
  SourceTexts sources;
  const std::size_t rows =
      max_rows == 0 ? lines.lines.size() : std::min(max_rows, lines.lines.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const count::CountedLine& line = lines.lines[i];
    table.rows.push_back(
        {Printable(BaseName(line.file)), Count(line.line), Printable(elf::Demangled(line.function)),
         Count(line.instructions), ShareOf(line.instructions, tally), Count(line.loads),
         Count(line.stores),
         Fitted(WithoutIndent(sources.Line(line.file, line.line)), brief, kBesideFile)});
  }
  if (lines.without_line > 0) {
    std::string where;
    for (const std::string& object : lines.missing) {
      where += fmt::format("{}{}", where.empty() ? "" : ", ", Printable(BaseName(object)));
    }
    table.rows.push_back({std::string("no line"), report::Cell(), std::string(),
                          Count(lines.without_line), ShareOf(lines.without_line, tally),
                          report::Cell(), report::Cell(), Fitted(where, brief, kBesideFile)});
  }
  return table;
}

Result<report::Table> SourceTable(const count::Tally& tally, const count::LineCounts& lines,
                                  const std::string& file, bool brief, std::size_t max_rows) {
  std::map<std::string, std::map<std::uint32_t, count::CountedLine>> files;
  for (const count::CountedLine& line : lines.lines) {
    if (!IsNamed(line.file, file)) continue;
    count::CountedLine& sum = files[line.file][line.line];
    sum.instructions += line.instructions;
    sum.loads += line.loads;
    sum.stores += line.stores;
  }
  if (files.empty()) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("--annotate {}: no line of such a file ran; --per line lists the files "
                            "of programs built with -g",
                            Printable(file)));
  }
  if (files.size() > 1) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--annotate {}: {} and {} both ran; add a directory", Printable(file),
                            Printable(files.begin()->first), Printable(files.rbegin()->first)));
  }
  const auto& [name, ran] = *files.begin();
  SourceTexts sources;
  if (sources.Lines(name).empty()) {
    return Fail(ErrorKind::kNotFound,
                fmt::format("--annotate {}: cannot read {}", Printable(file), Printable(name)));
  }
  const auto last = static_cast<std::uint32_t>(sources.Lines(name).size());
  const std::set<std::uint32_t> shown = LinesToShow(ran, last, max_rows);
  const bool all_shown = std::ranges::all_of(
      ran, [&](const auto& line) { return line.first > last || shown.contains(line.first); });
  report::Table table{"source",
                      fmt::format("Instructions by line of {}{}", Printable(name),
                                  all_shown ? "" : ", where most ran; -v shows all"),
                      {{"line"},
                       {"instructions"},
                       {"share", "%"},
                       report::Detail({"loads"}),
                       report::Detail({"stores"}),
                       report::Kept({"source"})},
                      {},
                      true};
  std::optional<std::uint32_t> before;
  for (const std::uint32_t at : shown) {
    if (before && at > *before + 1) {
      table.rows.push_back({std::string("…"), report::Cell(), report::Cell(), report::Cell(),
                            report::Cell(), std::string()});
    }
    before = at;
    const auto found = ran.find(at);
    std::vector<report::Cell> row = {
        Number{std::int64_t{at}}, report::Cell(),
        report::Cell(),           report::Cell(),
        report::Cell(),           Fitted(sources.Line(name, at), brief, kBesideLine)};
    if (found != ran.end()) {
      row[1] = Count(found->second.instructions);
      row[2] = ShareOf(found->second.instructions, tally);
      row[3] = Count(found->second.loads);
      row[4] = Count(found->second.stores);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
