// function_walk.h: decoding the bytes of a function into instructions, padding and data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"

namespace tare::code {

enum class PieceKind : std::uint8_t {
  kInstruction,
  kPadding,  // filler that control does not reach, and runs of zeros
  kData,     // marked as data, read as data, or not decodable
};

struct Piece {
  PieceKind kind = PieceKind::kInstruction;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  decode::Instruction instruction;  // of an instruction, or of a filler
  bool is_filler = false;           // padding that consists of one instruction
};

// docs/methods/instruction-mix.md has the rules. `literals` are ranges that code reads as data,
// sorted and disjoint. Image, decoder and literals must outlive the walk.
class FunctionWalk {
 public:
  FunctionWalk(const elf::ElfImage& image, const elf::Function& function, decode::Decoder& decoder,
               std::span<const elf::AddressRange> literals);

  // False at the end; `piece()` then remains the last one.
  bool Next();
  const Piece& piece() const { return piece_; }

 private:
  std::span<const std::byte> Rest() const;
  bool TakeMarked(std::span<const elf::AddressRange> marks, std::size_t& next);
  bool TakeZeros();
  void TakeInstruction();
  void Take(PieceKind kind, std::uint64_t bytes);

  decode::Decoder& decoder_;
  bool x86_;
  std::uint64_t start_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::span<const std::byte> code_;
  std::span<const elf::AddressRange> marks_;
  std::span<const elf::AddressRange> literals_;
  std::size_t next_mark_ = 0;
  std::size_t next_literal_ = 0;
  bool reached_ = true;  // control can fall through from the previous instruction
  Piece piece_;
};

}  // namespace tare::code
