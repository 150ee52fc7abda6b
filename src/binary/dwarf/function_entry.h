// function_entry.h: the attributes of a function's entry, including those of the entries to which
// it refers.
#pragma once

#include <cstdint>
#include <optional>

#include "binary/dwarf/function_entries.h"

namespace tare::dwarf {

// The attributes of an entry that are used here.
struct FunctionEntry {
  FormValue name, linkage_name, origin, specification, decl_file, decl_line;
  FormValue low_pc, high_pc, entry_pc, ranges, call_file, call_line;
};

// Reads the entry after its abbreviation code.
FunctionEntry ReadFunctionEntry(Cursor& cursor, const Unit& unit, const Abbreviation& abbreviation);

struct Identity {
  FoundFunction function;
  bool supplementary = false;  // part of it is in a supplementary file, which is not read
  bool damaged = false;
};

// Follows DW_AT_abstract_origin and DW_AT_specification; each attribute comes from the first entry
// that has it.
Identity Identify(const DebugSections& sections, const std::vector<Unit>& units, const Unit& unit,
                  const FunctionEntry& entry);

}  // namespace tare::dwarf
