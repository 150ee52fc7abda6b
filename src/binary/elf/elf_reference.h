// elf_reference.h: places that a linker or loader fills with an address, and virtual tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::elf {

// Names are views into the bytes of the file.
struct Reference {
  std::uint64_t address = 0;
  // The address that the relocated place refers to, including the addend: the callee of a call, or
  // the entry's value for a load through the GOT. 0 when it is in another file or has no bytes in
  // this one. In an object file a 32-bit displacement outside of code is symbol plus addend,
  // unadjusted.
  std::uint64_t target = 0;
  std::string_view symbol;  // empty where the file names none: section-relative references, own
                            // functions of a stripped program
  bool whole_word = true;   // the place contains the 64-bit address itself
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
