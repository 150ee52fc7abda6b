// function_entries.cc: the walk over a unit's tree of entries.
#include "binary/dwarf/function_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "binary/dwarf/function_entry.h"
#include "binary/dwarf/range_list.h"

namespace tare::dwarf {
namespace {

using elf::AddressRange;

// Deeper than any compiler's nesting; limits the stack for hostile files.
constexpr std::size_t kDeepest = 1 << 16;
constexpr std::uint32_t kNone = 0xffffffff;

class TreeWalk {
 public:
  TreeWalk(const DebugSections& sections, const std::vector<Unit>& units, const Unit& unit)
      : sections_(sections),
        units_(units),
        unit_(unit),
        cursor_(sections.info, unit.first_entry, unit.end),
        // In any valid file all lists of a unit together are shorter than the unit. The limit
        // bounds the time for lists that many entries share.
        range_budget_(4096 + 2 * (unit.end - unit.offset)) {}

  UnitFunctions Walk() {
    Place place;
    do {
      const std::uint64_t at = cursor_.position();
      const std::uint64_t code = cursor_.Uleb();
      if (code == 0) {
        if (open_.empty()) break;
        place = open_.back();
        open_.pop_back();
        continue;
      }
      const Abbreviation* abbreviation = unit_.abbreviations->Find(code);
      if (abbreviation == nullptr || open_.size() == kDeepest) {
        Note(fmt::format(
            "the entry at {:#x} of .debug_info {}: the rest of its unit is not read", at,
            abbreviation == nullptr ? "has an unknown abbreviation" : "is nested too deeply"));
        open_.clear();
        break;
      }
      const Place inner = Entry(at, *abbreviation, place);
      if (abbreviation->has_children) {
        open_.push_back(place);
        place = inner;
      }
    } while (cursor_.ok() && !cursor_.AtEnd() && !open_.empty());
    if (!cursor_.ok() || !open_.empty())
      Note(fmt::format("the unit at {:#x} of .debug_info ends in the middle of an entry",
                       unit_.offset));
    NoteCounts();
    return std::move(found_);
  }

 private:
  // The enclosing function of the entries that follow.
  struct Place {
    std::uint32_t concrete = kNone;
    std::uint32_t depth = 0;
  };

  Place Entry(std::uint64_t at, const Abbreviation& abbreviation, Place place) {
    if (abbreviation.tag == kTagSubprogram) return Subprogram(at, abbreviation);
    if (abbreviation.tag == kTagInlinedSubroutine && place.concrete != kNone)
      return Inlined(abbreviation, place);
    if (abbreviation.fixed_size) {
      cursor_.Skip(abbreviation.Size(unit_.encoding));
    } else {
      for (const auto& shape : unit_.abbreviations->AttributesOf(abbreviation))
        SkipForm(cursor_, shape.form, unit_.encoding);
    }
    return place;
  }

  Place Subprogram(std::uint64_t at, const Abbreviation& abbreviation) {
    const FunctionEntry entry = ReadFunctionEntry(cursor_, unit_, abbreviation);
    if (!cursor_.ok()) return {};
    const std::size_t before = found_.ranges.size();
    const auto start = StartOf(entry);
    found_.ranges.resize(before);
    if (!start) return {};
    found_.concrete.push_back({*start, FunctionOf(at, entry)});
    return {static_cast<std::uint32_t>(found_.concrete.size() - 1), 0};
  }

  // The function's entry point; its other ranges, if any, are cold paths.
  std::optional<std::uint64_t> StartOf(const FunctionEntry& entry) {
    const std::size_t first = found_.ranges.size();
    AddRangesOf(entry);
    if (found_.ranges.size() == first) return std::nullopt;
    const auto said = AddressOf(sections_, unit_, entry.entry_pc);
    if (said && sections_.CodeEnd(*said) != 0) return said;
    return found_.ranges[first].start;
  }

  Place Inlined(const Abbreviation& abbreviation, Place place) {
    const FunctionEntry entry = ReadFunctionEntry(cursor_, unit_, abbreviation);
    if (!cursor_.ok()) return place;
    const Place inner{place.concrete, place.depth + 1};
    const std::size_t first = found_.ranges.size();
    AddRangesOf(entry);
    SortRanges(first);
    // It was inlined, and no code of it remains.
    if (found_.ranges.size() == first) return inner;
    const std::uint64_t line = Constant(entry.call_line).value_or(0);
    found_.inlined.push_back({place.concrete, InlinedFunction(entry),
                              static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0xffffffff)),
                              inner.depth, Constant(entry.call_file).value_or(kNowhere), first,
                              found_.ranges.size()});
    return inner;
  }

  // Each function is identified once, however often it was inlined.
  std::uint32_t InlinedFunction(const FunctionEntry& entry) {
    const auto origin = ReferenceOf(unit_, entry.origin);
    if (!origin) return FunctionOf(kNowhere, entry);
    const auto known = by_origin_.find(*origin);
    if (known != by_origin_.end()) return known->second;
    FunctionEntry reference;
    reference.origin = entry.origin;
    return FunctionOf(*origin, reference);
  }

  std::uint32_t FunctionOf(std::uint64_t at, const FunctionEntry& entry) {
    const Identity identity = Identify(sections_, units_, unit_, entry);
    supplementary_ += identity.supplementary ? 1U : 0U;
    lost_ += identity.damaged ? 1U : 0U;
    const auto index = static_cast<std::uint32_t>(found_.functions.size());
    found_.functions.push_back(identity.function);
    if (at != kNowhere) by_origin_.emplace(at, index);
    return index;
  }

  void AddRangesOf(const FunctionEntry& entry) {
    const std::size_t first = found_.ranges.size();
    if (entry.ranges.there()) {
      if (!AddRanges(sections_, unit_, entry.ranges, range_budget_, found_.ranges)) ++bad_ranges_;
    } else if (const auto low = AddressOf(sections_, unit_, entry.low_pc)) {
      auto high = AddressOf(sections_, unit_, entry.high_pc);
      if (const auto size = Constant(entry.high_pc)) high = *low + *size;
      if (high) found_.ranges.push_back({*low, *high});
    }
    DropDiscarded(first);
  }

  // Ranges that the linker discarded have addresses outside of all code.
  void DropDiscarded(std::size_t first) {
    auto& ranges = found_.ranges;
    std::size_t kept = first;
    for (std::size_t i = first; i < ranges.size(); ++i) {
      const std::uint64_t end = std::min(ranges[i].end, sections_.CodeEnd(ranges[i].start));
      if (ranges[i].start < end) ranges[kept++] = {ranges[i].start, end};
    }
    ranges.resize(kept);
  }

  // Sorts and makes the ranges disjoint.
  void SortRanges(std::size_t first) {
    auto& ranges = found_.ranges;
    if (ranges.size() - first < 2) return;
    std::sort(ranges.begin() + static_cast<std::ptrdiff_t>(first), ranges.end(),
              [](const AddressRange& a, const AddressRange& b) { return a.start < b.start; });
    std::size_t last = first;
    for (std::size_t i = first + 1; i < ranges.size(); ++i) {
      if (ranges[i].start <= ranges[last].end) {
        ranges[last].end = std::max(ranges[last].end, ranges[i].end);
      } else {
        ranges[++last] = ranges[i];
      }
    }
    ranges.resize(last + 1);
  }

  void Note(std::string problem) { found_.problems.push_back(std::move(problem)); }

  void NoteCounts() {
    const auto note = [&](std::size_t count, std::string_view what) {
      if (count > 0)
        Note(fmt::format("in the unit at {:#x} of .debug_info {} {}", unit_.offset, count, what));
    };
    note(bad_ranges_, "lists of code ranges are damaged");
    note(lost_, "functions refer to missing entries");
    note(supplementary_, "functions are described in a supplementary file, which is not read");
  }

  const DebugSections& sections_;
  const std::vector<Unit>& units_;
  const Unit& unit_;
  Cursor cursor_;
  std::uint64_t range_budget_;
  UnitFunctions found_;
  std::vector<Place> open_;
  std::unordered_map<std::uint64_t, std::uint32_t> by_origin_;
  std::size_t bad_ranges_ = 0;
  std::size_t lost_ = 0;
  std::size_t supplementary_ = 0;
};

}  // namespace

UnitFunctions ReadFunctions(const DebugSections& sections, const std::vector<Unit>& units,
                            const Unit& unit) {
  return TreeWalk(sections, units, unit).Walk();
}

}  // namespace tare::dwarf
