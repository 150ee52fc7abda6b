// network_fuzz.cc: every network file that parses is sound and survives a round trip.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "predict/replay/network.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto network = tare::replay::ParseNetwork(text, "network.toml");
  if (!network) return 0;
  CHECK(tare::replay::CheckNetwork(*network).has_value());
  const std::string written = tare::replay::FormatNetwork(*network);
  const auto again = tare::replay::ParseNetwork(written, "network.toml");
  CHECK(again.has_value());
  CHECK(tare::replay::FormatNetwork(*again) == written);
  return 0;
}
