// call_site.h: a place where code transfers control to another function.
#pragma once

#include <cstdint>

namespace tare::code {

enum class SiteKind : std::uint8_t {
  kCall,
  kTailCall,  // a jump to the start of another function
  kPart,  // a jump into the middle of another function, or to a part that the compiler split off
};

enum class TargetKind : std::uint8_t {
  kFunction,  // `target`: index of a function of this file
  kImport,    // `target`: index of an imported name
  kDispatch,  // `target`: index of a function that is selected at load time (ifunc)
  kVirtual,   // `target`: slot number in virtual tables
  kTable,     // `target`: address of a table of function pointers
  kVariable,  // `target`: address of a writable function pointer
  kUnknown,
};

struct CallSite {
  std::uint64_t address = 0;
  std::uint64_t target = 0;
  std::uint32_t position = 0;  // index of the instruction in its function
  SiteKind kind = SiteKind::kCall;
  TargetKind to = TargetKind::kUnknown;
  bool conditional = false;
  bool indirect = false;

  friend bool operator==(const CallSite&, const CallSite&) = default;
};

}  // namespace tare::code
