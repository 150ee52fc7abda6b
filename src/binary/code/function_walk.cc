// function_walk.cc: a linear sweep that checks unreachable bytes more closely.
#include "binary/code/function_walk.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tare::code {
namespace {

using decode::BranchKind;

// Zeros decode on x86 (add [rax], al) but are not code. objdump skips runs of 8 too.
constexpr std::size_t kZeroRun = 8;

bool GoesOn(const decode::Instruction& instruction) {
  switch (instruction.branch) {
    case BranchKind::kJump:
    case BranchKind::kIndirectJump:
    case BranchKind::kReturn:
      return false;
    default:
      return true;
  }
}

// ud2 and hlt, udf and brk: compilers put them where control must not continue.
bool Traps(bool x86, std::span<const std::byte> code) {
  if (x86) {
    const bool ud2 = code.size() >= 2 && code[0] == std::byte{0x0f} && code[1] == std::byte{0x0b};
    return ud2 || code[0] == std::byte{0xf4};
  }
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), sizeof(word));
  return (word & 0xffff0000) == 0 || (word & 0xffe0001f) == 0xd4200000;
}

// What compilers and linkers fill gaps with. Landing pads (endbr, bti) are nops too, but are
// reached.
bool IsFiller(bool x86, const decode::Instruction& instruction, std::span<const std::byte> code) {
  if (x86) {
    if (code[0] == std::byte{0xcc}) return true;
    if (!instruction.nop) return false;
    constexpr auto kEndbr = std::to_array<std::uint8_t>({0xf3, 0x0f, 0x1e});
    return code.size() < kEndbr.size() ||
           std::memcmp(code.data(), kEndbr.data(), kEndbr.size()) != 0;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), sizeof(word));
  return word == 0xd503201f;
}

std::span<const elf::AddressRange> From(std::span<const elf::AddressRange> ranges,
                                        std::uint64_t address) {
  const auto first = std::ranges::upper_bound(ranges, address, {}, &elf::AddressRange::end);
  return {first, ranges.end()};
}

}  // namespace

FunctionWalk::FunctionWalk(const elf::ElfImage& image, const elf::Function& function,
                           decode::Decoder& decoder, std::span<const elf::AddressRange> literals)
    : decoder_(decoder),
      x86_(image.architecture() == decode::Architecture::kX86_64),
      start_(function.start),
      at_(function.start),
      code_(image.Code(function.start, function.end - function.start)),
      marks_(From(image.data_in_code(), function.start)),
      literals_(From(literals, function.start)) {
  end_ = start_ + code_.size();
  // No known control flow reaches a guessed function.
  reached_ = function.source != elf::FunctionSource::kGuessed;
}

std::span<const std::byte> FunctionWalk::Rest() const { return code_.subspan(at_ - start_); }

void FunctionWalk::Take(PieceKind kind, std::uint64_t bytes) {
  piece_.kind = kind;
  piece_.address = at_;
  piece_.bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, end_ - at_));
  piece_.is_filler = false;
  at_ += piece_.bytes;
  reached_ = false;
}

bool FunctionWalk::TakeMarked(std::span<const elf::AddressRange> marks, std::size_t& next) {
  while (next < marks.size() && marks[next].end <= at_) ++next;
  if (next == marks.size() || !marks[next].Contains(at_)) return false;
  Take(PieceKind::kData, marks[next].end - at_);
  return true;
}

bool FunctionWalk::TakeZeros() {
  const auto rest = Rest();
  if (rest[0] != std::byte{0}) return false;
  const auto zeros = static_cast<std::size_t>(
      std::ranges::find_if(rest, [](std::byte one) { return one != std::byte{0}; }) - rest.begin());
  const bool to_the_end = zeros == rest.size();
  if (!to_the_end && zeros < kZeroRun) return false;
  Take(PieceKind::kPadding, to_the_end ? zeros : zeros & ~std::size_t{3});
  return true;
}

void FunctionWalk::TakeInstruction() {
  const auto rest = Rest();
  const auto decoded = decoder_.TryDecode(rest, at_);
  if (!decoded) {
    Take(PieceKind::kData, x86_ ? 1 : 4);
    return;
  }
  const bool filler = !reached_ && IsFiller(x86_, *decoded, rest);
  piece_.kind = filler ? PieceKind::kPadding : PieceKind::kInstruction;
  piece_.is_filler = filler;
  piece_.address = at_;
  piece_.bytes = decoded->length;
  piece_.instruction = *decoded;
  reached_ = !filler && GoesOn(*decoded) && !Traps(x86_, rest);
  at_ += decoded->length;
}

bool FunctionWalk::Next() {
  if (at_ >= end_) return false;
  if (TakeMarked(marks_, next_mark_)) return true;
  if (!reached_ && TakeMarked(literals_, next_literal_)) return true;
  if (!TakeZeros()) TakeInstruction();
  return true;
}

}  // namespace tare::code
