// sampled_registers.h: which user registers a sample contains, and how DWARF numbers them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "measure/profile/perf_records.h"

namespace tare::profile {

// For unwinding by DWARF: all general registers.
std::uint64_t UnwindingRegisters();

// For call chains by frame pointer, which lack the caller of a function without a frame: what finds
// its return address. The link register on AArch64, the stack pointer and some of the stack on
// x86-64.
std::uint64_t ChainRegisters();
std::uint32_t ChainStackBytes();

// Whether a call leaves the return address in a register.
bool HasLinkRegister();
// The link register of a sample with ChainRegisters(), without the signature of pointer
// authentication.
std::optional<std::uint64_t> SampledLink(const PerfRecord& sample);

// Numbers in DWARF.
int DwarfStackPointer();
int DwarfFramePointer();

// The registers of UnwindingRegisters() by their number in DWARF: the index into a sample's
// registers for each number.
std::span<const int> DwarfOrder();

// Indices of the program counter and the stack pointer in a sample with UnwindingRegisters().
int ProgramCounterIndex();
int StackPointerIndex();

}  // namespace tare::profile
