// observations_fuzz.cc: every table of counts that parses can be explained without a crash.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/explain/clock_rates.h"
#include "analysis/explain/explanation.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::explain;
  ObservationReader reader;
  if (!reader.Add({reinterpret_cast<const char*>(data), size}, "input")) return 0;
  const auto programs = reader.Programs();
  for (const ClockRow& row : ClockRows(programs, 0.95)) CHECK(row.mhz || !row.absence.empty());
  const auto difference = DifferenceOf(programs, std::nullopt);
  if (!difference) return 0;
  CHECK(difference->programs.size() + difference->left_out.size() == programs.size());
  const auto explanation = Explain(*difference, {0.95, 19, 1});
  if (!explanation) return 0;
  CHECK(explanation->residuals.size() == difference->programs.size());
  for (const Term& term : explanation->terms) CHECK(term.extra.Value() > 0 && term.p <= 0.05);
  return 0;
}
