// instructions_fuzz.cc: decodes arbitrary bytes as code of both architectures.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "binary/decode/instruction.h"

namespace {

void Walk(tare::decode::Architecture architecture, std::span<const std::byte> code) {
  using namespace tare::decode;
  const std::size_t step = architecture == Architecture::kX86_64 ? 1 : 4;
  for (std::size_t at = 0; at < code.size();) {
    const auto it = Decode(architecture, code.subspan(at), 0x1000 + at);
    if (!it) {
      at += step;
      continue;
    }
    CHECK(it->length > 0 && it->length <= 15 && it->length <= code.size() - at);
    CHECK(it->loads > 0 || it->load_bytes == 0);
    CHECK(it->stores > 0 || it->store_bytes == 0);
    CHECK(!it->target || it->branch != BranchKind::kNone);
    CHECK(it->floating_operations == 0 || (it->floating_point && it->element_bits > 0));
    CHECK(it->vector || it->vector_bits == 0);
    CHECK(MnemonicName(architecture, it->mnemonic) != "?");
    at += it->length;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto code = std::as_bytes(std::span(data, size));
  Walk(tare::decode::Architecture::kX86_64, code);
  Walk(tare::decode::Architecture::kAArch64, code);
  return 0;
}
