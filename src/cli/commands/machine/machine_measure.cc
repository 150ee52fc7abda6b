// machine_measure.cc: `tare machine measure`: measures this machine into a profile.
#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "base/printable.h"
#include "cli/application.h"
#include "cli/commands.h"
#include "cli/commands/machine/machine_network.h"
#include "cli/commands/machine/machine_report.h"
#include "cli/machine_profiles.h"
#include "cli/provenance.h"
#include "machine/profile/hit_rates.h"
#include "machine/profile/profile_file.h"
#include "machine/survey/survey.h"

namespace tare::cli {
namespace {

struct MeasureOptions {
  std::string output;
  std::string name;
  bool quick = false;
  std::optional<std::int64_t> core;
  std::string pages = "system";
  std::string prefetch = "as-is";
  std::string max_size;
  bool gpu = false;
  bool network = false;
  std::optional<std::int64_t> seed;
};

constexpr auto kPages = std::to_array<std::string_view>({"system", "small", "huge"});
constexpr auto kPrefetch = std::to_array<std::string_view>({"as-is", "off"});

const auto kMachineMeasureFlags = std::to_array<Flag<MeasureOptions>>({
    {{"-o,--output", "FILE", "write the profile to FILE (default: in the state directory)"},
     &MeasureOptions::output},
    {{"--name", "NAME", "name of the profile (default: derived from the machine's name)"},
     &MeasureOptions::name},
    {{"--quick", "", "measure fewer curves and points: half a minute instead of minutes"},
     &MeasureOptions::quick},
    {{"--core", "N", "measure on this core"}, &MeasureOptions::core},
    {{"--pages", "KIND", "page size to request: system, small or huge (default: system)", kPages},
     &MeasureOptions::pages},
    {{"--prefetch", "STATE",
      "hardware prefetchers: as-is, or off if the system allows it (default: as-is)", kPrefetch},
     &MeasureOptions::prefetch},
    {{"--max-size", "SIZE",
      "largest working set (default: four times the last cache, at most a quarter of memory)"},
     &MeasureOptions::max_size},
    {{"--gpu", "", "also measure the memory of an NVIDIA GPU; needs nvcc"}, &MeasureOptions::gpu},
    {{"--network", "",
      "measure a network instead: a ping-pong under the launcher behind --, such as mpirun -n 2"},
     &MeasureOptions::network},
    {{"--seed", "N", "seed of all random orders (default: 1)"}, &MeasureOptions::seed},
});

constexpr std::array kMachineMeasureExamples = {
    Example{"tare machine measure", "this machine, in a few minutes"},
    Example{"tare machine measure --quick", "the same in half a minute, with fewer points"},
    Example{"tare machine measure --network -o cluster.toml -- mpirun -n 2 --host a,b",
            "the network between two nodes, for tare replay"},
    Example{"tare machine measure --pages huge -o huge.json", "with huge pages, into a file"},
};

Result<survey::SurveyConfig> ConfigOf(const MeasureOptions& options) {
  survey::SurveyConfig config;
  config.quick = options.quick;
  config.gpu = options.gpu;
  config.pages = microbenchmark::ParsePages(options.pages).value_or(microbenchmark::Pages::kSystem);
  config.prefetch = options.prefetch == "off" ? survey::Prefetch::kOff : survey::Prefetch::kAsIs;
  if (options.core && (*options.core < 0 || *options.core > 1'000'000)) {
    return Fail(ErrorKind::kUsage, fmt::format("--core {}: no such core", *options.core));
  }
  if (options.core) config.core = static_cast<unsigned>(*options.core);
  if (options.seed && *options.seed < 0) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--seed {}: expected a whole number, 0 or more", *options.seed));
  }
  if (options.seed) config.seed = static_cast<std::uint64_t>(*options.seed);
  if (!options.max_size.empty()) {
    const auto max_size = ParseBytes(options.max_size);
    if (!max_size) {
      return Fail(ErrorKind::kUsage, fmt::format("--max-size: {}", max_size.error().message));
    }
    config.max_bytes = *max_size;
  }
  return config;
}

// Checks before minutes of work whether the file can be written.
Result<void> RequireWritable(const std::filesystem::path& path,
                             const std::filesystem::path& unfinished) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return Fail(ErrorKind::kUsage, fmt::format("cannot write the profile to {}: not a regular file",
                                               Printable(path.string())));
  }
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) return std::unexpected(SystemError("create", path.parent_path(), error.value()));
  if (std::filesystem::exists(unfinished, error)) return {};
  TRY_VOID(WriteFileAtomically(unfinished, ""));
  std::filesystem::remove(unfinished, error);
  return {};
}

Result<Outcome> RunMachineMeasure(const MeasureOptions& options, Session& session) {
  if (options.network) return MeasureNetwork(options.output, options.name, options.quick, session);
  if (!session.program.empty()) {
    return Fail(ErrorKind::kUsage, "a launcher behind -- is only for --network");
  }
  TRY(survey::SurveyConfig config, ConfigOf(options));
  config.name = options.name.empty() ? ThisMachinesProfileName() : options.name;
  TRY_VOID(machine_profile::RequireName(config.name));
  std::filesystem::path path = options.output;
  if (options.output.empty()) {
    TRY(path, StoredProfilePath(config.name));
  }
  config.unfinished = path;
  config.unfinished += ".unfinished";
  TRY_VOID(RequireWritable(path, config.unfinished));

  const host::SystemFiles files;
  const auto machine = host::ReadMachine(files, host::ConditionOptions{});
  TRY(auto profile, survey::Survey(config, machine, session.progress));
  profile.origin = machine_profile::Origin::kMeasured;
  profile.source = fmt::format("tare {}", Version());
  profile.time = TimeNow();
  machine_profile::FillHits(profile);
  TRY_VOID(machine_profile::WriteProfile(path, profile));
  std::error_code ignored;
  std::filesystem::remove(config.unfinished, ignored);

  const auto make = [&](bool all) -> Result<report::Document> {
    TRY(auto document, ProfileDocument(profile, {}, all));
    document.provenance.seed = config.seed;
    document.blocks.emplace_back(
        report::Text{"stored", fmt::format("Stored in {}.", path.string())});
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.details = ProfileDetails();
  return outcome;
}

}  // namespace

Command MachineMeasureCommand() {
  static constexpr auto kForms =
      std::to_array<std::string_view>({"", "--network -o FILE -- LAUNCHER [ARG...]"});
  return MakeCommand<MeasureOptions>(
      {"machine measure",
       "measure this machine: curves, rates, caches and TLBs",
       "Measures the rates of loads, stores and updates for each size of the working set, "
       "sequentially, with strides and at random; the latency of dependent loads; arithmetic, "
       "branches and TLB misses; copies, all cores together, and latency under load. Caches are "
       "discovered by measurement and listed beside what the system reports.\n\n"
       "The profile is a file below $XDG_STATE_HOME or ~/.local/state, or the one given by -o. "
       "After ^C, the same command resumes from a file next to it. No root is needed.\n\n"
       "With --network, an MPI ping-pong runs under the launcher behind --, and -o FILE gets the "
       "latency, bandwidth and overhead of its messages as a network file for tare replay.",
       kMachineMeasureExamples,
       true,
       {},
       true,
       kForms},
      kMachineMeasureFlags, RunMachineMeasure);
}

}  // namespace tare::cli
