// function_entries.h: the functions with code in a unit, and those inlined into them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/dwarf/unit.h"

namespace tare::dwarf {

// Files are still indices of a unit's line program.
struct FoundFunction {
  std::string_view name;
  std::uint64_t line_program;  // offset in .debug_line, or kNowhere
  std::uint64_t file;
  std::uint32_t line;
};

struct FoundConcrete {
  std::uint64_t start;
  std::uint32_t function;  // index into UnitFunctions::functions
};

struct FoundInlined {
  std::uint32_t concrete;  // index into UnitFunctions::concrete
  std::uint32_t function;
  std::uint32_t call_line;
  std::uint32_t depth;
  std::uint64_t call_file;
  std::size_t first_range;
  std::size_t last_range;  // exclusive
};

struct UnitFunctions {
  std::vector<FoundFunction> functions;
  std::vector<FoundConcrete> concrete;
  std::vector<FoundInlined> inlined;  // outer ones before nested ones
  std::vector<elf::AddressRange> ranges;
  std::vector<std::string> problems;
};

// Walks over all entries of `unit`, one of `units`.
UnitFunctions ReadFunctions(const DebugSections& sections, const std::vector<Unit>& units,
                            const Unit& unit);

}  // namespace tare::dwarf
