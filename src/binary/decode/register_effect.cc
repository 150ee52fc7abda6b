// register_effect.cc: selecting the implementation of an architecture.
#include "binary/decode/register_effect.h"

#include "binary/decode/architecture_effects.h"

namespace tare::decode {

RegisterEffect EffectOf(Architecture architecture, std::span<const std::byte> code,
                        std::uint64_t address) {
  return architecture == Architecture::kX86_64 ? X86EffectOf(code, address)
                                               : A64EffectOf(code, address);
}

}  // namespace tare::decode
