// counted_module_fuzz.cc: reads arbitrary descriptions of a module's counters.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "compiler/wrapper/counted_module.h"
#include "compiler/wrapper/listing.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto candidates = tare::wrapper::ParseCandidates(text);
  const std::string listing = tare::wrapper::ListingOf(candidates);
  CHECK(candidates.empty() == listing.empty());
  const auto module =
      tare::wrapper::ParseCountedModule(std::as_bytes(std::span(text.data(), text.size())));
  if (module) (void)tare::wrapper::ListingOf(module->candidates);
  return 0;
}
