// architecture.h: the instruction sets that this program can read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tare::decode {

enum class Architecture { kX86_64, kAArch64 };

// As uname names them: "x86_64", "aarch64".
std::string_view Name(Architecture architecture);

// From ELF's e_machine; nothing for all others.
std::optional<Architecture> ArchitectureOf(std::uint16_t elf_machine);

// What this program itself was built for.
constexpr Architecture HostArchitecture() {
#if defined(__x86_64__)
  return Architecture::kX86_64;
#elif defined(__aarch64__)
  return Architecture::kAArch64;
#else
#error "tare knows x86-64 and AArch64"
#endif
}

}  // namespace tare::decode
