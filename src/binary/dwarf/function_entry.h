// function_entry.h: what one entry says about a function, and what the entries say that it refers
// to.
#pragma once

#include <cstdint>
#include <optional>

#include "binary/dwarf/function_entries.h"

namespace tare::dwarf {

// The attributes of an entry that are of interest here.
struct FunctionEntry {
  FormValue name, linkage_name, origin, specification, decl_file, decl_line;
  FormValue low_pc, high_pc, entry_pc, ranges, call_file, call_line;
};

// Reads the entry whose abbreviation code has just been passed.
FunctionEntry ReadFunctionEntry(Cursor& cursor, const Unit& unit, const Abbreviation& abbreviation);

struct Identity {
  FoundFunction function;
  bool supplementary = false;  // part of it lies in a file that is not read
  bool damaged = false;
};

// Follows DW_AT_abstract_origin and DW_AT_specification; each fact comes from the first entry that
// has it.
Identity Identify(const DebugSections& sections, const std::vector<Unit>& units, const Unit& unit,
                  const FunctionEntry& entry);

}  // namespace tare::dwarf
