// take_profile.cc: from the request to named samples.
#include "measure/profile/take_profile.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/shell_words.h"
#include "machine/host/kernel_text.h"
#include "measure/profile/collector.h"
#include "measure/profile/leaf_caller.h"
#include "measure/profile/sample_cost.h"
#include "measure/profile/stack_unwinder.h"
#include "measure/profile/symbolizer.h"

namespace tare::profile {
namespace {

std::uint64_t NowNs() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::string MapsText(std::uint32_t process) {
  const auto text = ReadFile(fmt::format("/proc/{}/maps", process), 64 << 20);
  return text ? *text : std::string();
}

std::string CommandOf(pid_t process) {
  const auto text = ReadFile(fmt::format("/proc/{}/comm", process), 4096);
  return text ? std::string(host::Trimmed(*text)) : std::string();
}

std::vector<pid_t> NumberedEntries(const std::string& directory) {
  std::vector<pid_t> numbers;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    const auto number = host::WholeNumber(entry->path().filename().string());
    if (number) numbers.push_back(static_cast<pid_t>(*number));
  }
  return numbers;
}

// The threads of a process, itself first.
Result<std::vector<pid_t>> ThreadsOf(pid_t process) {
  auto threads = NumberedEntries(fmt::format("/proc/{}/task", process));
  if (threads.empty())
    return Fail(ErrorKind::kNotFound, fmt::format("--pid {}: there is no such process", process));
  std::ranges::sort(threads);
  const auto own = std::ranges::find(threads, process);
  if (own != threads.end()) std::rotate(threads.begin(), own, own + 1);
  return threads;
}

class Profiling {
 public:
  explicit Profiling(const ProfileRequest& request) : request_(request) {}

  Result<void> Prepare() {
    UnwindSample unwind;
    if (request_.plan.chains == Chains::kDwarf) {
      TRY(unwind, MakeUnwinder());
    }
    // A program that tare starts is known from its first mapping on.
    const bool existed = request_.process || request_.system;
    const bool by_frame = request_.plan.chains == Chains::kFramePointer;
    store_ = std::make_unique<SampleStore>(existed ? MapsText : ProcessMaps::ReadMaps(),
                                           std::move(unwind),
                                           by_frame ? MakeLeafCallerFinder() : FindLeafCaller());
    return {};
  }

  Result<void> Begin(const std::vector<pid_t>& threads, Start start) {
    TRY(auto events, SamplingEvents::Open(threads, request_.plan, start));
    TakePart take_part;
    if (request_.checkpoint) {
      take_part = [this](StoredPart part, SampledTime time) {
        Assemble(growing_, std::move(part), time, NowNs());
        request_.checkpoint(growing_.profile);
      };
    }
    begin_ns_ = NowNs();
    granted_ = events.Facts();
    TRY(collector_, Collector::Begin(std::move(events), *store_, std::move(take_part)));
    return {};
  }

  // Names what runs now. Before sampling, so that threads that end meanwhile have names, and after
  // it, because a program that ran already may have taken another name.
  void NameThreads(const std::vector<pid_t>& processes) {
    for (const pid_t process : processes) {
      for (const pid_t thread : NumberedEntries(fmt::format("/proc/{}/task", process))) {
        std::string command = CommandOf(thread);
        if (command.empty()) continue;  // it has ended
        store_->NameThread(static_cast<std::uint32_t>(process), static_cast<std::uint32_t>(thread),
                           std::move(command));
      }
    }
  }

  void End() {
    if (!collector_) return;
    collector_->Stop();
    end_ns_ = NowNs();
  }

  format::SampledProfile Take() {
    Assembly whole;
    StoreMarks start;
    Assemble(whole, store_->Since(start), collector_->Time(), end_ns_);
    whole.profile.facts.own_cpu_ns = collector_->CpuNs();
    return std::move(whole.profile);
  }

  // Both are known before sampling begins.
  void NameProgram(std::string program, std::string arguments) {
    program_ = std::move(program);
    arguments_ = std::move(arguments);
  }

 private:
  // A profile that is put together from parts.
  struct Assembly {
    format::SampledProfile profile;
    Symbolizer symbolizer{profile};
    std::optional<std::uint64_t> origin;  // times count from here
    std::uint64_t samples = 0;            // also those that were taken out of the profile
  };

  void Assemble(Assembly& assembly, StoredPart part, SampledTime time, std::uint64_t end_ns) const {
    format::SampledProfile& profile = assembly.profile;
    format::ProfileFacts& facts = profile.facts;
    const Granted& granted = granted_;
    facts.program = program_;
    facts.arguments = arguments_;
    facts.machine = request_.machine;
    facts.event = granted.event == SamplingEvent::kClock ? "cpu-clock" : "cycles";
    facts.chains = Name(request_.plan.chains);
    facts.with_kernel = granted.with_kernel;
    facts.period[0] = granted.period[0];
    facts.period[1] = granted.period[1];
    facts.cpu_ns = time.cpu_ns;
    facts.wall_ns = end_ns - begin_ns_;
    facts.lost = part.lost;
    facts.throttled = part.throttled;
    if (!assembly.origin) {
      std::uint64_t first = begin_ns_;
      for (const auto& sample : part.samples) first = std::min(first, sample.time_ns);
      assembly.origin = first;
    }
    const std::uint64_t origin = *assembly.origin;
    for (auto& sample : part.samples)
      sample.time_ns = sample.time_ns > origin ? sample.time_ns - origin : 0;
    for (auto& mapping : part.mappings)
      mapping.time_ns = mapping.time_ns > origin ? mapping.time_ns - origin : 0;
    assembly.samples += part.samples.size();
    assembly.symbolizer.Add(std::move(part));
    if (request_.system) {
      // The timers of idle processors run on; busy time is what was sampled.
      const double rate = 1.0 / static_cast<double>(facts.period[0]) +
                          (facts.period[1] == 0 ? 0 : 1.0 / static_cast<double>(facts.period[1]));
      facts.cpu_ns = granted.event == SamplingEvent::kClock
                         ? static_cast<std::uint64_t>(static_cast<double>(assembly.samples) / rate)
                         : 0;
    }
  }

  const ProfileRequest& request_;
  std::string program_;
  std::string arguments_;
  std::unique_ptr<SampleStore> store_;
  Assembly growing_;  // belongs to the thread that calls the checkpoint
  Granted granted_;
  std::unique_ptr<Collector> collector_;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
};

// Until the process ends, the time is over, or the user stops it.
void WaitFor(const ProfileRequest& request) {
  const Descriptor process(
      request.process ? static_cast<int>(::syscall(SYS_pidfd_open, *request.process, 0U)) : -1);
  const std::uint64_t start = NowNs();
  while (!request.interrupted || !request.interrupted()) {
    const double passed = 1e-9 * static_cast<double>(NowNs() - start);
    if (request.seconds && passed >= *request.seconds) return;
    const double left = request.seconds ? *request.seconds - passed : 0.05;
    pollfd end{process.Number(), POLLIN, 0};
    const int wait = std::clamp(static_cast<int>(left * 1000) + 1, 1, 50);
    if (::poll(&end, process.IsOpen() ? 1 : 0, wait) > 0) return;
  }
}

Result<ProfileRun> ProfileProgram(const ProfileRequest& request, Profiling& profiling) {
  run::Hooks hooks;
  hooks.before_exec = [&](pid_t process) { return profiling.Begin({process}, Start::kAtExec); };
  hooks.interrupted = request.interrupted;
  profiling.NameProgram(run::GivenPath(*request.program).string(),
                        ShellLine(request.program->arguments));
  auto finished = run::RunProgram(*request.program, request.setting, hooks);
  profiling.End();
  if (!finished) return std::unexpected(std::move(finished).error());
  ProfileRun run;
  run.profile = profiling.Take();
  run.finished = std::move(*finished);
  return run;
}

Result<ProfileRun> ProfileProcess(const ProfileRequest& request, Profiling& profiling) {
  TRY(const auto threads, ThreadsOf(*request.process));
  const std::string process = fmt::format("process {}", *request.process);
  std::error_code failure;
  const auto path =
      std::filesystem::read_symlink(fmt::format("/proc/{}/exe", *request.process), failure);
  profiling.NameProgram(failure ? process : path.string(), process);
  profiling.NameThreads({*request.process});
  TRY_VOID(profiling.Begin(threads, Start::kAtOnce));
  WaitFor(request);
  // Until the end the collector's thread writes to the same store.
  profiling.End();
  profiling.NameThreads({*request.process});
  ProfileRun run;
  run.profile = profiling.Take();
  return run;
}

Result<ProfileRun> ProfileSystem(const ProfileRequest& request, Profiling& profiling) {
  ProfileRun run;
  constexpr std::string_view kSystem = "the whole system";
  profiling.NameProgram(std::string(kSystem), request.program
                                                  ? ShellLine(request.program->arguments)
                                                  : std::string(kSystem));
  profiling.NameThreads(NumberedEntries("/proc"));
  TRY_VOID(profiling.Begin({}, Start::kAtOnce));
  if (request.program) {
    run::Hooks hooks;
    hooks.interrupted = request.interrupted;
    auto finished = run::RunProgram(*request.program, request.setting, hooks);
    profiling.End();
    if (!finished) return std::unexpected(std::move(finished).error());
    run.finished = std::move(*finished);
  } else {
    WaitFor(request);
    profiling.End();
  }
  profiling.NameThreads(NumberedEntries("/proc"));
  run.profile = profiling.Take();
  return run;
}

}  // namespace

Result<ProfileRun> TakeProfile(const ProfileRequest& request) {
  Profiling profiling(request);
  TRY_VOID(profiling.Prepare());
  auto run = request.system    ? ProfileSystem(request, profiling)
             : request.process ? ProfileProcess(request, profiling)
                               : ProfileProgram(request, profiling);
  if (!run || !request.measure_cost) return run;
  const auto cost = MeasureSampleCost(request.plan);
  if (cost) {
    run->profile.facts.sample_cost_ns = std::max(0.0, cost->Value() * 1e9);
    run->profile.facts.sample_cost_half_ns = cost->HalfWidth() * 1e9;
  }
  return run;
}

Result<void> AddSamples(format::SampledProfile& profile, const format::SampledProfile& more) {
  const auto& a = profile.facts;
  const auto& b = more.facts;
  const auto differ = [](std::string_view what, const std::string& x, const std::string& y) {
    return Fail(ErrorKind::kUsage,
                fmt::format("samples of different conditions cannot be added: the {} is '{}' in "
                            "one and '{}' in the other",
                            what, Printable(x), Printable(y)));
  };
  if (a.program != b.program) return differ("program", a.program, b.program);
  if (a.arguments != b.arguments) return differ("command line", a.arguments, b.arguments);
  if (a.machine != b.machine) return differ("machine", a.machine, b.machine);
  if (a.event != b.event) return differ("event", a.event, b.event);
  if (a.chains != b.chains) return differ("call graph", a.chains, b.chains);
  if (a.period[0] != b.period[0])
    return differ("sampling period", fmt::format("{}", a.period[0]),
                  fmt::format("{}", b.period[0]));
  for (const auto& object : profile.objects) {
    const auto same = std::ranges::find(more.objects, object.path, &format::ProfileObject::path);
    // Only objects with samples are read.
    if (same != more.objects.end() && !same->build_id.empty() && !object.build_id.empty() &&
        same->build_id != object.build_id)
      return differ(fmt::format("build of {}", Printable(object.path)), object.build_id,
                    same->build_id);
  }
  const auto shift = [](auto& to, const auto& from, auto change) {
    for (auto item : from) {
      change(item);
      to.push_back(std::move(item));
    }
  };
  const auto objects = static_cast<std::uint32_t>(profile.objects.size());
  const auto files = static_cast<std::uint32_t>(profile.files.size());
  const auto functions = static_cast<std::uint32_t>(profile.functions.size());
  const auto locations = static_cast<std::uint32_t>(profile.locations.size());
  const auto stacks = static_cast<std::uint32_t>(profile.stacks.size());
  const auto threads = static_cast<std::uint32_t>(profile.threads.size());
  shift(profile.objects, more.objects, [](format::ProfileObject&) {});
  shift(profile.files, more.files, [](std::string&) {});
  shift(profile.functions, more.functions,
        [&](format::ProfileFunction& function) { function.object += objects; });
  shift(profile.locations, more.locations, [&](format::ProfileLocation& location) {
    location.function += functions;
    if (location.file != format::kNoIndex) location.file += files;
  });
  shift(profile.stacks, more.stacks, [&](format::ProfileStack& stack) {
    for (std::uint32_t& location : stack) location += locations;
  });
  shift(profile.threads, more.threads, [](format::ProfileThread&) {});
  shift(profile.mappings, more.mappings, [&](format::ProfileMapping& mapping) {
    mapping.object += objects;
    mapping.time_ns += a.wall_ns;
  });
  shift(profile.samples, more.samples, [&](format::ProfileSample& sample) {
    sample.stack += stacks;
    sample.thread += threads;
    sample.time_ns += a.wall_ns;
  });
  profile.facts.cpu_ns += b.cpu_ns;
  profile.facts.wall_ns += b.wall_ns;
  profile.facts.lost += b.lost;
  profile.facts.throttled += b.throttled;
  profile.facts.own_cpu_ns += b.own_cpu_ns;
  profile.facts.runs += b.runs;
  if (profile.incomplete.empty()) profile.incomplete = more.incomplete;
  return {};
}

}  // namespace tare::profile
