// measurement_interface.cc: the table of known interfaces, and their callers.
#include "binary/mix/measurement_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

#include "base/printable.h"
#include "binary/mix/xray_sleds.h"

namespace tare::mix {
namespace {

struct KnownInterface {
  std::string_view start;  // prefix of the name
  bool whole;              // the prefix is the whole name
  std::string_view owner;
};

constexpr auto kKnown = std::to_array<KnownInterface>({
    {"__cyg_profile_func_", false, "-finstrument-functions"},
    {"mcount", true, "mcount (-pg)"},
    {"_mcount", true, "mcount (-pg)"},
    {"__mcount", true, "mcount (-pg)"},
    {"__mcount_internal", true, "mcount (-pg)"},
    {"__gnu_mcount_nc", true, "mcount (-pg)"},
    {"__fentry__", true, "fentry"},
    {"__return__", true, "fentry"},
    {"__xray_", false, "XRay"},
    {"__sanitizer_cov_", false, "sanitizer coverage"},
    {"__tsan_func_", false, "thread sanitizer"},
    {"__gcov_", false, "gcov"},
    {"__llvm_profile_", false, "LLVM profile"},
    {"scorep_", false, "Score-P"},
    {"SCOREP_", false, "Score-P"},
    {"POMP2_", false, "Score-P"},
    {"Tau_", false, "TAU"},
    {"VT_", false, "VampirTrace"},
    {"Extrae_", false, "Extrae"},
    {"cali_", false, "Caliper"},
    {"likwid_marker", false, "LIKWID"},
    {"__tare_", false, "tare"},
    {"tare_", false, "tare"},
});

}  // namespace

// Uses regcomp(3): std::regex recurses, so a long name in a hostile file could overflow the stack.
Result<MeasurementInterface> MeasurementInterface::Make(const std::string& pattern) {
  MeasurementInterface made;
  if (pattern.empty()) return made;
  auto compiled = std::make_unique<regex_t>();
  const int fault = regcomp(compiled.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (fault != 0) {
    std::array<char, 200> reason = {};
    regerror(fault, compiled.get(), reason.data(), reason.size());
    return Fail(ErrorKind::kUsage, fmt::format("--interface {}: not a regular expression: {}",
                                               Printable(pattern), reason.data()));
  }
  made.given_ = std::shared_ptr<const regex_t>(compiled.release(), [](const regex_t* one) {
    regfree(const_cast<regex_t*>(one));
    delete one;
  });
  return made;
}

std::optional<std::string_view> MeasurementInterface::OwnerOf(std::string_view name) const {
  for (const auto& known : kKnown)
    if (known.whole ? name == known.start : name.starts_with(known.start)) return known.owner;
  if (given_ && regexec(given_.get(), std::string(name).c_str(), 0, nullptr, 0) == 0)
    return "from --interface";
  return std::nullopt;
}

std::string_view CalledName(const code::ProgramCode& code, const code::CallSite& site) {
  switch (site.to) {
    case code::TargetKind::kFunction:
      return code.FunctionAt(static_cast<std::uint32_t>(site.target)).name;
    case code::TargetKind::kImport:
      return code.targets().imports()[site.target];
    case code::TargetKind::kDispatch:
      return code.targets().dispatches()[site.target].name;
    default:
      return {};
  }
}

std::uint64_t InterfaceUses::CallSites() const {
  std::uint64_t sites = 0;
  for (const auto* part : {&calls, &jumps, &conditional_jumps})
    sites = std::accumulate(part->begin(), part->end(), sites);
  return sites;
}

InterfaceUses FindInterfaceUses(const code::ProgramCode& code,
                                const MeasurementInterface& measurement) {
  InterfaceUses found;
  const std::size_t count = code.functions().size();
  for (auto* part : {&found.calls, &found.jumps, &found.conditional_jumps, &found.sleds})
    part->resize(count);
  struct Sum {
    std::string_view owner;
    std::uint64_t sites = 0;
    std::set<std::uint32_t> functions;
  };
  std::map<std::string_view, Sum> sums;
  std::map<std::string_view, std::optional<std::string_view>> owners;  // caches the result per name
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const auto& site : code.CallsOf(i)) {
      const auto name = CalledName(code, site);
      if (name.empty()) continue;
      const auto [owner, is_new] = owners.try_emplace(name);
      if (is_new) owner->second = measurement.OwnerOf(name);
      if (!owner->second) continue;
      auto& part = site.kind == code::SiteKind::kCall ? found.calls
                   : site.conditional                 ? found.conditional_jumps
                                                      : found.jumps;
      ++part[i];
      Sum& sum = sums[name];
      sum.owner = *owner->second;
      ++sum.sites;
      sum.functions.insert(i);
    }
  }
  for (const auto address : XraySleds(code.image())) {
    const auto function = code.targets().FunctionHolding(address);
    if (function == code::kNowhere) continue;
    ++found.sleds[function];
    Sum& sum = sums["XRay sled"];
    sum.owner = "XRay";
    ++sum.sites;
    sum.functions.insert(function);
  }
  for (const auto& [name, sum] : sums)
    found.uses.push_back(
        {std::string(name), std::string(sum.owner), sum.sites, sum.functions.size()});
  std::ranges::sort(found.uses, {}, [](const InterfaceUse& use) {
    return std::pair(~use.sites, std::string_view(use.name));
  });
  return found;
}

}  // namespace tare::mix
