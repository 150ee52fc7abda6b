// line_program.h: executing one line-number program of .debug_line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "binary/dwarf/unit.h"

namespace tare::dwarf {

// The files that a line program and the entries of its units refer to by number.
struct FileTable {
  struct File {
    std::string_view name;
    std::uint32_t directory;
  };

  // `number` as in the debug information; "" where there is no such file.
  std::string PathOf(std::uint64_t number) const;

  std::uint16_t version = 0;
  std::string_view unit_directory;
  std::vector<std::string_view> directories;
  std::vector<File> files;
};

// The start of a line's code. `file` is a number for FileTable.
struct LineStart {
  std::uint64_t address;
  std::uint32_t file;
  std::uint32_t line;  // 0: code without a line
};

// Contiguous code: LineStarts from `first` up to `last`; the last one extends to `end`.
struct LineSequence {
  std::uint64_t end;
  std::size_t first;
  std::size_t last;
};

struct LineProgram {
  FileTable files;
  std::vector<LineStart> starts;
  std::vector<LineSequence> sequences;  // none is empty; each starts in code
  std::string problem;                  // "" when it was read completely
  std::uint64_t bytes = 0;
};

// Runs the program at `unit.line_program`, which must not be kNowhere. Addresses in a sequence
// ascend.
LineProgram ReadLineProgram(const DebugSections& sections, const Unit& unit);

}  // namespace tare::dwarf
