// metrics_fuzz.cc: every metrics file that parses gives a plan that survives a round trip as text.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "compiler/metrics/metrics_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A profile is another file, whose name the input would choose.
  if (text.contains("profile") || text.contains('\\')) return 0;
  const auto file = tare::metrics::ParseMetrics(text, "metrics.toml");
  if (!file) {
    CHECK(file.error().message.starts_with("metrics.toml:"));
    return 0;
  }
  CHECK(file->places.size() == file->plan.metrics.size());
  const std::string plan = tare::format::PlanText(file->plan);
  const auto again = tare::format::ParsePlanText(plan);
  CHECK(again.has_value());
  CHECK(tare::format::PlanText(*again) == plan);
  return 0;
}
