// processor_fuzz.cc: every processor description that parses can be built and used.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/core/core.h"
#include "model/core/processor_file.h"

namespace {

// Larger ones work the same and only take more memory.
bool IsSmall(const tare::model::Processor& processor) {
  constexpr std::uint64_t kMax = 1 << 24;
  return processor.l1i.bytes + processor.l1d.bytes + (processor.l2 ? processor.l2->bytes : 0) +
             (processor.l3 ? processor.l3->bytes : 0) <
         kMax;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto processor = tare::model::ParseProcessor(text, "processor.toml");
  if (!processor) {
    CHECK(processor.error().message.starts_with("processor.toml:"));
    return 0;
  }
  if (!IsSmall(*processor)) return 0;
  auto core = tare::model::Core::Make(*processor);
  CHECK(core.has_value());
  tare::model::EventCounts counts;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t address = i * i * 67;
    core->Fetch(address / 5, 1 + static_cast<std::uint32_t>(i % 9), counts);
    core->Access({address, 1 + static_cast<std::uint32_t>(i % 100), i % 3 == 0, i % 7 * 4}, counts);
  }
  using tare::model::Event;
  CHECK(counts[Event::kL1iMisses] > 0);
  CHECK(counts[Event::kL1dLoadMisses] > 0);
  CHECK(counts[Event::kPrefetchesUsed] <= counts[Event::kPrefetches]);
  CHECK(counts[Event::kL3InstructionMisses] <= counts[Event::kL2InstructionMisses]);
  return 0;
}
