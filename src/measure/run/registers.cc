// registers.cc: PTRACE_GETREGSET for x86-64 and AArch64.
#include "measure/run/registers.h"

#include <elf.h>
#include <sys/uio.h>

namespace tare::run {

bool Registers::Read(pid_t thread) {
  iovec area{&values_, sizeof values_};
  if (::ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &area) != 0) return false;
  native_ = area.iov_len == sizeof values_;
  return true;
}

bool Registers::Write(pid_t thread) const {
  user_regs_struct copy = values_;
  iovec area{&copy, sizeof copy};
  return ::ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &area) == 0;
}

#if defined(__aarch64__)

std::uint64_t Registers::Pc() const { return values_.pc; }
std::uint64_t Registers::Stack() const { return values_.sp; }
void Registers::SetPc(std::uint64_t pc) { values_.pc = pc; }
void Registers::SetStack(std::uint64_t stack) { values_.sp = stack; }
std::uint64_t Registers::CallNumber() const { return values_.regs[8]; }
void Registers::SetCallNumber(std::uint64_t number) { values_.regs[8] = number; }
void Registers::SetCallArguments(const std::array<std::uint64_t, 6>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) values_.regs[i] = arguments[i];
}
std::uint64_t Registers::CallAnswer() const { return values_.regs[0]; }
std::uint64_t Registers::Repetitions() const { return 0; }
std::uint64_t Registers::Link() const { return values_.regs[30]; }
std::uint64_t Registers::General(unsigned number) const {
  return number < 31 ? values_.regs[number] : 0;
}
void Registers::SetGeneral(unsigned number, std::uint64_t value) {
  if (number < 31) values_.regs[number] = value;
}

// svc #0
CallInstruction CallInstructionHere() { return {0xd4000001, 4}; }

#else

std::uint64_t Registers::Pc() const { return values_.rip; }
std::uint64_t Registers::Stack() const { return values_.rsp; }
void Registers::SetPc(std::uint64_t pc) { values_.rip = pc; }
void Registers::SetStack(std::uint64_t stack) { values_.rsp = stack; }
std::uint64_t Registers::CallNumber() const { return values_.rax; }
void Registers::SetCallNumber(std::uint64_t number) { values_.rax = number; }
void Registers::SetCallArguments(const std::array<std::uint64_t, 6>& arguments) {
  values_.rdi = arguments[0];
  values_.rsi = arguments[1];
  values_.rdx = arguments[2];
  values_.r10 = arguments[3];
  values_.r8 = arguments[4];
  values_.r9 = arguments[5];
}
std::uint64_t Registers::CallAnswer() const { return values_.rax; }
std::uint64_t Registers::Repetitions() const { return values_.rcx; }
std::uint64_t Registers::Link() const { return 0; }
std::uint64_t Registers::General(unsigned) const { return 0; }
void Registers::SetGeneral(unsigned, std::uint64_t) {}

// syscall
CallInstruction CallInstructionHere() { return {0x050f, 2}; }

#endif

}  // namespace tare::run
