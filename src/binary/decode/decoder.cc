// decoder.cc: selecting the fast decoder of an architecture.
#include "binary/decode/decoder.h"

#include <cstring>

#include "binary/decode/a64_decoder.h"
#include "binary/decode/x86_memo.h"

namespace tare::decode {

Decoder::Decoder(Architecture architecture)
    : memo_(architecture == Architecture::kX86_64 ? std::make_unique<X86Memo>() : nullptr) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

std::optional<Instruction> Decoder::TryDecode(std::span<const std::byte> code,
                                              std::uint64_t address) {
  if (memo_) return memo_->Decode(code, address);
  std::uint32_t word = 0;
  if (code.size() < sizeof(word)) return std::nullopt;
  std::memcpy(&word, code.data(), sizeof(word));
  return DecodeA64(word, address);
}

}  // namespace tare::decode
