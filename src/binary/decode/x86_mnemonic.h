// x86_mnemonic.h: the arithmetic of an x86 instruction, from its name alone.
#pragma once

#include <cstdint>
#include <string_view>

namespace tare::decode {

struct X86Arithmetic {
  bool floating_point = false;
  bool scalar = false;            // uses one lane of a vector register
  std::uint8_t element_bits = 0;  // 16, 32, 64, 80
  std::uint8_t operations = 0;    // floating-point operations per lane
};

// `name` in lower case, as Zydis spells it. Ambiguous names mean the SSE instruction, not the
// string instruction (movsd, cmpsd).
X86Arithmetic ArithmeticOfName(std::string_view name);

}  // namespace tare::decode
