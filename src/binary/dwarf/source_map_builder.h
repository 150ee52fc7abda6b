// source_map_builder.h: building a SourceMap from debug sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/dwarf/function_entries.h"
#include "binary/dwarf/line_program.h"
#include "binary/dwarf/source_map.h"
#include "binary/elf/elf_file.h"

namespace tare::dwarf {

class SourceMapBuilder {
 public:
  static Result<SourceMap> Build(const elf::ElfFile& file);

 private:
  explicit SourceMapBuilder(const elf::ElfFile& file);

  void ReadLines();
  void ReadTrees();
  void AddRows();
  void AddSequence(const LineProgram& program, std::size_t number, const LineSequence& sequence,
                   std::uint64_t& covered);
  void AddFunctions(const UnitFunctions& found, const Unit& unit);
  void SortByAddress();
  void AddProblems();

  static constexpr std::size_t kNoProgram = ~std::size_t{0};

  std::size_t ProgramAt(std::uint64_t offset) const;
  std::uint32_t FileIndex(std::size_t program, std::uint64_t number);
  std::uint32_t FunctionIndex(const FoundFunction& function);
  // False when so much text has been stored that the file cannot be valid.
  bool ReserveText(std::size_t text_bytes);

  DebugSections sections_;
  AbbreviationTables abbreviations_;
  std::vector<Unit> units_;
  std::vector<const Unit*> program_owners_;  // the first unit of each line program, by offset
  std::vector<LineProgram> programs_;        // of these units
  std::vector<UnitFunctions> trees_;         // by unit
  // Per program: file number to index in the map.
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> file_indexes_;
  std::unordered_map<std::string, std::uint32_t> files_by_path_;
  struct FunctionKey {
    std::string_view name;
    SourceLine declared;
    bool operator==(const FunctionKey&) const = default;
  };
  struct FunctionKeyHash {
    std::size_t operator()(const FunctionKey& key) const;
  };
  std::unordered_map<FunctionKey, std::uint32_t, FunctionKeyHash> functions_by_key_;
  std::unordered_map<std::uint64_t, std::uint32_t> claimed_;  // starts of concrete functions
  std::uint64_t text_budget_ = 0;
  bool text_cut_ = false;
  std::vector<std::string> problems_;
  SourceMap map_;
};

}  // namespace tare::dwarf
