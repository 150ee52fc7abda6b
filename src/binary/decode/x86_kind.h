// x86_kind.h: classifying an x86 instruction by its name alone.
#pragma once

#include <string_view>

#include "binary/decode/instruction_kind.h"

namespace tare::decode {

// `name` in lower case, as Zydis spells it. Ambiguous names mean the SSE instruction, not the
// string instruction (movsd, cmpsd).
InstructionKind X86KindOfName(std::string_view name);

}  // namespace tare::decode
