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

std::optional<ProcessorTimes> TimesNow() {
  const auto times = ReadProcessorTimes(SystemFiles());
  return times ? std::optional(*times) : std::nullopt;
}

double SecondsOf(int who) {
  rusage use{};
  ::getrusage(who, &use);
  double seconds = 0;
  for (const timeval& time : {use.ru_utime, use.ru_stime}) {
    seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  return seconds;
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

bool IsBusy(double others_share) { return others_share > kMaxOthers; }

bool IsStolen(double stolen_share) { return stolen_share > kMaxStolen; }

std::vector<Caveat> DisturbancesOf(const ProcessorUse& use) {
  std::vector<Caveat> caveats;
  if (IsBusy(use.others / use.all)) {
    caveats.push_back(
        {CaveatId::kBusyMachine, fmt::format("they used {} of {:.0f} processors on average",
                                             Rounded(use.others, 2), use.all)});
  }
  if (IsStolen(use.stolen / use.all)) {
    caveats.push_back({CaveatId::kSteal,
                       fmt::format("{} % of the time", Rounded(100 * use.stolen / use.all, 2))});
  }
  return caveats;
}

OtherPrograms::OtherPrograms()
    : before_(TimesNow()),
      self_before_(SecondsOf(RUSAGE_SELF)),
      children_before_(SecondsOf(RUSAGE_CHILDREN)) {}

std::optional<ProcessorUse> OtherPrograms::Beside(double program_seconds) const {
  constexpr std::uint64_t kTicks = 10;
  return Use(SecondsOf(RUSAGE_SELF) - self_before_ + program_seconds, kTicks);
}

std::optional<ProcessorUse> OtherPrograms::Use(double own_seconds, std::uint64_t min_ticks) const {
  const auto now = TimesNow();
  if (!before_ || !now) return std::nullopt;
  const ProcessorTimes passed = Between(*before_, *now);
  if (passed.Total() < min_ticks) return std::nullopt;
  return UseOf(passed, own_seconds * static_cast<double>(::sysconf(_SC_CLK_TCK)),
               static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)));
}

std::vector<Caveat> OtherPrograms::Disturbances() const {
  constexpr std::uint64_t kTicks = 50;
  const double self = SecondsOf(RUSAGE_SELF) - self_before_;
  const double children = SecondsOf(RUSAGE_CHILDREN) - children_before_;
  const auto use = Use(self + children, kTicks);
  return use ? DisturbancesOf(*use) : std::vector<Caveat>{};
}

}  // namespace tare::host
