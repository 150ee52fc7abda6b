// elf_reference.h: places that a linker or loader fills with an address, and tables made of them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::elf {

// Names are views into the bytes of the file.
struct Reference {
  std::uint64_t address = 0;
  // What the filled place leads to, the addend included: for a call what it calls, for a load
  // through the table of addresses (GOT) what stands there. 0 when that lies in another file or in
  // no bytes of this one. In an object file a 32-bit distance outside of code is symbol and addend
  // as they stand.
  std::uint64_t target = 0;
  std::string_view symbol;  // empty where the file names none: a section and a distance, a stripped
                            // program's own functions
  bool whole_word = true;   // the place holds the 64-bit address itself, nothing derived from it
  bool chosen_at_run_time = false;  // `target` is a resolver: see ElfImage::IfuncCandidates
};

// The slots of one class's virtual functions, 8 bytes each. A class with several bases has several
// tables.
struct VirtualTable {
  std::string_view name;    // _ZTV...; empty in a stripped file
  std::uint64_t start = 0;  // the first slot
  std::uint64_t end = 0;
};

}  // namespace tare::elf
