// step_registers.h: the registers of a stopped thread, as far as stepping needs them.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include <cstdint>

namespace tare::count {

class Registers {
 public:
  // False when the thread is gone.
  bool Read(pid_t thread);
  bool Write(pid_t thread) const;

  std::uint64_t Pc() const;
  std::uint64_t Stack() const;
  void SetPc(std::uint64_t pc);
  void SetStack(std::uint64_t stack);
  // Of the system call that the next instruction makes.
  std::uint64_t CallNumber() const;
  void SetCallNumber(std::uint64_t number);
  // rcx, which counts a repeated instruction's iterations; 0 on other machines.
  std::uint64_t Repetitions() const;
  // x30; 0 on machines that keep return addresses on the stack.
  std::uint64_t Link() const;
  // Register x0 to x30 of AArch64; elsewhere without effect.
  void SetGeneral(unsigned number, std::uint64_t value);

 private:
  user_regs_struct values_{};
};

// A step that ends while the thread blocks SIGTRAP costs the program its handler of that signal:
// the kernel forces the signal through.
void UnblockTrap(pid_t thread);

// Bytes of the instruction that stops a program, and how far its stop lies behind its start.
struct Breakpoint {
  std::uint32_t code;
  unsigned bytes;
  unsigned stops_after;
};
Breakpoint BreakpointHere();

}  // namespace tare::count
