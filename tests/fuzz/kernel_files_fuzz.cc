// kernel_files_fuzz.cc: parses arbitrary contents of small /proc and /sys files.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "machine/host/conditions.h"
#include "machine/host/control_group.h"
#include "machine/host/host_processor.h"
#include "machine/host/kernel_text.h"
#include "machine/host/machine_identity.h"
#include "machine/host/processor_time.h"
#include "machine/load/proc_text.h"
#include "measure/events/block_requests.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto times = host::ParseProcStat(text)) {
    const auto steal = host::StealShare(*times);
    CHECK(!steal || (*steal >= 0 && *steal <= 1));
  }
  if (const auto load = host::ParseLoadavg(text)) CHECK(std::isfinite(load->one_minute));
  if (const auto pressure = host::ParsePressure(text)) CHECK(std::isfinite(pressure->some_10s));
  if (const auto cores = host::ParseCpuMax(text)) CHECK(*cores >= 0);
  host::ParseCpuinfo(text);
  host::ParseMeminfo(text);
  host::ParseSeccomp(text);
  host::ListedProcessors(text);
  host::Chosen(text);
  host::OsReleaseValue(text, "PRETTY_NAME");
  if (const auto fields = events::ParseRequestFormat(text)) events::ParseRequest(text, *fields);
  load::ParseProcessStat(text);
  load::CpuControlGroup(text);
  const double share = load::StealShare(text.substr(0, size / 2), text.substr(size / 2), 0);
  CHECK(share >= 0 && share <= 1);
  return 0;
}
