// perf_records_fuzz.cc: parses arbitrary bytes as records of the kernel, and stores them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "measure/profile/perf_records.h"
#include "measure/profile/sample_store.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  tare::profile::SampleLayout layout;
  layout.chain = (data[0] & 1) != 0;
  layout.registers = (data[0] & 2) != 0 ? 0x1ff : 0;
  layout.stack_bytes = (data[0] & 4) != 0 ? 8192 : 0;
  layout.data_address = (data[0] & 8) != 0;
  layout.raw = (data[0] & 16) != 0;
  tare::profile::SampleStore store({}, {});
  store.AddEvent(0, 0);
  auto bytes = std::as_bytes(std::span(data + 1, size - 1));
  while (const std::size_t length = tare::profile::RecordBytes(bytes)) {
    const auto record = tare::profile::ParseRecord(bytes.first(length), layout);
    if (record) store.Take(*record);
    bytes = bytes.subspan(length);
  }
  tare::profile::StoreMarks marks;
  const auto part = store.Since(marks);
  for (const auto& sample : part.samples) CHECK(sample.stack < part.stacks.size());
  return 0;
}
