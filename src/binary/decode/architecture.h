// architecture.h: the supported instruction sets.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::decode {

enum class Architecture { kX86_64, kAArch64 };

// As in uname(2): "x86_64", "aarch64".
std::string_view Name(Architecture architecture);

// From ELF's e_machine; nothing for any other value.
std::optional<Architecture> ArchitectureOf(std::uint16_t elf_machine);

// The architecture for which this program was built.
constexpr Architecture HostArchitecture() {
#if defined(__x86_64__)
  return Architecture::kX86_64;
#elif defined(__aarch64__)
  return Architecture::kAArch64;
#else
#error "tare supports x86-64 and AArch64"
#endif
}

}  // namespace tare::decode
