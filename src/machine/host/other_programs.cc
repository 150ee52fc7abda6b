// other_programs.cc: the kernel's account of all processors minus this process and its children.
#include "machine/host/other_programs.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "base/units.h"

namespace tare::host {
namespace {

constexpr double kMaxOthers = 0.1;
constexpr double kMaxStolen = 0.02;
constexpr std::uint64_t kMinTicks = 50;

std::optional<ProcessorTimes> TimesNow() {
  const auto times = ReadProcessorTimes(SystemFiles());
  return times ? std::optional(*times) : std::nullopt;
}

double OwnTicks() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage use{};
    ::getrusage(who, &use);
    for (const timeval& time : {use.ru_utime, use.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds * static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

std::optional<ProcessorUse> UseOf(const ProcessorTimes& passed, double own_ticks,
                                  double processors) {
  const auto total = static_cast<double>(passed.Total());
  if (total <= 0 || processors <= 0) return std::nullopt;
  const double others = std::max(0.0, static_cast<double>(passed.busy) - own_ticks);
  return ProcessorUse{.all = processors,
                      .others = others / total * processors,
                      .stolen = static_cast<double>(passed.steal) / total * processors};
}

std::vector<Caveat> DisturbancesOf(const ProcessorUse& use) {
  std::vector<Caveat> caveats;
  if (use.others > kMaxOthers * use.all) {
    caveats.push_back(
        {CaveatId::kBusyMachine, fmt::format("they used {} of {:.0f} processors on average",
                                             Rounded(use.others, 2), use.all)});
  }
  if (use.stolen > kMaxStolen * use.all) {
    caveats.push_back({CaveatId::kSteal,
                       fmt::format("{} % of the time", Rounded(100 * use.stolen / use.all, 2))});
  }
  return caveats;
}

OtherPrograms::OtherPrograms() : before_(TimesNow()), own_before_(OwnTicks()) {}

std::vector<Caveat> OtherPrograms::Disturbances() const {
  const auto now = TimesNow();
  if (!before_ || !now) return {};
  const ProcessorTimes passed = Between(*before_, *now);
  if (passed.Total() < kMinTicks) return {};
  const auto use =
      UseOf(passed, OwnTicks() - own_before_, static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)));
  return use ? DisturbancesOf(*use) : std::vector<Caveat>{};
}

}  // namespace tare::host
