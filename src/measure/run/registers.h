// registers.h: reads and writes the registers of a stopped thread.
#pragma once

#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <cstdint>

namespace tare::run {

class Registers {
 public:
  // False if the thread is gone.
  bool Read(pid_t thread);
  bool Write(pid_t thread) const;
  // Whether the registers are those of a 64-bit program of the host architecture.
  bool AreNative() const { return native_; }

  std::uint64_t Pc() const;
  std::uint64_t Stack() const;
  void SetPc(std::uint64_t pc);
  void SetStack(std::uint64_t stack);
  // Number of the system call that the next instruction makes.
  std::uint64_t CallNumber() const;
  void SetCallNumber(std::uint64_t number);
  void SetCallArguments(const std::array<std::uint64_t, 6>& arguments);
  // Result of the system call that has just returned.
  std::uint64_t CallAnswer() const;
  // rcx, the iteration counter of rep-prefixed instructions; 0 on other architectures.
  std::uint64_t Repetitions() const;
  // x30; 0 on architectures that keep return addresses on the stack.
  std::uint64_t Link() const;
  // x0 to x30 on AArch64. Elsewhere, and for other numbers: 0, and setting has no effect.
  std::uint64_t General(unsigned number) const;
  void SetGeneral(unsigned number, std::uint64_t value);

 private:
  user_regs_struct values_{};
  bool native_ = false;
};

// The system call instruction.
struct CallInstruction {
  std::uint32_t code;
  unsigned bytes;
};
CallInstruction CallInstructionHere();

}  // namespace tare::run
