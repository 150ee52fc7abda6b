// line_header.h: the header of a line program.
#pragma once

#include <array>
#include <cstdint>

#include "binary/dwarf/line_program.h"

namespace tare::dwarf {

struct LineHeader {
  Encoding encoding;
  std::uint64_t end = 0;      // of the whole program
  std::uint64_t opcodes = 0;  // offset of the first
  std::uint8_t instruction_bytes = 1;
  std::uint8_t operations = 1;  // per instruction
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 1;
  std::array<std::uint8_t, 256> operands = {};  // of standard opcodes
};

// False when the rest is unusable. `header.end` is set whenever the length is known.
bool ReadLineHeader(const DebugSections& sections, const Unit& unit, LineHeader& header,
                    FileTable& files);

// An entry of a file list in the format of DWARF 2 to 4; false at the end of the list.
bool ReadOldFile(Cursor& cursor, FileTable& files);

}  // namespace tare::dwarf
