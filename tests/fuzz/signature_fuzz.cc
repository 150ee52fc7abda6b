// signature_fuzz.cc: reads arbitrary signatures. An input with the magic number is a file; any
// other is the contents of a file with a valid checksum.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "predict/signature/signature_codec.h"
#include "predict/signature/signature_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto read = input.starts_with("taresign") ? tare::signature::ParseSignature(input)
                                                  : tare::signature::DecodeSignature(input);
  if (!read) {
    CHECK(read.error().kind == tare::ErrorKind::kFormat && !read.error().message.empty());
    return 0;
  }
  // What is accepted can be written and is read again as the same.
  const auto raw = tare::signature::EncodeSignature(*read);
  CHECK(raw.has_value());
  const auto file = tare::signature::PackSignature(*raw);
  CHECK(file.has_value());
  const auto again = tare::signature::ParseSignature(*file);
  CHECK(again.has_value() && *again == *read);
  return 0;
}
