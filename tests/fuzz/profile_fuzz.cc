// profile_fuzz.cc: reads arbitrary profiles; what is accepted can be written and shown.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "format/sampled_profile_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto read = tare::format::ParseProfile(input);
  if (!read) {
    CHECK(read.error().kind == tare::ErrorKind::kFormat && !read.error().message.empty());
    return 0;
  }
  const auto again = tare::format::ParseProfile(tare::format::PackProfile(*read));
  CHECK(again.has_value() && *again == *read);
  return 0;
}
