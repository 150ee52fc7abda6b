// counter_errata.cc: the table of errata. Only what a vendor's document names is in it.
#include "machine/pmu/counter_errata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace tare::pmu {
namespace {

constexpr std::string_view kIntel = "GenuineIntel";
constexpr std::string_view kAmd = "AuthenticAMD";

// Models as in Intel's mapfile.csv, which assigns event lists to models.
constexpr auto kHaswell = std::to_array<std::uint64_t>({0x3c, 0x45, 0x46, 0x3f});
constexpr auto kBroadwell = std::to_array<std::uint64_t>({0x3d, 0x47, 0x4f, 0x56});
constexpr auto kSkylake = std::to_array<std::uint64_t>({0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6, 0x55});
constexpr auto kZen = std::to_array<std::uint64_t>({0x01, 0x08});

struct ErratumRow {
  std::string_view vendor;
  std::uint64_t family;
  std::span<const std::uint64_t> models;
  CounterErratum erratum;
};

constexpr std::string_view kHaswellList =
    "Intel, Performance Monitoring Events for 4th Generation Core Processor, V36 (field Errata)";
constexpr std::string_view kBroadwellList =
    "Intel, Performance Monitoring Events for 5th Generation Core Processor, V30 (field Errata)";
constexpr std::string_view kSkylakeList =
    "Intel, Performance Monitoring Events for 6th Generation Core Processor, V59 (field Errata)";

constexpr auto kErrata = std::to_array<ErratumRow>({
    {kIntel, 6, kHaswell, {"HSD140, HSD143", "INST_RETIRED.ANY", "instructions", kHaswellList}},
    {kIntel, 6, kHaswell, {"HSD11, HSD140", "INST_RETIRED.ANY_P", "instructions", kHaswellList}},
    {kIntel,
     6,
     kHaswell,
     {"HSD29, HSM30", "MEM_UOPS_RETIRED.ALL_LOADS, .ALL_STORES", "loads, stores", kHaswellList}},
    {kIntel, 6, kBroadwell, {"BDM61", "INST_RETIRED.ANY_P", "instructions", kBroadwellList}},
    {kIntel, 6, kSkylake, {"SKL091, SKL044", "INST_RETIRED.ANY_P", "instructions", kSkylakeList}},
    {kIntel,
     6,
     kSkylake,
     {"SKL091", "BR_INST_RETIRED.ALL_BRANCHES, .CONDITIONAL", "branches", kSkylakeList}},
    {kAmd,
     0x17,
     kZen,
     {"1054", "Instructions Retired Performance Counter (IRPERF)",
      "none: perf counts instructions by another counter",
      "AMD, Revision Guide for AMD Family 17h Models 00h-0Fh Processors"}},
});

// The value of "KEY : value" in /proc/cpuinfo, of the first processor.
std::string_view CpuinfoValue(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view name = line.substr(0, colon);
    while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
    if (name != key) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return {};
}

bool ReadWhole(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

}  // namespace

host::Reading<X86Signature> ReadX86Signature(const host::SystemFiles& files) {
  const auto text = files.Text("/proc/cpuinfo");
  if (!text) return std::unexpected(text.error());
  X86Signature signature;
  signature.vendor = CpuinfoValue(*text, "vendor_id");
  const bool numbers = ReadWhole(CpuinfoValue(*text, "cpu family"), signature.family) &&
                       ReadWhole(CpuinfoValue(*text, "model"), signature.model);
  if (!signature.vendor.empty() && numbers) return signature;
  return std::unexpected("/proc/cpuinfo names no x86 family and model");
}

std::vector<CounterErratum> ErrataOf(const X86Signature& signature) {
  std::vector<CounterErratum> errata;
  for (const ErratumRow& row : kErrata) {
    if (row.vendor != signature.vendor || row.family != signature.family) continue;
    if (std::ranges::find(row.models, signature.model) == row.models.end()) continue;
    errata.push_back(row.erratum);
  }
  return errata;
}

}  // namespace tare::pmu
