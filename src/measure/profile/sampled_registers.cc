// sampled_registers.cc: register numbers of the kernel (asm/perf_regs.h) and of the DWARF
// supplements of both architectures.
#include "measure/profile/sampled_registers.h"

#include <array>

namespace tare::profile {

#if defined(__x86_64__)

// ax bx cx dx si di bp sp ip (bits 0 to 8), r8 to r15 (bits 16 to 23).
std::uint64_t UnwindingRegisters() { return 0xff01ff; }
std::uint64_t ChainRegisters() { return std::uint64_t{1} << 7; }
// Functions without frame have small ones, and copying costs.
std::uint32_t ChainStackBytes() { return 256; }
bool HasLinkRegister() { return false; }
std::optional<std::uint64_t> SampledLink(const PerfRecord&) { return std::nullopt; }
int DwarfStackPointer() { return 7; }
int DwarfFramePointer() { return 6; }

// DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, return address.
std::span<const int> DwarfOrder() {
  static constexpr std::array kOrder = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8};
  return kOrder;
}
int ProgramCounterIndex() { return 8; }
int StackPointerIndex() { return 7; }

#elif defined(__aarch64__)

// x0 to x30, sp, pc (bits 0 to 32).
std::uint64_t UnwindingRegisters() { return 0x1ffffffff; }
std::uint64_t ChainRegisters() { return std::uint64_t{1} << 30; }
std::uint32_t ChainStackBytes() { return 0; }
bool HasLinkRegister() { return true; }
std::optional<std::uint64_t> SampledLink(const PerfRecord& sample) {
  if (sample.registers.size() != 1) return std::nullopt;
  // Code is below 2^48; a signature is in the bits above.
  return sample.registers.front() & 0xffff'ffff'ffff;
}
int DwarfStackPointer() { return 31; }
int DwarfFramePointer() { return 29; }

std::span<const int> DwarfOrder() {
  static constexpr std::array kOrder = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                        11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                        22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  return kOrder;
}
int ProgramCounterIndex() { return 32; }
int StackPointerIndex() { return 31; }

#endif

}  // namespace tare::profile
