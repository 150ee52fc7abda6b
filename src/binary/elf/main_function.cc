// main_function.cc: _start loads the address of main into the first argument register and calls.
#include "binary/elf/main_function.h"

#include "binary/decode/code_constants.h"
#include "binary/decode/instruction.h"

namespace tare::elf {
namespace {

constexpr int kMaxInstructions = 32;  // _start has 12 to 20

// The start code of an AArch64 program at a fixed address refers to main through a stub that only
// jumps to it. A main that begins with a jump has its own symbol or frame.
std::uint64_t BehindStub(const ElfImage& image, std::uint64_t address) {
  const Function* function = image.FunctionAt(address);
  if (function != nullptr && function->start == address &&
      function->source != FunctionSource::kGuessed)
    return address;
  std::uint64_t at = address;
  for (int i = 0; i < 2; ++i) {
    const auto instruction = decode::Decode(image.architecture(), image.Code(at, 16), at);
    if (!instruction) return address;
    if (instruction->branch == decode::BranchKind::kJump)
      return instruction->target.value_or(address);
    if (!instruction->nop) return address;
    at += instruction->length;
  }
  return address;
}

bool IsCode(const ElfImage& image, std::uint64_t address) {
  for (const auto& segment : image.segments())
    if (segment.executable && address >= segment.address &&
        address - segment.address < segment.file_bytes)
      return true;
  return false;
}

}  // namespace

std::optional<std::uint64_t> MainByEntryCode(const ElfImage& image) {
  const bool x86 = image.architecture() == decode::Architecture::kX86_64;
  const std::uint8_t first_argument = x86 ? 7 : 0;
  decode::ConstantFollower follower(image.architecture());
  std::optional<std::uint64_t> argument;
  std::uint64_t at = image.entry();
  for (int i = 0; i < kMaxInstructions; ++i) {
    const auto code = image.Code(at, 16);
    const auto instruction = decode::Decode(image.architecture(), code, at);
    if (!instruction) return std::nullopt;
    if (const auto constant = follower.Next(code, at);
        constant && constant->register_number == first_argument)
      argument = constant->is_slot ? image.WordAt(constant->value) : constant->value;
    const bool leaves = instruction->branch != decode::BranchKind::kNone;
    if (leaves && argument && IsCode(image, *argument)) return BehindStub(image, *argument);
    if (leaves && instruction->branch != decode::BranchKind::kConditional) return std::nullopt;
    at += instruction->length;
  }
  return std::nullopt;
}

}  // namespace tare::elf
