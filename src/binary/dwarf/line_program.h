// line_program.h: one table of source lines of .debug_line, run to its end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/dwarf/unit.h"

namespace tare::dwarf {

// The files that a line program and the entries of its units number.
struct FileTable {
  struct File {
    std::string_view name;
    std::uint32_t directory;
  };

  // `number` as it stands in the debug information; "" where there is no such file.
  std::string PathOf(std::uint64_t number) const;

  std::uint16_t version = 0;
  std::string_view unit_directory;
  std::vector<std::string_view> directories;
  std::vector<File> files;
};

// Where a line begins. `file` is a number for FileTable.
struct LineStart {
  std::uint64_t address;
  std::uint32_t file;
  std::uint32_t line;  // 0: code without a line
};

// Code without gaps: LineStarts from `first` up to `last`, the last of them up to `end`.
struct LineSequence {
  std::uint64_t end;
  std::size_t first;
  std::size_t last;
};

struct LineProgram {
  FileTable files;
  std::vector<LineStart> starts;
  std::vector<LineSequence> sequences;  // none is empty; each begins in code
  std::string problem;                  // "" when it could be read to its end
  std::uint64_t bytes = 0;
};

// The program at `unit.line_program`, which must be somewhere. Addresses in a sequence ascend.
LineProgram ReadLineProgram(const DebugSections& sections, const Unit& unit);

}  // namespace tare::dwarf
