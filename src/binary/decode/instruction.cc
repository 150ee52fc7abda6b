// instruction.cc: selecting the decoder of an architecture.
#include "binary/decode/instruction.h"

#include <fmt/format.h>

#include <cstring>

#include "binary/decode/a64_decoder.h"
#include "binary/decode/x86_decoder.h"

namespace tare::decode {
namespace {

std::optional<Instruction> DecodeWord(std::span<const std::byte> code, std::uint64_t address) {
  std::uint32_t word = 0;
  if (code.size() < sizeof(word)) return std::nullopt;
  std::memcpy(&word, code.data(), sizeof(word));
  return DecodeA64(word, address);
}

}  // namespace

Result<Instruction> Decode(Architecture architecture, std::span<const std::byte> code,
                           std::uint64_t address) {
  const auto found =
      architecture == Architecture::kX86_64 ? DecodeX86(code, address) : DecodeWord(code, address);
  if (!found)
    return Fail(ErrorKind::kFormat,
                fmt::format("no valid {} instruction at {:#x}", Name(architecture), address));
  return *found;
}

std::string MnemonicName(Architecture architecture, std::uint32_t id) {
  const auto name =
      architecture == Architecture::kX86_64 ? X86MnemonicName(id) : A64MnemonicName(id);
  return name.empty() ? "?" : std::string(name);
}

}  // namespace tare::decode
