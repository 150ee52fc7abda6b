// plain_filter.h: the filter of docs/formats/flow.md as the page states it: the reference for the
// engine's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "format/flow_descriptions.h"
#include "format/flow_wire.h"

namespace tare::vpmu {

class PlainFilter {
 public:
  explicit PlainFilter(const tare_flow_filter& filter) : filter_(filter) {}

  // What an engine writes for a record, given with all its words; for a sparse flow, between
  // windows. Updates the tables.
  std::vector<std::uint64_t> Filter(const format::FlowBlock& block,
                                    std::span<const std::uint64_t> record) {
    if (filter_.groups != 0) return Sparse(block, record);
    bool repeats = !block.accesses.empty();
    for (const format::FlowAccess& access : block.accesses) {
      const std::uint64_t word = access.word == 0 ? 0 : record[access.word];
      const bool guarded =
          access.kind == TARE_FLOW_GUARDED_LOAD || access.kind == TARE_FLOW_GUARDED_STORE;
      const bool store = access.kind == TARE_FLOW_STORE || access.kind == TARE_FLOW_GUARDED_STORE;
      if (guarded) repeats = false;
      if (guarded && word == 0) continue;
      if (!Repeats(word + access.offset, access.bytes, store)) repeats = false;
    }
    if (repeats) return {record[0] | TARE_FLOW_UNCHANGED};
    return {record.begin(), record.end()};
  }

  // Updates the tables and returns whether the access repeats.
  bool Repeats(std::uint64_t address, std::uint64_t bytes, bool store) {
    const std::uint64_t first = address >> filter_.line_shift;
    const std::uint64_t last = (address + bytes - 1) >> filter_.line_shift;
    if (bytes > std::uint64_t{1} << filter_.line_shift) {
      lines_.clear();
      pages_.clear();
      return false;
    }
    const bool first_repeats = LineRepeats(first << filter_.line_shift, store);
    return first == last ? first_repeats
                         : LineRepeats(last << filter_.line_shift, store) && first_repeats;
  }

 private:
  std::vector<std::uint64_t> Sparse(const format::FlowBlock& block,
                                    std::span<const std::uint64_t> record) {
    std::vector<std::uint64_t> lines;
    bool any_guarded = false;
    const std::uint64_t bytes = std::uint64_t{1} << filter_.line_shift;
    for (const format::FlowAccess& access : block.accesses) {
      const std::uint64_t word = access.word == 0 ? 0 : record[access.word];
      const bool guarded =
          access.kind == TARE_FLOW_GUARDED_LOAD || access.kind == TARE_FLOW_GUARDED_STORE;
      const bool store = access.kind == TARE_FLOW_STORE || access.kind == TARE_FLOW_GUARDED_STORE;
      any_guarded = any_guarded || guarded;
      if (guarded && word == 0) continue;
      const std::uint64_t address = word + access.offset;
      if (!Matters(address)) continue;
      const std::uint64_t first = address & ~(bytes - 1);
      for (std::uint64_t line = first; line <= address + access.bytes - 1; line += bytes) {
        if (!Matters(line) || LineRepeats(line, store)) continue;
        lines.push_back(line | (store ? TARE_FLOW_LINE_STORE : 0) |
                        (line != first ? TARE_FLOW_LINE_FURTHER : 0));
      }
    }
    if (any_guarded) return {record.begin(), record.end()};
    if (lines.empty()) return {};
    lines.insert(lines.begin(),
                 record[0] | TARE_FLOW_LINES | lines.size() << TARE_FLOW_LINES_SHIFT);
    return lines;
  }

  bool Matters(std::uint64_t address) const {
    return (filter_.groups >> ((address >> filter_.index_shift) % filter_.entries) & 1) != 0;
  }

  struct Line {
    std::uint64_t address = 0;
    bool stored = false;
  };

  bool LineRepeats(std::uint64_t address, bool store) {
    const bool stores = store && filter_.dirty != 0;
    std::optional<Line>& line = lines_[(address >> filter_.index_shift) % filter_.entries];
    bool repeats = line && line->address == address;
    if (!repeats) line = Line{address, false};
    if (stores && !line->stored) repeats = false;
    if (stores) line->stored = true;
    if (filter_.page_entries == 0) return repeats;
    const std::uint64_t page = address >> filter_.page_shift;
    std::optional<std::uint64_t>& last = pages_[page % filter_.page_entries];
    if (last != page) repeats = false;
    last = page;
    return repeats;
  }

  tare_flow_filter filter_;
  std::map<std::uint64_t, std::optional<Line>> lines_;
  std::map<std::uint64_t, std::optional<std::uint64_t>> pages_;
};

}  // namespace tare::vpmu
