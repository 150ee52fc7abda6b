// code.h: the code of a file, the same pieces for every decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf/elf_image.h"
#include "listing.h"

namespace readers {

struct CodePiece {
  std::uint64_t address;
  std::span<const std::byte> bytes;
};

// Executable sections without the data between instructions that symbols name.
struct Code {
  std::string file;  // what the pieces point into
  tare::decode::Architecture architecture = tare::decode::Architecture::kX86_64;
  std::vector<CodePiece> pieces;
};

// Without pieces when the file cannot be read.
Code ReadCode(const std::string& path);

// The number in the encoding of a general-purpose register by any of its names ("eax", "R8D", "w3",
// "sp"); nothing for other registers and the zero register.
std::optional<unsigned> RegisterNumber(tare::decode::Architecture architecture,
                                       std::string_view name);

// Decodes everything: after an invalid instruction x86-64 goes on with the next byte, AArch64 with
// the next word. Decode(bytes, address) returns an InstructionFact. Returns the instructions; `sum`
// depends on all facts.
template <typename Decode>
std::uint64_t DecodeAll(const Code& code, Listing* listing, Decode decode) {
  const std::size_t step = code.architecture == tare::decode::Architecture::kX86_64 ? 1 : 4;
  std::uint64_t count = 0;
  volatile std::uint64_t kept = 0;
  std::uint64_t sum = 0;
  for (const auto& piece : code.pieces)
    for (std::size_t at = 0; at < piece.bytes.size();) {
      const InstructionFact fact = decode(piece.bytes.subspan(at), piece.address + at);
      if (listing != nullptr) listing->Add(piece.address + at, fact);
      sum += fact.target.value_or(0) + fact.loads.value_or(false) + fact.stores.value_or(false) +
             fact.load_bytes.value_or(0) + fact.store_bytes.value_or(0) + fact.written.value_or(0) +
             fact.branch.size();
      count += fact.length > 0 ? 1 : 0;
      at += fact.length > 0 ? fact.length : step;
    }
  kept = sum;
  (void)kept;
  return count;
}

}  // namespace readers
