// step_registers.cc: registers of x86-64 and AArch64 by ptrace.
#include "count/step_registers.h"

#include <elf.h>
#include <signal.h>
#include <sys/uio.h>

namespace tare::count {

bool Registers::Read(pid_t thread) {
  iovec area{&values_, sizeof values_};
  return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &area) == 0;
}

bool Registers::Write(pid_t thread) const {
  user_regs_struct copy = values_;
  iovec area{&copy, sizeof copy};
  return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &area) == 0;
}

void UnblockTrap(pid_t thread) {
  constexpr std::uint64_t kTrap = std::uint64_t{1} << (SIGTRAP - 1);
  std::uint64_t mask = 0;
  if (ptrace(PTRACE_GETSIGMASK, thread, sizeof mask, &mask) != 0 || (mask & kTrap) == 0) return;
  mask &= ~kTrap;
  ptrace(PTRACE_SETSIGMASK, thread, sizeof mask, &mask);
}

#if defined(__aarch64__)

std::uint64_t Registers::Pc() const { return values_.pc; }
std::uint64_t Registers::Stack() const { return values_.sp; }
void Registers::SetPc(std::uint64_t pc) { values_.pc = pc; }
void Registers::SetStack(std::uint64_t stack) { values_.sp = stack; }
std::uint64_t Registers::CallNumber() const { return values_.regs[8]; }
void Registers::SetCallNumber(std::uint64_t number) { values_.regs[8] = number; }
std::uint64_t Registers::Repetitions() const { return 0; }
std::uint64_t Registers::Link() const { return values_.regs[30]; }
void Registers::SetGeneral(unsigned number, std::uint64_t value) {
  if (number < 31) values_.regs[number] = value;
}

// brk #0 stops at itself.
Breakpoint BreakpointHere() { return {0xd4200000, 4, 0}; }

#else

std::uint64_t Registers::Pc() const { return values_.rip; }
std::uint64_t Registers::Stack() const { return values_.rsp; }
void Registers::SetPc(std::uint64_t pc) { values_.rip = pc; }
void Registers::SetStack(std::uint64_t stack) { values_.rsp = stack; }
std::uint64_t Registers::CallNumber() const { return values_.rax; }
void Registers::SetCallNumber(std::uint64_t number) { values_.rax = number; }
std::uint64_t Registers::Repetitions() const { return values_.rcx; }
std::uint64_t Registers::Link() const { return 0; }
void Registers::SetGeneral(unsigned, std::uint64_t) {}

// int3 stops behind itself.
Breakpoint BreakpointHere() { return {0xcc, 1, 1}; }

#endif

}  // namespace tare::count
