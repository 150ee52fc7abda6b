// event_verdicts_fuzz.cc: every file of verdicts that parses survives a round trip.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "machine/pmu/event_verdicts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::pmu;
  const auto verdicts = ParseVerdicts({reinterpret_cast<const char*>(data), size});
  if (!verdicts) return 0;
  const auto again = ParseVerdicts(FormatVerdicts(*verdicts));
  CHECK(again.has_value());
  CHECK(*again == *verdicts);
  return 0;
}
