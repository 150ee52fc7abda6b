// sampled_registers.h: which user registers a sample contains, and how DWARF numbers them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tare::profile {

// For unwinding by DWARF: all general registers.
std::uint64_t UnwindingRegisters();

// For call chains by frame pointer: the link register on AArch64, where the kernel's chain lacks
// the caller of a leaf function; nothing elsewhere.
std::uint64_t ChainRegisters();

// The registers of UnwindingRegisters() by their number in DWARF: the index into a sample's
// registers for each number.
std::span<const int> DwarfOrder();

// Indices of the program counter and the stack pointer in a sample with UnwindingRegisters().
int ProgramCounterIndex();
int StackPointerIndex();

}  // namespace tare::profile
