// calibration_fuzz.cc: every calibration that parses is valid and survives a round trip.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "machine/load/calibration_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::load;
  constexpr std::string_view kMachine = "host (processor)";
  const auto calibration = ParseCalibration({reinterpret_cast<const char*>(data), size}, kMachine);
  if (!calibration) return 0;
  for (const CoreRate& rate : calibration->cores) {
    CHECK(rate.blocks.size() >= 2);
    for (const double block : rate.blocks) CHECK(std::isfinite(block) && block > 0);
  }
  const std::string text = FormatCalibration(*calibration);
  const auto again = ParseCalibration(text, kMachine);
  CHECK(again.has_value());
  CHECK(FormatCalibration(*again) == text);
  return 0;
}
