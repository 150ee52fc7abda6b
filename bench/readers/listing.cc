// listing.cc: bringing facts into one form.
#include "listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "binary/dwarf/debug_file.h"
#include "binary/dwarf/debug_sections.h"

namespace readers {

std::string Normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

Listing::Listing(const std::string& path) {
  const auto opened = tare::dwarf::OpenDebugFile(path);
  if (opened) code_ = tare::dwarf::DebugSections(opened->file).code;
}

std::uint64_t Listing::CodeEnd(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(code_, address, {}, &AddressRange::start);
  if (after == code_.begin() || !std::prev(after)->Contains(address)) return 0;
  return std::prev(after)->end;
}

void Listing::Add(const Symbol& symbol) {
  const std::uint64_t end = CodeEnd(symbol.address);
  if (end == 0 || symbol.name.empty() || symbol.name.starts_with(".L") ||
      symbol.name.starts_with("$"))
    return;
  const std::uint64_t size = std::min(symbol.size, end - symbol.address);
  facts_.push_back(fmt::format("{:x} {} {}{}{}{} {}", symbol.address, size,
                               symbol.dynamic ? "dynamic " : "", symbol.exported ? "exported " : "",
                               symbol.weak ? "weak " : "", symbol.ifunc ? "ifunc " : "",
                               symbol.name));
}

void Listing::AddSequence(const std::vector<LineRow>& rows, std::uint64_t end) {
  Sequence sequence{0, end, sequences_.size(), {}};
  for (const auto& row : rows) {
    auto& kept = sequence.rows;
    if (kept.empty() && CodeEnd(row.address) == 0) return;
    if (!kept.empty() && row.address == kept.back().address) kept.pop_back();
    kept.push_back(row);
  }
  if (sequence.rows.empty() || sequence.rows[0].address >= end) return;
  sequence.start = sequence.rows[0].address;
  sequences_.push_back(std::move(sequence));
}

void Listing::PrintLines() {
  std::ranges::sort(sequences_, {},
                    [](const Sequence& it) { return std::tie(it.start, it.order); });
  struct Range {
    std::uint64_t start, end, line;
    std::string path;
  };
  std::vector<Range> ranges;
  std::uint64_t covered = 0;
  for (const auto& sequence : sequences_) {
    const std::uint64_t code_end = CodeEnd(sequence.start);
    for (std::size_t i = 0; i < sequence.rows.size(); ++i) {
      const auto& row = sequence.rows[i];
      const std::uint64_t start = std::max(row.address, covered);
      const std::uint64_t end = std::min(
          i + 1 < sequence.rows.size() ? sequence.rows[i + 1].address : sequence.end, code_end);
      if (start >= end || row.line == 0) continue;
      if (!ranges.empty() && ranges.back().end == start && ranges.back().line == row.line &&
          ranges.back().path == row.path) {
        ranges.back().end = end;
      } else {
        ranges.push_back({start, end, row.line, row.path});
      }
    }
    covered = std::max(covered, std::min(sequence.end, code_end));
  }
  for (const auto& range : ranges)
    fmt::print("{:x} {:x} {}:{}\n", range.start, range.end, range.path, range.line);
}

std::vector<AddressRange> Listing::Clipped(std::vector<AddressRange> ranges) const {
  std::vector<AddressRange> kept;
  for (const auto& range : ranges) {
    const std::uint64_t end = std::min(range.end, CodeEnd(range.start));
    if (range.start < end) kept.push_back({range.start, end});
  }
  return kept;
}

std::optional<std::uint64_t> Listing::AddConcrete(const std::string& name,
                                                  std::vector<AddressRange> ranges,
                                                  std::optional<std::uint64_t> entry) {
  const auto code = Clipped(std::move(ranges));
  if (code.empty()) return std::nullopt;
  const std::uint64_t start = entry && CodeEnd(*entry) != 0 ? *entry : code[0].start;
  if (!concrete_.emplace(start, name).second) return std::nullopt;
  return start;
}

void Listing::Add(Inlined call) {
  auto ranges = Clipped(std::move(call.ranges));
  if (ranges.empty()) return;
  std::ranges::sort(ranges, {}, &AddressRange::start);
  std::string text;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    AddressRange range = ranges[i];
    for (; i + 1 < ranges.size() && ranges[i + 1].start <= range.end; ++i)
      range.end = std::max(range.end, ranges[i + 1].end);
    text += fmt::format(" {:x}-{:x}", range.start, range.end);
  }
  facts_.push_back(fmt::format("inlined {:x} {} {} {}:{}{}", call.inside, call.depth, call.name,
                               call.call_path, call.call_line, text));
}

void Listing::Add(std::uint64_t address, const InstructionFact& fact) {
  const auto number = [](const auto& value) {
    return value ? fmt::format("{}", static_cast<std::uint64_t>(*value)) : std::string("-");
  };
  if (fact.length == 0) {
    facts_.push_back(fmt::format("{:012x} invalid", address));
    return;
  }
  facts_.push_back(fmt::format("{:012x} {} {} {:x} {} {} {} {} {} # {}", address, fact.length,
                               fact.branch, fact.target.value_or(0), number(fact.loads),
                               number(fact.stores), number(fact.load_bytes),
                               number(fact.store_bytes), number(fact.written), fact.name));
}

void Listing::Print() {
  for (const auto& [start, name] : concrete_)
    facts_.push_back(fmt::format("concrete {:x} {}", start, name));
  std::ranges::sort(facts_);
  for (const auto& fact : facts_) fmt::print("{}\n", fact);
  PrintLines();
}

}  // namespace readers
