// reference.cc: two runs, and a third one if they end differently.
#include "measure/run/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tare::run {
namespace {

constexpr double kLimitTimes = 100;
constexpr double kMinLimitSeconds = 60;

bool IsControlled(const Environment& environment) {
  return !environment.uncontrolled &&
         (environment.pin_dispatch || environment.bind_now || environment.pin_seeds);
}

bool SameEnd(const Ended& a, const Ended& b) { return a.ShellStatus() == b.ShellStatus(); }

void Add(const std::vector<Caveat>& more, std::vector<Caveat>& caveats) {
  for (const Caveat& caveat : more) {
    if (std::ranges::find(caveats, caveat.key, &Caveat::key) == caveats.end()) {
      caveats.push_back(caveat);
    }
  }
}

}  // namespace

Setting SilentRepetition(Setting setting, double seconds) {
  setting = WithDigestedOutput(std::move(setting));
  const double limit = std::max(kMinLimitSeconds, kLimitTimes * seconds);
  setting.timeout_seconds = std::min(limit, setting.timeout_seconds.value_or(limit));
  return setting;
}

Setting WithoutControl(Setting setting) {
  setting.environment.uncontrolled = true;
  return setting;
}

Result<Reference> FindReference(const ReferencePlan& plan) {
  Reference reference;
  reference.setting = plan.setting;
  const Setting plain = WithoutControl(plan.setting);
  TRY(reference.finished, plan.run_plain(plain));
  reference.caveats = reference.finished.caveats;
  const Ended& first = reference.finished.ended;
  const bool comparable =
      first.how != Ended::How::kTimedOut && IsControlled(plan.setting.environment);
  if (!comparable && !plan.always_controlled) return reference;

  const double seconds = reference.finished.wall_seconds;
  TRY(const auto controlled, plan.run_controlled(SilentRepetition(plan.setting, seconds)));
  Add(controlled.caveats, reference.caveats);
  if (!comparable || SameEnd(controlled.ended, first)) return reference;

  TRY(const auto again, plan.run_controlled(SilentRepetition(plain, seconds)));
  if (SameEnd(again.ended, first)) {
    reference.setting = plain;
    reference.control_dropped = true;
    reference.caveats.push_back({CaveatId::kControlDropped,
                                 fmt::format("status {} under control, {} without",
                                             controlled.ended.ShellStatus(), first.ShellStatus())});
    return reference;
  }
  reference.caveats.push_back(
      {CaveatId::kExitStatusVaries,
       fmt::format("status {}, then {}", first.ShellStatus(), again.ended.ShellStatus())});
  return reference;
}

Result<std::optional<Ended>> OtherEndWithoutControl(
    const Setting& setting, const Finished& controlled,
    const std::function<Result<Finished>(const Setting&)>& run) {
  const Ended& ended = controlled.ended;
  const bool by_us = ended.how == Ended::How::kTimedOut || ended.interrupted;
  if (by_us || ended.ShellStatus() == 0) return std::nullopt;
  TRY(const auto plain, run(SilentRepetition(WithoutControl(setting), controlled.wall_seconds)));
  if (plain.ended.interrupted || SameEnd(plain.ended, ended)) return std::nullopt;
  return plain.ended;
}

Result<std::optional<std::string>> OutputDifference(
    const OutputDigest& output, std::vector<OutputDigest> native,
    const std::function<Result<Finished>()>& run_again) {
  CHECK(!native.empty());
  if (output == native.front()) return std::nullopt;
  if (native.size() < 2) {
    TRY(const auto again, run_again());
    if (again.output_digest) native.push_back(*again.output_digest);
  }
  const bool varies =
      std::ranges::adjacent_find(native, std::ranges::not_equal_to()) != native.end();
  if (varies) return std::nullopt;
  return fmt::format("{} bytes, natively {}", output.bytes, native.front().bytes);
}

}  // namespace tare::run
