// source_map_builder.cc: reading units in parallel and merging their results in order.
#include "binary/dwarf/source_map_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/in_parallel.h"

namespace tare::dwarf {

Result<SourceMap> SourceMapBuilder::Build(const elf::ElfFile& file) {
  SourceMapBuilder builder(file);
  if (builder.sections_.info.empty() && builder.problems_.empty())
    return Fail(ErrorKind::kNotFound, "it has no debug information; compile with -g");
  builder.units_ = ReadUnits(builder.sections_, builder.abbreviations_, builder.problems_);
  builder.ReadLines();
  builder.ReadTrees();
  builder.AddRows();
  for (std::size_t i = 0; i < builder.units_.size(); ++i) {
    builder.AddFunctions(builder.trees_[i], builder.units_[i]);
    builder.trees_[i] = {};
  }
  builder.SortByAddress();
  builder.AddProblems();
  return std::move(builder.map_);
}

SourceMapBuilder::SourceMapBuilder(const elf::ElfFile& file)
    : sections_(file), abbreviations_(sections_.abbrev), problems_(sections_.problems) {
  // Linkers merge common suffixes of texts, and each path repeats its directory.
  constexpr std::uint64_t kEnoughForSmall = 16 << 20;
  text_budget_ = kEnoughForSmall + 16 * sections_.Bytes();
}

void SourceMapBuilder::ReadLines() {
  for (const Unit& unit : units_)
    if (unit.line_program != kNowhere) program_owners_.push_back(&unit);
  std::ranges::sort(program_owners_, {},
                    [](const Unit* unit) { return std::tie(unit->line_program, unit->offset); });
  const auto repeated = std::ranges::unique(program_owners_, {}, &Unit::line_program);
  program_owners_.erase(repeated.begin(), repeated.end());
  // A valid program ends before the next begins; overlapping ones would be read repeatedly.
  std::uint64_t end = 0;
  std::erase_if(program_owners_, [&](const Unit* unit) {
    Cursor cursor(sections_.line, unit->line_program, sections_.line.size());
    std::uint64_t length = cursor.U32();
    if (length == 0xffffffff) length = cursor.U64();
    const bool readable = cursor.ok() && unit->line_program >= end && length <= cursor.Remaining();
    if (readable) {
      end = cursor.position() + length;
    } else {
      problems_.push_back(
          fmt::format("no line table starts at {:#x} of .debug_line, which the unit at {:#x} of "
                      ".debug_info refers to",
                      unit->line_program, unit->offset));
    }
    return !readable;
  });
  programs_.resize(program_owners_.size());
  file_indexes_.resize(programs_.size());
  InParallel(programs_.size(), [&](std::size_t i) {
    programs_[i] = ReadLineProgram(sections_, *program_owners_[i]);
  });
  for (const auto& program : programs_)
    if (!program.problem.empty()) problems_.push_back(program.problem);
}

void SourceMapBuilder::ReadTrees() {
  trees_.resize(units_.size());
  InParallel(units_.size(),
             [&](std::size_t i) { trees_[i] = ReadFunctions(sections_, units_, units_[i]); });
  std::size_t split = 0;
  for (std::size_t i = 0; i < units_.size(); ++i) {
    split += units_[i].split ? 1U : 0U;
    std::ranges::move(trees_[i].problems, std::back_inserter(problems_));
  }
  if (split > 0)
    problems_.push_back(
        fmt::format("{} of {} units keep their functions in .dwo files, which are not read; "
                    "compile with -gno-split-dwarf",
                    split, units_.size()));
}

void SourceMapBuilder::AddRows() {
  struct Place {
    std::uint64_t start;
    std::size_t program;
    std::size_t sequence;
  };
  std::vector<Place> places;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    rows += programs_[i].starts.size();
    for (std::size_t j = 0; j < programs_[i].sequences.size(); ++j)
      places.push_back({programs_[i].starts[programs_[i].sequences[j].first].address, i, j});
  }
  std::ranges::sort(
      places, {}, [](const Place& one) { return std::tie(one.start, one.program, one.sequence); });
  map_.rows_.reserve(rows);
  std::uint64_t covered = 0;
  for (const auto& place : places)
    AddSequence(programs_[place.program], place.program,
                programs_[place.program].sequences[place.sequence], covered);
  for (auto& program : programs_) {
    program.starts = {};
    program.sequences = {};
  }
  map_.rows_.shrink_to_fit();
}

void SourceMapBuilder::AddSequence(const LineProgram& program, std::size_t number,
                                   const LineSequence& sequence, std::uint64_t& covered) {
  const std::uint64_t code_end = sections_.CodeEnd(program.starts[sequence.first].address);
  auto& rows = map_.rows_;
  for (std::size_t i = sequence.first; i < sequence.last; ++i) {
    const LineStart& from = program.starts[i];
    std::uint64_t end = i + 1 < sequence.last ? program.starts[i + 1].address : sequence.end;
    end = std::min(end, code_end);
    // Two tables describe the same code where a linker folded identical functions: the first one
    // counts.
    const std::uint64_t start = std::max(from.address, covered);
    if (start >= end || from.line == 0) continue;
    const SourceLine source{FileIndex(number, from.file), from.line};
    if (!rows.empty() && rows.back().end == start && rows.back().source == source) {
      rows.back().end = end;
    } else {
      rows.push_back({start, end, source});
    }
  }
  covered = std::max(covered, std::min(sequence.end, code_end));
}

std::size_t SourceMapBuilder::ProgramAt(std::uint64_t offset) const {
  const auto found = std::ranges::lower_bound(program_owners_, offset, {}, &Unit::line_program);
  if (found == program_owners_.end() || (*found)->line_program != offset) return kNoProgram;
  return static_cast<std::size_t>(found - program_owners_.begin());
}

bool SourceMapBuilder::ReserveText(std::size_t text_bytes) {
  if (text_bytes > text_budget_) {
    text_cut_ = true;
    return false;
  }
  text_budget_ -= text_bytes;
  return true;
}

std::uint32_t SourceMapBuilder::FileIndex(std::size_t program, std::uint64_t number) {
  if (program == kNoProgram) return kUnknown;
  const auto [known, is_new] = file_indexes_[program].try_emplace(number, kUnknown);
  if (!is_new) return known->second;
  std::string path = programs_[program].files.PathOf(number);
  if (path.empty()) return kUnknown;
  const auto found = files_by_path_.find(path);
  if (found != files_by_path_.end()) return known->second = found->second;
  if (!ReserveText(path.size())) return kUnknown;
  const auto index = static_cast<std::uint32_t>(map_.files_.size());
  map_.files_.push_back(path);
  files_by_path_.emplace(std::move(path), index);
  return known->second = index;
}

std::size_t SourceMapBuilder::FunctionKeyHash::operator()(const FunctionKey& key) const {
  const std::uint64_t place = std::uint64_t{key.declared.file} << 32 | key.declared.line;
  return std::hash<std::string_view>()(key.name) ^ (place * 0x9e3779b97f4a7c15);
}

std::uint32_t SourceMapBuilder::FunctionIndex(const FoundFunction& function) {
  const FunctionKey key{
      function.name, {FileIndex(ProgramAt(function.line_program), function.file), function.line}};
  const auto [known, is_new] = functions_by_key_.try_emplace(key, kUnknown);
  if (!is_new) return known->second;
  known->second = static_cast<std::uint32_t>(map_.functions_.size());
  const bool has_room = ReserveText(function.name.size());
  map_.functions_.push_back({has_room ? std::string(function.name) : "", key.declared});
  return known->second;
}

void SourceMapBuilder::AddFunctions(const UnitFunctions& found, const Unit& unit) {
  std::vector<std::uint32_t> functions(found.functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i)
    functions[i] = FunctionIndex(found.functions[i]);
  // A second description of the same code would count everything in it twice.
  std::vector<bool> is_first(found.concrete.size());
  for (std::size_t i = 0; i < found.concrete.size(); ++i) {
    const auto& [start, function] = found.concrete[i];
    is_first[i] = claimed_.emplace(start, functions[function]).second;
    if (is_first[i]) map_.concrete_.push_back({start, functions[function]});
  }
  const std::size_t program = ProgramAt(unit.line_program);
  for (const auto& one : found.inlined) {
    if (!is_first[one.concrete]) continue;
    const auto count = one.last_range - one.first_range;
    map_.inlined_.push_back({found.concrete[one.concrete].start, functions[one.function],
                             SourceLine{FileIndex(program, one.call_file), one.call_line},
                             one.depth, static_cast<std::uint32_t>(map_.ranges_.size()),
                             static_cast<std::uint32_t>(count)});
    const auto first = found.ranges.begin() + static_cast<std::ptrdiff_t>(one.first_range);
    map_.ranges_.insert(map_.ranges_.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
}

void SourceMapBuilder::SortByAddress() {
  std::ranges::sort(map_.concrete_, {}, &ConcreteFunction::start);
  // Ranges were added in the order of nesting.
  std::ranges::sort(map_.inlined_, {}, [](const InlinedCall& call) {
    return std::tie(call.inside, call.first_range);
  });
}

void SourceMapBuilder::AddProblems() {
  constexpr std::size_t kMax = 20;
  if (text_cut_) problems_.push_back("its names overlap so much that some were dropped");
  const std::size_t all = problems_.size();
  if (all > kMax) {
    problems_.resize(kMax);
    problems_.push_back(fmt::format("there are {} more such problems", all - kMax));
  }
  map_.problems_ = std::move(problems_);
}

}  // namespace tare::dwarf
