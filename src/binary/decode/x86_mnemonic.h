// x86_mnemonic.h: what the name of an x86 instruction alone tells about its arithmetic.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::decode {

struct X86Arithmetic {
  bool floating_point = false;
  bool scalar = false;            // uses one lane of a vector register
  std::uint8_t element_bits = 0;  // 16, 32, 64, 80
  std::uint8_t operations = 0;    // floating-point operations for each lane
};

// `name` in small letters, as Zydis gives it. Names of string instructions mean the SSE instruction
// of the same name (movsd, cmpsd).
X86Arithmetic ArithmeticOfName(std::string_view name);

}  // namespace tare::decode
