// register_use.cc: selecting the implementation of an architecture.
#include "binary/decode/register_use.h"

#include "binary/decode/architecture_uses.h"

namespace tare::decode {

RegisterUse UseOf(Architecture architecture, std::span<const std::byte> code,
                  std::uint64_t address) {
  return architecture == Architecture::kX86_64 ? X86UseOf(code, address) : A64UseOf(code, address);
}

}  // namespace tare::decode
