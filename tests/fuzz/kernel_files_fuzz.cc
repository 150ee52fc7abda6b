// kernel_files_fuzz.cc: the small files of /proc and /sys, with anything in them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "load/proc_text.h"
#include "machine/conditions.h"
#include "machine/control_group.h"
#include "machine/identity.h"
#include "machine/kernel_text.h"
#include "machine/processor.h"
#include "machine/processor_time.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto times = machine::ParseProcStat(text)) {
    const auto steal = machine::StealShare(*times);
    CHECK(!steal || (*steal >= 0 && *steal <= 1));
  }
  if (const auto load = machine::ParseLoadavg(text)) CHECK(std::isfinite(load->one_minute));
  if (const auto pressure = machine::ParsePressure(text)) CHECK(std::isfinite(pressure->some_10s));
  if (const auto cores = machine::ParseCpuMax(text)) CHECK(*cores >= 0);
  machine::ParseCpuinfo(text);
  machine::ParseMeminfo(text);
  machine::ParseSeccomp(text);
  machine::ListedProcessors(text);
  machine::Chosen(text);
  machine::OsReleaseValue(text, "PRETTY_NAME");
  load::ParseProcessStat(text);
  load::CpuControlGroup(text);
  const double share = load::StealShare(text.substr(0, size / 2), text.substr(size / 2), 0);
  CHECK(share >= 0 && share <= 1);
  return 0;
}
