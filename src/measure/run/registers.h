// registers.h: the registers of a stopped thread, as far as tracing a program needs them.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstdint>

namespace tare::run {

class Registers {
 public:
  // False when the thread is gone.
  bool Read(pid_t thread);
  bool Write(pid_t thread) const;
  // Whether what was read are the registers of a program of this machine's own 64 bits.
  bool AreNative() const { return native_; }

  std::uint64_t Pc() const;
  std::uint64_t Stack() const;
  void SetPc(std::uint64_t pc);
  void SetStack(std::uint64_t stack);
  // Of the system call that the next instruction makes.
  std::uint64_t CallNumber() const;
  void SetCallNumber(std::uint64_t number);
  void SetCallArguments(const std::array<std::uint64_t, 6>& arguments);
  // Of the system call that has just been made.
  std::uint64_t CallAnswer() const;
  // rcx, which counts a repeated instruction's iterations; 0 on other machines.
  std::uint64_t Repetitions() const;
  // x30; 0 on machines that keep return addresses on the stack.
  std::uint64_t Link() const;
  // Register x0 to x30 of AArch64; elsewhere without effect.
  void SetGeneral(unsigned number, std::uint64_t value);

 private:
  user_regs_struct values_{};
  bool native_ = false;
};

// The instruction that makes a system call.
struct CallInstruction {
  std::uint32_t code;
  unsigned bytes;
};
CallInstruction CallInstructionHere();

}  // namespace tare::run
