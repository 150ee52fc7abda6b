// call_site.h: a place where code goes to another function.
#pragma once

#include <cstdint>

namespace tare::code {

enum class SiteKind : std::uint8_t {
  kCall,
  kTailCall,  // a jump to another function's start
  kPart,      // a jump into the middle of another function, or to a part split off by the compiler
};

enum class TargetKind : std::uint8_t {
  kFunction,  // `target`: index of a function of this file
  kImport,    // `target`: index of a name that another file defines
  kDispatch,  // `target`: index of a function chosen when the program is loaded
  kVirtual,   // `target`: number of a slot in tables of virtual functions
  kTable,     // `target`: address of a table of function pointers
  kVariable,  // `target`: address of a pointer that the program may change
  kUnknown,
};

struct CallSite {
  std::uint64_t address = 0;
  std::uint64_t target = 0;
  std::uint32_t position = 0;  // instructions before it in its function
  SiteKind kind = SiteKind::kCall;
  TargetKind to = TargetKind::kUnknown;
  bool conditional = false;
  bool indirect = false;

  friend bool operator==(const CallSite&, const CallSite&) = default;
};

}  // namespace tare::code
