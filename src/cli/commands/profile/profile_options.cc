// profile_options.cc: rates, plans and exports.
#include "cli/commands/profile/profile_options.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/printable.h"
#include "cli/result_files.h"
#include "format/sampled_profile_file.h"
#include "measure/profile/profile_export.h"

namespace tare::cli {
namespace {

constexpr double kMinFrequency = 1;
constexpr double kMaxFrequency = 50'000;

// A percentage or a fraction: 5 is 5 %, as is 0.05.
Result<double> ShareOf(const std::optional<double>& given) {
  const double share = given.value_or(5);
  const double fraction = share >= 1 ? share / 100 : share;
  if (fraction > 0 && fraction <= 1) return fraction;
  return Fail(ErrorKind::kUsage,
              fmt::format("--share {}: expected a percentage, such as 5", share));
}

}  // namespace

profile::Part PartOf(const ProfileOptions& options) {
  if (options.per == "line") return profile::Part::kLine;
  return options.per == "block" ? profile::Part::kBlock : profile::Part::kFunction;
}

Result<void> CheckProfileOptions(const ProfileOptions& options, const Session& session) {
  const int modes = int{options.plan} + int{options.show} + int{options.diff} + int{options.exact} +
                    int{options.both};
  if (modes > 1)
    return Fail(ErrorKind::kUsage,
                "--plan, --show, --diff, --exact and --both cannot be combined; choose one");
  if (options.process && options.system)
    return Fail(ErrorKind::kUsage, "--pid and --system cannot be combined; choose one");
  if ((options.exact || options.both) && (options.process || options.system))
    return Fail(ErrorKind::kUsage, "--exact and --both need a program; remove --pid and --system");
  const bool reads = options.plan || options.show || options.diff;
  if (reads && !session.program.empty())
    return Fail(ErrorKind::kUsage,
                "--plan, --show and --diff run no program; remove the program after --");
  if (options.process && !session.program.empty())
    return Fail(ErrorKind::kUsage,
                "--pid samples a process that runs already; remove the program after --");
  if (!options.show && !options.diff && !session.operands.empty())
    return Fail(ErrorKind::kUsage,
                fmt::format("unexpected word: '{}'; a program is given after --, a stored profile "
                            "with --show",
                            session.operands.front()));
  if (options.duration && !options.plan && !options.process && !options.system)
    return Fail(ErrorKind::kUsage,
                "--duration is for --pid, --system and --plan; use --timeout to end the program");
  if (options.runs && (*options.runs < 1 || *options.runs > 1000))
    return Fail(ErrorKind::kUsage, fmt::format("--runs {}: expected 1 to 1000", *options.runs));
  for (const std::string* file : {&options.output, &options.folded, &options.speedscope,
                                  &options.pprof, &options.callgrind, &options.perf_data}) {
    if (!file->empty() && (options.exact || options.diff || options.plan))
      return Fail(
          ErrorKind::kUsage,
          fmt::format("{} is for samples; --exact, --diff and --plan take none", Printable(*file)));
    TRY_VOID(CheckDirectory(*file));
  }
  return {};
}

Result<profile::SamplingPlan> SamplingOf(const ProfileOptions& options) {
  profile::SamplingPlan plan;
  plan.frequency = options.frequency.value_or(kDefaultFrequency);
  if (!(plan.frequency >= kMinFrequency && plan.frequency <= kMaxFrequency)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--frequency {}: expected {} to {} samples per second", plan.frequency,
                            kMinFrequency, kMaxFrequency));
  }
  if (options.event == "clock") plan.event = profile::SamplingEvent::kClock;
  if (options.event == "cycles") plan.event = profile::SamplingEvent::kCycles;
  if (options.chains == "none") plan.chains = profile::Chains::kNone;
  if (options.chains == "dwarf") plan.chains = profile::Chains::kDwarf;
  return plan;
}

Result<profile::PlanRequest> PlanOf(const ProfileOptions& options) {
  profile::PlanRequest request;
  TRY(request.share, ShareOf(options.share));
  const std::int64_t samples = options.samples.value_or(10);
  const std::int64_t parts = options.parts.value_or(1);
  if (samples < 1 || samples > 1'000'000'000)
    return Fail(ErrorKind::kUsage, fmt::format("--samples {}: expected 1 to 1000000000", samples));
  if (parts < 1 || parts > 1'000'000)
    return Fail(ErrorKind::kUsage, fmt::format("--parts {}: expected 1 to 1000000", parts));
  request.samples = static_cast<std::uint64_t>(samples);
  request.parts = static_cast<std::uint64_t>(parts);
  request.chance = options.chance.value_or(0.99);
  if (!(request.chance > 0 && request.chance < 1))
    return Fail(ErrorKind::kUsage,
                fmt::format("--chance {}: expected a number between 0 and 1, such as 0.99",
                            request.chance));
  if (options.duration) request.seconds = options.duration->seconds;
  if (options.duration && !(options.duration->seconds > 0))
    return Fail(ErrorKind::kUsage, "--duration: expected a time above 0");
  if (!options.duration || options.frequency) {
    TRY(const auto sampling, SamplingOf(options));
    request.frequency = sampling.frequency;
  }
  return request;
}

Result<void> WriteExports(const ProfileOptions& options, const format::SampledProfile& profile) {
  if (!options.output.empty()) TRY_VOID(format::WriteProfile(profile, options.output));
  if (!options.folded.empty())
    TRY_VOID(WriteFileAtomically(options.folded, profile::ToFolded(profile)));
  if (!options.speedscope.empty())
    TRY_VOID(WriteFileAtomically(options.speedscope, profile::ToSpeedscope(profile)));
  if (!options.pprof.empty()) {
    TRY(const auto bytes, profile::ToPprof(profile));
    TRY_VOID(WriteFileAtomically(options.pprof, bytes));
  }
  if (!options.callgrind.empty())
    TRY_VOID(WriteFileAtomically(options.callgrind, profile::ToCallgrind(profile)));
  if (!options.perf_data.empty())
    TRY_VOID(WriteFileAtomically(options.perf_data, profile::ToPerfData(profile)));
  return {};
}

}  // namespace tare::cli
