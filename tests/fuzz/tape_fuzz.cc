// tape_fuzz.cc: tapes with anything in them.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "format/system_log.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  // The first 8 KiB are mostly zero in a tape: the input stands for the beginning of the header,
  // then for the records.
  constexpr std::size_t kHeaderPart = 136;
  std::string bytes(TARE_TAPE_HEADER_BYTES, '\0');
  for (std::size_t i = 0; i < size && i < kHeaderPart; ++i) bytes[i] = static_cast<char>(data[i]);
  for (std::size_t i = kHeaderPart; i < size; ++i) bytes += static_cast<char>(data[i]);
  const auto tape = format::ParseTape(bytes);
  if (!tape) return 0;
  std::size_t answers = 0;
  for (const format::TapeStream& stream : tape->streams) {
    CHECK(!format::Name(stream.kind).empty());
    for (const format::TapeAnswer& answer : stream.answers) {
      CHECK(tape->Payload(answer).size() == answer.bytes);
      ++answers;
    }
  }
  CHECK(answers * sizeof(tare_tape_record) <= size);
  // What was cut to its records is the same tape again.
  const auto again = format::ParseTape(tape->bytes);
  CHECK(again && again->streams.size() == tape->streams.size());
  return 0;
}
