// flow_fuzz.cc: reads arbitrary flow descriptions, in one piece and in two.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "format/flow_descriptions.h"

namespace {

void CheckAll(const tare::format::FlowDescriptions& descriptions, std::size_t size) {
  for (const tare::format::FlowBlock& block : descriptions.Described()) {
    CHECK(block.block < descriptions.BlockCount());
    CHECK(block.words > 0 && block.words <= TARE_FLOW_RECORD_WORDS);
    CHECK(block.code.size() == block.code_bytes && block.code.size() <= size);
    CHECK(!block.operation || (block.flags & TARE_WIRE_REPEATED) != 0);
    for (const tare::format::FlowAccess& access : block.accesses) {
      CHECK(access.word < block.words);
      CHECK(access.code_offset < block.code_bytes);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::size_t half = size / 16 * 8;
  format::FlowDescriptions whole;
  if (const auto appended = whole.Append({bytes.begin(), bytes.end()}); !appended) {
    CHECK(appended.error().kind == ErrorKind::kFormat && !appended.error().message.empty());
  }
  CheckAll(whole, size);
  format::FlowDescriptions pieces;
  const auto middle = bytes.begin() + static_cast<std::ptrdiff_t>(half);
  if (pieces.Append({bytes.begin(), middle})) {
    (void)pieces.Append({middle, bytes.end()});
    CHECK(pieces.Described().size() <= whole.Described().size());
  }
  CheckAll(pieces, size);
  return 0;
}
