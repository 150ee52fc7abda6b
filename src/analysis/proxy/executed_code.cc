// executed_code.cc: decodes the blocks of one file and adds their executions to each instruction.
#include "analysis/proxy/executed_code.h"

#include <filesystem>

#include "binary/decode/decoder.h"

namespace tare::proxy {

bool IsSameFile(const std::string& object, const std::string& path) {
  if (object == path) return true;
  std::error_code error;
  return std::filesystem::equivalent(object, path, error) && !error;
}

ExecutedCode::ExecutedCode(const elf::ElfImage& image, const std::string& path,
                           const count::Tally& tally) {
  constexpr std::uint64_t kLongestInstruction = 16;
  decode::Decoder decoder(image.architecture());
  const std::string* known = nullptr;  // consecutive blocks mostly have the same object
  bool own = false;
  for (const auto& block : tally.blocks) {
    if (known == nullptr || *known != block.object) {
      known = &block.object;
      own = IsSameFile(block.object, path);
    }
    const auto start = own ? image.AddressOf(block.offset) : std::nullopt;
    if (!start) continue;
    std::uint64_t at = *start;
    for (std::uint64_t i = 0; i < block.instructions; ++i) {
      const auto instruction = decoder.TryDecode(image.Code(at, kLongestInstruction), at);
      if (!instruction) break;
      executions_[at] += block.executions;
      at += instruction->length;
    }
  }
}

std::uint64_t ExecutedCode::At(std::uint64_t address) const {
  const auto found = executions_.find(address);
  return found == executions_.end() ? 0 : found->second;
}

}  // namespace tare::proxy
