// architecture.cc: names and ELF numbers of instruction sets.
#include "binary/decode/architecture.h"

#include <elf.h>

namespace tare::decode {

std::string_view Name(Architecture architecture) {
  return architecture == Architecture::kX86_64 ? "x86_64" : "aarch64";
}

std::optional<Architecture> ArchitectureOf(std::uint16_t elf_machine) {
  switch (elf_machine) {
    case EM_X86_64:
      return Architecture::kX86_64;
    case EM_AARCH64:
      return Architecture::kAArch64;
    default:
      return std::nullopt;
  }
}

}  // namespace tare::decode
