// x86_kind.h: what the name of an x86 instruction alone tells about what it does.
#pragma once

#include <string_view>

#include "binary/decode/instruction_kind.h"

namespace tare::decode {

// `name` in small letters, as Zydis gives it. Names of string instructions mean the SSE instruction
// of the same name (movsd, cmpsd).
InstructionKind X86KindOfName(std::string_view name);

}  // namespace tare::decode
