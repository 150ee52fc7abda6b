// survey.cc: the steps of a survey in order; the work is stored after each.
#include "machine/survey/survey.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "base/file.h"
#include "base/json_checksum.h"
#include "base/printable.h"
#include "base/stop.h"
#include "machine/host/affinity.h"
#include "machine/host/finding_rows.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/survey/assemble.h"
#include "machine/survey/bandwidth.h"
#include "machine/survey/curves.h"
#include "machine/survey/gpu.h"
#include "machine/survey/mixed.h"
#include "machine/survey/operations.h"
#include "machine/survey/prefetch.h"
#include "machine/survey/survey_state.h"
#include "machine/survey/timing.h"

namespace tare::survey {
namespace {

constexpr std::uint64_t kMinSet = 1024;
// A survey with smaller sets does not characterize a machine.
constexpr std::uint64_t kMinMaxBytes = 65536;
constexpr std::uint64_t kMiB = 1 << 20;
// Larger sets take too long for a quick survey.
constexpr std::uint64_t kMaxQuick = 256 * kMiB;
// No round of curves starts later than this.
constexpr double kCurveSeconds = 160;
constexpr double kQuickCurveSeconds = 6;
// Shares above which a machine is called noisy.
constexpr double kMuchOtherLoad = 0.05;
constexpr double kMuchSteal = 0.02;
constexpr double kManyWide = 0.2;

// The range of each step within the whole progress.
struct Step {
  double from;
  double to;
};
constexpr Step kDiscovery = {0, 0.2};
constexpr Step kCurves = {0.2, 0.85};
constexpr Step kOperations = {0.85, 0.88};
constexpr Step kStreams = {0.88, 0.91};
constexpr Step kMixed = {0.91, 0.93};
constexpr Step kCores = {0.93, 0.97};
constexpr Step kLoaded = {0.97, 1};

Progress Part(const Progress& whole, Step step) {
  return [&whole, step](double fraction, std::string_view what) {
    return whole(step.from + fraction * (step.to - step.from), what);
  };
}

// Load of other processes during the measurement.
struct OtherLoad {
  std::optional<double> busy_share;  // of all processors
  std::optional<double> steal_share;
};

double OwnSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

class Watch {
 public:
  explicit Watch(const host::SystemFiles& files)
      : files_(files), before_(host::ReadProcessorTimes(files)) {}

  double Seconds() const { return Now() - begin_; }

  // Seconds since the previous lap.
  double Lap() {
    const double before = std::exchange(lap_, Now());
    return lap_ - before;
  }

  OtherLoad Measure() const {
    const auto after = host::ReadProcessorTimes(files_);
    if (!before_ || !after) return {};
    const auto passed = host::Between(*before_, *after);
    const double processors = static_cast<double>(std::thread::hardware_concurrency());
    const double own = (OwnSeconds() - own_) / (Seconds() * std::max(1.0, processors));
    OtherLoad other;
    if (const auto busy = host::BusyShare(passed)) {
      other.busy_share = std::max(0.0, *busy - own);
    }
    other.steal_share = host::StealShare(passed);
    return other;
  }

 private:
  const host::SystemFiles& files_;
  host::Reading<host::ProcessorTimes> before_;
  double begin_ = Now();
  double lap_ = begin_;
  double own_ = OwnSeconds();
};

std::uint64_t LastCache(const host::Topology& topology,
                        std::span<const machine_profile::Level> levels) {
  std::uint64_t bytes = 0;
  for (const host::Cache& cache : topology.caches) {
    if (cache.kind != host::CacheKind::kInstruction) bytes = std::max(bytes, cache.bytes);
  }
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) bytes = std::max(bytes, levels[i].bytes);
  return bytes == 0 ? 32 * kMiB : bytes;
}

std::string VendorOf(const host::Machine& machine) {
  if (!machine.processor || machine.processor->models.empty()) return "";
  return machine.processor->models.front().vendor;
}

machine_profile::Topology TopologyOf(const host::Topology& topology) {
  return {topology.packages, topology.cores, topology.threads, topology.numa_nodes,
          topology.memory_bytes};
}

// The measuring core first, then the others that may be used.
std::vector<unsigned> CoresFrom(unsigned first, std::vector<unsigned> allowed) {
  std::erase(allowed, first);
  allowed.insert(allowed.begin(), first);
  return allowed;
}

class WholeSurvey {
 public:
  WholeSurvey(const SurveyConfig& config, const host::Machine& machine, const Progress& progress)
      : config_(config), machine_(machine), progress_(progress), watch_(files_) {}

  Result<machine_profile::Profile> Run() {
    TRY_VOID(Prepare());
    std::optional<PrefetchOff> off;
    if (config_.prefetch == Prefetch::kOff) {
      TRY(auto switched, PrefetchOff::On(files_, VendorOf(machine_), cores_));
      off.emplace(std::move(switched));
    }
    conditions_["prefetching"] = PrefetchState(files_, VendorOf(machine_), cores_.front());
    // First, so that a missing GPU is reported at once.
    if (config_.gpu) {
      auto gpu = MeasureGpu(progress_);
      if (!gpu) return std::unexpected(gpu.error());
      gpu_ = std::move(*gpu);
    }
    auto measured = Measure();
    if (!measured) return std::unexpected(WithSavedState(measured.error()));
    // Stored once more, because the caller may fail to store the profile.
    TRY_VOID(SaveState());
    return Assemble();
  }

 private:
  // Chooses core and sizes, and loads what was measured before.
  Result<void> Prepare() {
    if (!machine_.topology) return std::unexpected(machine_.topology.error());
    topology_ = *machine_.topology;
    TRY(const auto allowed, host::AllowedProcessors());
    const unsigned core = config_.core.value_or(allowed.back());
    if (std::ranges::find(allowed, core) == allowed.end()) {
      TRY_VOID(host::PinnedThread::To(core));  // fails and lists the allowed ones
    }
    cores_ = CoresFrom(core, allowed);
    TRY_VOID(CheckMaxBytes());
    settings_ = fmt::format("{}; quick {}; core {}; pages {}; prefetch {}; max {}; seed {}",
                            host::MachineName(machine_.identity), config_.quick, core,
                            microbenchmark::Name(config_.pages), static_cast<int>(config_.prefetch),
                            config_.max_bytes.value_or(0), config_.seed);
    auto before = ReadWork(config_.unfinished, settings_);
    // Unreadable work is measured again.
    if (before && *before) work_ = std::move(**before);
    return {};
  }

  std::uint64_t Available() const {
    return machine_.conditions.memory ? machine_.conditions.memory->available_bytes
                                      : topology_.memory_bytes / 2;
  }

  Result<void> CheckMaxBytes() const {
    if (!config_.max_bytes) return {};
    if (*config_.max_bytes < kMinMaxBytes) {
      return Fail(ErrorKind::kUsage, fmt::format("the largest working set must be at least {}",
                                                 host::Bytes(kMinMaxBytes)));
    }
    if (*config_.max_bytes > Available() / 10 * 9) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("a working set of {} does not fit into memory: {} are available",
                              host::Bytes(*config_.max_bytes), host::Bytes(Available())));
    }
    return {};
  }

  std::uint64_t MaxBytes() const {
    if (config_.max_bytes) return NearestSize(static_cast<double>(*config_.max_bytes));
    std::uint64_t wanted = 4 * LastCache(topology_, work_.found->levels);
    if (config_.quick) wanted = std::min(wanted, kMaxQuick);
    const std::uint64_t max = std::min(wanted, topology_.memory_bytes / 4);
    return NearestSize(static_cast<double>(std::min(max, Available() / 2)));
  }

  // Microbenchmarks and cycles use steps of 64 bytes or more.
  unsigned LineBytes() const {
    for (const machine_profile::Level& level : work_.found->levels) {
      if (level.line_bytes != 0) return std::max(64u, level.line_bytes);
    }
    return 64;
  }

  std::size_t Rounds() const { return config_.quick ? kMinSamples : 9; }

  Result<void> Measure() {
    {
      TRY(const auto pinned, host::PinnedThread::To(cores_.front()));
      TRY_VOID(MeasureOneCore());
    }
    // Unpinned: new threads inherit the affinity mask of their creator (sched_setaffinity(2)).
    const BandwidthConfig bandwidth = Bandwidth();
    TRY_VOID(MeasureCores(bandwidth, work_.named, Part(progress_, kCores)));
    return MeasureLoaded(bandwidth, work_.named, Part(progress_, kLoaded));
  }

  Result<void> MeasureOneCore() {
    if (!work_.found) {
      const DiscoverConfig discovery{cores_.front(), config_.quick, Available() / 4, config_.seed};
      TRY(work_.found, Discover(discovery, topology_, Part(progress_, kDiscovery)));
      TRY_VOID(SaveState());
    }
    CurveConfig curves;
    curves.keys = CurvesToMeasure(microbenchmark::WidestVector(), config_.quick);
    curves.range = {kMinSet, MaxBytes()};
    curves.line_bytes = LineBytes();
    curves.last_cache_bytes = LastCache(topology_, work_.found->levels);
    curves.pages = config_.pages;
    curves.quick = config_.quick;
    curves.seed = config_.seed;
    curves.budget_seconds = config_.quick ? kQuickCurveSeconds : kCurveSeconds;
    TRY_VOID(MeasureCurves(
        curves, work_.curves, [this] { return SaveState(); }, Part(progress_, kCurves)));
    TRY_VOID(MeasureOperations(Rounds(), config_.seed, work_.named, Part(progress_, kOperations)));
    TRY_VOID(MeasureStreams(Bandwidth(), work_.named, Part(progress_, kStreams)));
    TRY_VOID(MeasureMixed(Bandwidth(), work_.named, Part(progress_, kMixed)));
    return SaveState();
  }

  BandwidthConfig Bandwidth() const {
    BandwidthConfig bandwidth;
    bandwidth.levels = work_.found->levels;
    bandwidth.cores = cores_;
    bandwidth.max_bytes = MaxBytes();
    bandwidth.memory_bytes = Available() / 2;
    bandwidth.line_bytes = LineBytes();
    bandwidth.pages = config_.pages;
    bandwidth.rounds = Rounds();
    bandwidth.seed = config_.seed;
    return bandwidth;
  }

  Result<void> SaveState() {
    work_.seconds += watch_.Lap();
    return WriteFileAtomically(config_.unfinished, WithChecksum(FormatWork(work_, settings_)));
  }

  // Stores the completed work, and says so.
  Error WithSavedState(Error error) {
    if (error.kind != ErrorKind::kInterrupted) return error;
    const auto saved = SaveState();
    return Stopped(saved ? fmt::format("the completed work is saved in {}; run the same command "
                                       "again to continue",
                                       Printable(config_.unfinished.string()))
                         : fmt::format("the completed work could not be saved: {}",
                                       saved.error().message))
        .error();
  }

  machine_profile::Profile Assemble() {
    machine_profile::Profile profile;
    profile.name = config_.name;
    profile.machine = host::MachineName(machine_.identity);
    profile.model = machine_.identity.model;
    profile.architecture = machine_.identity.architecture;
    profile.topology = TopologyOf(topology_);
    Found& found = *work_.found;
    profile.curves = CurvesOf(work_.curves, found.levels);
    profile.levels = found.levels;
    FillBandwidths(profile.levels, profile.curves, microbenchmark::WidestVector());
    profile.tlbs = found.tlbs;
    profile.discovered = found.discovered;
    const BandwidthConfig bandwidth = Bandwidth();
    profile.rates = OperationRates(work_.named);
    for (auto& rate : MixedRates(bandwidth, work_.named)) profile.rates.push_back(rate);
    for (auto& rate : StreamRates(bandwidth, work_.named)) profile.rates.push_back(rate);
    for (auto& rate : found.rates) profile.rates.push_back(rate);
    profile.graphs = BandwidthGraphs(bandwidth, work_.named);
    for (auto& graph : found.graphs) profile.graphs.push_back(graph);
    if (gpu_) {
      profile.conditions["gpu"] = gpu_->model;
      for (auto& rate : gpu_->rates) profile.rates.push_back(rate);
      for (auto& graph : gpu_->graphs) profile.graphs.push_back(graph);
    }
    AddConditions(profile);
    return profile;
  }

  void AddConditions(machine_profile::Profile& profile) {
    auto& conditions = profile.conditions;
    conditions.insert(conditions_.begin(), conditions_.end());
    conditions["core"] = fmt::format("{}", cores_.front());
    conditions["pages"] = microbenchmark::Name(config_.pages);
    conditions["seed"] = fmt::format("{}", config_.seed);
    conditions["extent"] = config_.quick ? "quick" : "whole";
    conditions["kernel"] = host::KernelName(machine_.identity);
    conditions["duration"] = fmt::format("{:.0f} s", work_.seconds);
    if (const auto& huge = machine_.conditions.transparent_huge_pages) {
      conditions["transparent_huge_pages"] = *huge;
    }
    if (const auto& frequency = machine_.conditions.frequency) {
      conditions["frequency_governor"] = frequency->governor;
    }
    if (machine_.identity.hypervisor) {
      conditions["hypervisor"] = machine_.identity.hypervisor->name;
    }
    AddNoise(profile);
  }

  void AddNoise(machine_profile::Profile& profile) const {
    const OtherLoad other = watch_.Measure();
    std::size_t points = 0;
    std::size_t wide = 0;
    for (const machine_profile::Curve& curve : profile.curves) {
      for (const machine_profile::CurvePoint& point : curve.points) {
        ++points;
        if (point.rate.verdict != Verdict::kValid) ++wide;
      }
    }
    const double wide_share =
        points == 0 ? 0 : static_cast<double>(wide) / static_cast<double>(points);
    std::vector<std::string> reasons;
    const auto note = [&](const char* name, std::optional<double> share, double max,
                          std::string_view what) {
      if (!share) return;
      profile.conditions[name] = host::Percent(*share);
      if (*share > max) reasons.push_back(fmt::format("{} {}", host::Percent(*share), what));
    };
    note("other_load", other.busy_share, kMuchOtherLoad, "of CPU time used by other work");
    note("steal", other.steal_share, kMuchSteal, "of CPU time stolen by other virtual machines");
    note("wide_intervals", wide_share, kManyWide, "of the points have wide intervals");
    if (!reasons.empty()) {
      profile.conditions["noisy"] = fmt::format("{}", fmt::join(reasons, ", "));
    }
  }

  const SurveyConfig& config_;
  const host::Machine& machine_;
  const Progress& progress_;
  host::SystemFiles files_;
  Watch watch_;
  host::Topology topology_;
  std::vector<unsigned> cores_;
  std::string settings_;
  std::map<std::string, std::string> conditions_;
  Work work_;
  std::optional<GpuFindings> gpu_;
};

}  // namespace

Result<machine_profile::Profile> Survey(const SurveyConfig& config, const host::Machine& machine,
                                        const Progress& progress) {
  return WholeSurvey(config, machine, progress).Run();
}

}  // namespace tare::survey
