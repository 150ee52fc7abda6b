// counter_file_fuzz.cc: reads arbitrary counter files.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "format/software_counters.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  // The 4,096-byte header is nearly all zeros, so the input contains only its fields, directly
  // followed by the other parts.
  constexpr std::size_t kHeaderBytes = 4096;
  const std::size_t fields = std::min(size, sizeof(tare_counters_header));
  std::vector<std::uint8_t> bytes(kHeaderBytes + (size - fields));
  if (size > 0) {
    std::memcpy(bytes.data(), data, fields);
    std::memcpy(bytes.data() + kHeaderBytes, data + fields, size - fields);
  }
  const Descriptor memory(memfd_create("counters", MFD_CLOEXEC));
  CHECK(write(memory.Number(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  auto file = format::CounterFile::OpenDescriptor(memory.Number(), "fuzz");
  if (!file) {
    CHECK(file.error().kind == ErrorKind::kFormat && !file.error().message.empty());
    return 0;
  }
  const tare_counters_header header = file->Header();
  CHECK(header.banks_used <= header.banks);
  CHECK(header.slots <= bytes.size() || header.banks == 0);
  std::vector<std::uint64_t> slots(header.banks == 0 ? 0 : header.slots);
  if (header.banks > 0) file->Read(slots);
  for (const format::SlotMetric& metric : file->Metrics()) {
    CHECK(metric.slot < header.slots);
    format::ValueOfSlot(metric, file->ReadSlot(metric.slot, metric.kind));
  }
  for (const format::UnitBlocks& blocks : file->Blocks()) {
    CHECK(blocks.first <= header.slots && blocks.count <= header.slots - blocks.first);
  }
  CHECK(file->HookedFunctions().size() <= header.functions_room);
  std::vector<std::uint64_t> samples;
  const std::size_t taken = file->TakeSamples(samples);
  CHECK(samples.size() == taken * header.sample_values && samples.size() <= bytes.size());
  return 0;
}
