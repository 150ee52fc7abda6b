// study_fuzz.cc: every study file that is accepted has cases, and its schedule comes to an end.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/study/run_schedule.h"
#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Patterns of files would read directories of the machine.
  if (text.contains("files")) return 0;
  const auto study = tare::study::ParseStudy(text, "study.toml", "/nonexistent");
  if (!study) {
    CHECK(study.error().message.starts_with("study.toml:"));
    return 0;
  }
  const auto cases = tare::study::MakeCases(*study, "/usr/bin/tare");
  if (!cases) {
    CHECK(cases.error().message.starts_with("study.toml:"));
    return 0;
  }
  CHECK(!cases->cases.empty());
  if (cases->cases.size() > 1000) return 0;
  tare::study::RunSchedule schedule(*study, *cases);
  std::size_t runs = 0;
  while (runs < 2000) {
    const auto next = schedule.Next(7);
    if (next.empty()) break;
    for (const auto& run : next) {
      CHECK(!schedule.IsStored(run));
      schedule.Add({run, runs % 5 != 0, 1, 1 + static_cast<double>(runs % 3)});
      ++runs;
    }
  }
  CHECK(runs > 0);
  CHECK(runs >= 2000 || schedule.IsFinished());
  return 0;
}
