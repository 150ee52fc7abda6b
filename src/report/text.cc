// text.cc: renders a whole document as text, block by block.
#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <ranges>
#include <type_traits>

#include "base/printable.h"
#include "report/paint.h"
#include "report/text_blocks.h"
#include "report/wrap.h"

namespace tare::report {
namespace {

constexpr std::size_t kMinWidth = 20;

std::string PaintedLines(const std::vector<std::string>& lines, Paint paint, bool colour) {
  std::string text;
  for (const std::string& line : lines) text += Painted(line, paint, colour) + "\n";
  return text;
}

std::string Heading(std::string_view title, const TextStyle& style) {
  if (title.empty()) return "";
  return PaintedLines(Wrap(Printable(title), style.width), Paint::kBold, style.colour);
}

// `max_rows` is for tables of brief text; 0: any number.
std::string BlockText(const Block& block, const TextStyle& style,
                      std::optional<double> usual_confidence, std::size_t max_rows) {
  Notes notes(usual_confidence);
  return std::visit(
      [&]<typename Kind>(const Kind& part) {
        if constexpr (std::is_same_v<Kind, Table>) {
          return Heading(part.title, style) + (style.brief
                                                   ? BriefTableText(part, max_rows, style, notes)
                                                   : TableText(part, style, notes));
        } else if constexpr (std::is_same_v<Kind, Tree>) {
          return Heading(part.title, style) + TreeText(part, style, notes);
        } else if constexpr (std::is_same_v<Kind, Series>) {
          return Heading(part.title, style) + SeriesText(part, style);
        } else if constexpr (std::is_same_v<Kind, Timeline>) {
          return Heading(part.title, style) + TimelineText(part, style);
        } else if constexpr (std::is_same_v<Kind, Bars>) {
          return Heading(part.title, style) + BarsText(part, style, notes);
        } else {
          return ParagraphText(part, style);
        }
      },
      block);
}

// A detail that lists many things names the first ones of each part.
std::string BriefDetail(const std::string& detail) {
  constexpr std::size_t kLong = 160;
  constexpr std::size_t kNamed = 3;
  constexpr std::string_view kBetweenParts = "; ";
  constexpr std::string_view kBetweenNames = ", ";
  if (detail.size() <= kLong) return detail;
  std::string brief;
  for (const auto part : std::views::split(detail, kBetweenParts)) {
    if (!brief.empty()) brief += kBetweenParts;
    std::vector<std::string_view> names;
    for (const auto name : std::views::split(part, kBetweenNames)) names.emplace_back(name);
    const std::size_t more = names.size() > kNamed + 1 ? names.size() - kNamed : 0;
    names.resize(names.size() - more);
    brief += fmt::format("{}", fmt::join(names, kBetweenNames));
    if (more > 0) brief += fmt::format(" and {} more", more);
  }
  return brief;
}

std::string CaveatText(const StatedCaveat& caveat, const TextStyle& style, bool with_hint) {
  const std::string_view word =
      caveat.verdict == Verdict::kValid ? std::string_view("note") : Name(caveat.verdict);
  std::string said = fmt::format("{}: {}", word, Printable(caveat.message));
  const std::string detail = style.brief ? BriefDetail(caveat.detail) : caveat.detail;
  if (!detail.empty()) said += fmt::format(" ({})", Printable(detail));
  std::vector<std::string> lines = Wrap(said, style.width, "", "  ");
  // Only the verdict is coloured, so that the sentence stays easy to read.
  if (lines.front().starts_with(word)) {
    lines.front() =
        Painted(word, PaintOf(caveat.verdict), style.colour) + lines.front().substr(word.size());
  }
  std::string text = Joined(lines);
  if (!with_hint || caveat.hint.empty()) return text;
  const std::string hint = fmt::format("hint: {}", Printable(caveat.hint));
  return text + PaintedLines(Wrap(hint, style.width, "  ", "  "), Paint::kDim, style.colour);
}

// Caveats that differ only in their details are stated once.
std::vector<StatedCaveat> StatedOnce(const std::vector<StatedCaveat>& caveats) {
  std::vector<StatedCaveat> joined;
  for (const StatedCaveat& caveat : caveats) {
    const auto same = std::ranges::find_if(joined, [&](const StatedCaveat& other) {
      return other.id == caveat.id && other.message == caveat.message && other.hint == caveat.hint;
    });
    if (same == joined.end()) {
      joined.push_back(caveat);
    } else if (!caveat.detail.empty()) {
      same->detail += (same->detail.empty() ? "" : "; ") + caveat.detail;
    }
  }
  return joined;
}

std::string ProvenanceText(const Document& document, std::optional<double> confidence,
                           const TextStyle& style) {
  const Provenance& from = document.provenance;
  std::vector<std::string> parts;
  if (!document.version.empty()) parts.push_back("tare " + document.version);
  for (const std::string* part : {&from.machine, &from.kernel, &from.time}) {
    if (style.brief && part != &from.machine) continue;
    if (!part->empty()) parts.push_back(*part);
  }
  if (from.seed) parts.push_back(fmt::format("seed {}", *from.seed));
  if (confidence) parts.push_back(fmt::format("[low, high] at {}", Percent(*confidence)));
  const std::string line = Printable(fmt::format("{}", fmt::join(parts, " · ")));
  if (line.empty()) return "";
  return PaintedLines(Wrap(line, style.width), Paint::kDim, style.colour);
}

}  // namespace

std::string ParagraphText(const Text& text, const TextStyle& style) {
  std::string shown;
  std::string_view rest = text.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // Indented lines keep their indentation.
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const std::string indent(std::min(blanks, style.width / 2), ' ');
    line.remove_prefix(blanks);
    if (line.empty()) {
      shown += "\n";
    } else if (line.starts_with("--")) {  // options for a shell stay on one line
      shown += indent + Printable(line) + "\n";
    } else {  // and comments remain comments
      const std::string next = line.starts_with("# ") ? indent + "# " : indent;
      shown += Joined(Wrap(Printable(line), style.width, indent, next));
    }
  }
  return shown;
}

namespace {

bool IsFinding(const Block& block) {
  const auto* text = std::get_if<Text>(&block);
  return text != nullptr &&
         (text->id == "answer" || text->id == "summary" || text->id == "control");
}

// Brief text has the first two paragraphs of a finding before the tables, the rest after them.
struct SplitFinding {
  Block first;
  Block rest;
};

std::deque<SplitFinding> FindingsOf(const Document& document, bool brief) {
  std::deque<SplitFinding> findings;
  for (const Block& block : document.blocks) {
    if (!IsFinding(block)) continue;
    const std::string& text = std::get<Text>(block).text;
    std::size_t end = brief ? text.find("\n\n") : std::string::npos;
    if (end != std::string::npos) end = text.find("\n\n", end + 2);
    const std::string rest = end == std::string::npos ? "" : text.substr(end + 2);
    findings.push_back({Text{"first", text.substr(0, end)}, Text{"rest", rest}});
  }
  return findings;
}

// The parts of a document between its title and its provenance, in order.
struct Ordered {
  std::vector<const Block*> blocks;
  std::vector<std::size_t> max_rows;  // of each block, if it is a table
  std::vector<std::string> left_out;  // IDs of blocks that -v shows
  std::string refusals;
  std::string caveats;
};

std::string Assemble(const Document& document, const Ordered& ordered, const TextStyle& style,
                     std::optional<double> confidence, std::vector<std::size_t>* lines) {
  std::vector<std::string> parts;
  if (!style.quiet) parts.push_back(Heading(document.title, style));
  // Caveats that refuse numbers come before the numbers.
  parts.push_back(ordered.refusals);
  for (std::size_t i = 0; i < ordered.blocks.size(); ++i) {
    parts.push_back(BlockText(*ordered.blocks[i], style, confidence, ordered.max_rows[i]));
    if (lines != nullptr) {
      lines->push_back(static_cast<std::size_t>(std::ranges::count(parts.back(), '\n')));
    }
  }
  if (!ordered.left_out.empty()) {
    const Text also{"also", fmt::format("Also with -v: {}.", fmt::join(ordered.left_out, ", "))};
    parts.push_back(BlockText(also, style, confidence, 0));
  }
  parts.push_back(ordered.caveats);
  if (!style.quiet) parts.push_back(ProvenanceText(document, confidence, style));

  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!text.empty()) text += "\n";
    text += part;
  }
  return text;
}

void StateCaveats(const Document& document, const TextStyle& style, bool with_hints,
                  Ordered& parts) {
  parts.refusals.clear();
  parts.caveats.clear();
  for (const StatedCaveat& caveat : StatedOnce(document.caveats)) {
    (caveat.verdict == Verdict::kRefused ? parts.refusals : parts.caveats) +=
        CaveatText(caveat, style, with_hints);
  }
}

// Leaves out one more row of the longest table; false if no table has a row to spare.
bool LeaveOutRow(Ordered& parts, const std::vector<std::size_t>& lines, std::size_t excess) {
  constexpr std::size_t kMinRows = 3;
  std::size_t longest = parts.blocks.size();
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    const auto* table = std::get_if<Table>(parts.blocks[i]);
    if (table == nullptr || table->whole) continue;
    if (parts.max_rows[i] <= kMinRows) continue;
    // The line that says so takes the place of the first.
    if (parts.max_rows[i] == table->rows.size() && table->rows.size() < kMinRows + 2) continue;
    if (longest == parts.blocks.size() || lines[i] > lines[longest]) longest = i;
  }
  if (longest == parts.blocks.size()) return false;
  std::size_t& rows = parts.max_rows[longest];
  // At most half of what is too much, because rows may take several lines.
  const std::size_t least = rows == std::get<Table>(*parts.blocks[longest]).rows.size() ? 2 : 1;
  rows -= std::min(rows - kMinRows, std::max(least, excess / 3));
  return true;
}

std::size_t RowsToShow(const Block& block, const TextStyle& style) {
  const auto* table = std::get_if<Table>(&block);
  const std::size_t rows = table != nullptr ? table->rows.size() : 0;
  return style.max_lines > 0 ? std::min(rows, style.max_lines) : 0;
}

// Leaves out the last plot, or else the last table but the first. False if there is none.
bool LeaveOutBlock(const TextStyle& style, Ordered& parts) {
  std::size_t plot = 0;
  std::size_t table = 0;
  std::size_t tables = 0;
  for (std::size_t i = 0; i < parts.blocks.size(); ++i) {
    if (std::holds_alternative<Series>(*parts.blocks[i])) plot = i + 1;
    if (std::holds_alternative<Table>(*parts.blocks[i]) && ++tables > 1) table = i + 1;
  }
  const std::size_t last = plot > 0 ? plot : table;
  if (last == 0) return false;
  const auto block = parts.blocks.begin() + static_cast<std::ptrdiff_t>(last) - 1;
  parts.left_out.insert(parts.left_out.begin(),
                        std::visit([](const auto& one) { return Printable(one.id); }, **block));
  parts.blocks.erase(block);
  parts.max_rows.clear();
  for (const Block* left : parts.blocks) parts.max_rows.push_back(RowsToShow(*left, style));
  return true;
}

}  // namespace

std::string ToText(const Document& document, const TextStyle& requested) {
  TextStyle style = requested;
  style.width = std::max(style.width, kMinWidth);
  const std::optional<double> confidence = UsualConfidence(document);
  Ordered parts;
  const auto add = [&](const Block& block) {
    parts.blocks.push_back(&block);
    parts.max_rows.push_back(RowsToShow(block, style));
  };
  // The blocks of `findings` stay where they are, because `parts` refers to them.
  const std::deque<SplitFinding> findings = FindingsOf(document, style.brief);
  for (const SplitFinding& finding : findings) add(finding.first);
  for (const Block& block : document.blocks) {
    if (!IsFinding(block)) add(block);
  }
  for (const SplitFinding& finding : findings) {
    if (!std::get<Text>(finding.rest).text.empty()) add(finding.rest);
  }
  parts.left_out = style.left_out;
  bool with_hints = !style.quiet;
  StateCaveats(document, style, with_hints, parts);
  while (true) {
    std::vector<std::size_t> lines;
    std::string text = Assemble(document, parts, style, confidence, &lines);
    const auto all = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    if (!style.brief || style.max_lines == 0 || all <= style.max_lines) return text;
    if (LeaveOutRow(parts, lines, all - style.max_lines)) continue;
    if (with_hints) {
      with_hints = false;
    } else {
      if (style.keep_blocks || !LeaveOutBlock(style, parts)) return text;
      with_hints = !style.quiet;
    }
    StateCaveats(document, style, with_hints, parts);
  }
}

}  // namespace tare::report
