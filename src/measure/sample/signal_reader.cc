// signal_reader.cc: converts rings of samples to records of a series.
#include "measure/sample/signal_reader.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/file.h"

namespace tare::sample {
namespace {

constexpr std::uint64_t kRoom = 1024;

// The channels in the order of TARE_SAMPLE_..., without the time.
struct FixedChannel {
  std::string_view name;
  std::string_view unit;
  format::ChannelKind kind = format::ChannelKind::kTotal;
  bool exact = true;
};
constexpr auto kFixed = std::to_array<FixedChannel>({
    {"cpu-time", "ns"},
    {"minor-faults", ""},
    {"major-faults", ""},
    {"voluntary-switches", ""},
    {"involuntary-switches", ""},
    {"most-resident-memory", "B", format::ChannelKind::kLevel, false},
});
static_assert(kFixed.size() == TARE_SAMPLE_FIXED_VALUES - 1);

constexpr auto kOnlyOutside = std::to_array<std::string_view>(
    {"user-time", "system-time", "resident-memory", "threads", "cpu-migrations", "bytes-read",
     "bytes-written", "read-calls", "write-calls", "storage-bytes-read", "storage-bytes-written"});

// The value before execve.
std::uint64_t Before(std::size_t value, const StartValues& start) {
  switch (value) {
    case TARE_SAMPLE_CPU_NS:
      return start.cpu_ns;
    case TARE_SAMPLE_MINOR_FAULTS:
      return static_cast<std::uint64_t>(start.use.ru_minflt);
    case TARE_SAMPLE_MAJOR_FAULTS:
      return static_cast<std::uint64_t>(start.use.ru_majflt);
    case TARE_SAMPLE_VOLUNTARY_SWITCHES:
      return static_cast<std::uint64_t>(start.use.ru_nvcsw);
    case TARE_SAMPLE_INVOLUNTARY_SWITCHES:
      return static_cast<std::uint64_t>(start.use.ru_nivcsw);
    default:
      return 0;
  }
}

std::int64_t FixedValue(std::size_t value, std::uint64_t raw, const StartValues& start) {
  if (value == TARE_SAMPLE_MAX_RESIDENT_KIB) return static_cast<std::int64_t>(raw * 1024);
  const std::uint64_t before = Before(value, start);
  return raw > before ? static_cast<std::int64_t>(raw - before) : 0;
}

}  // namespace

std::vector<SignalEvent> SignalEvents(const EventSelection& selection,
                                      const std::vector<pmu::ProgramEvent>& requested,
                                      const MetricSelection& wanted,
                                      std::vector<format::AbsentChannel>& absent) {
  std::vector<SignalEvent> events;
  const auto add = [&](const std::string& name, std::string group, const pmu::EventCode& code,
                       const std::string& absence) {
    if (!wanted.Wants(name)) return;
    if (!absence.empty()) {
      absent.push_back({name, std::move(group), absence});
    } else if (events.size() == TARE_SAMPLE_MAX_EVENTS) {
      absent.push_back({name, std::move(group), "the signal sampler reads at most 16 events"});
    } else {
      events.push_back({name, std::move(group), code});
    }
  };
  for (const pmu::ChosenMetric& metric : selection.hardware) {
    add(std::string(metric.row.metric), "hardware",
        metric.event ? metric.event->code : pmu::EventCode{}, metric.absence);
  }
  for (const pmu::ProgramEvent& event : requested) {
    // Events that have a channel already are not counted twice.
    const bool twice = std::ranges::find(events, event.name, &SignalEvent::name) != events.end() ||
                       std::ranges::find(kFixed, std::string_view(event.name),
                                         &FixedChannel::name) != kFixed.end();
    pmu::EventCode code = event.code;
    if (event.event_class == pmu::EventClass::kSoftware) code.kernel = true;
    if (!twice) add(event.name, "event", code, event.absence);
  }
  return events;
}

Result<void> WriteSampleRequest(const std::filesystem::path& directory, std::uint64_t interval_ns,
                                std::span<const SignalEvent> events) {
  CHECK(events.size() <= TARE_SAMPLE_MAX_EVENTS);
  tare_counters_request request{};
  request.version = TARE_COUNTERS_VERSION;
  request.sample_interval_ns = interval_ns;
  request.samples_room = kRoom;
  request.sample_events = events.size();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const pmu::EventCode& code = events[i].code;
    request.events[i] = {code.type, code.config, code.config1, code.config2, code.kernel ? 1U : 0U};
  }
  const auto* bytes = reinterpret_cast<const char*>(&request);
  return WriteFileAtomically(directory / TARE_RUN_REQUEST, {bytes, sizeof request});
}

void AddSignalChannels(const MetricSelection& selection, std::span<const SignalEvent> events,
                       format::SeriesHead& head) {
  for (const FixedChannel& fixed : kFixed) {
    if (!selection.Wants(std::string(fixed.name))) continue;
    head.channels.push_back({std::string(fixed.name), "kernel", std::string(fixed.unit),
                             "getrusage in the program", fixed.kind, fixed.exact});
  }
  for (const SignalEvent& event : events) {
    head.channels.push_back({event.name, event.group, "", "perf_event_open in the program",
                             format::ChannelKind::kTotal, true});
  }
  for (const std::string_view name : kOnlyOutside) {
    if (!selection.Wants(std::string(name))) continue;
    head.absent.push_back({std::string(name), "kernel",
                           "the signal sampler reads only what the program can measure itself; use "
                           "--sampler observer"});
  }
}

const std::uint64_t* SignalReader::Ring::Next() const {
  return next + values <= waiting.size() && values > 0 ? waiting.data() + next : nullptr;
}

void SignalReader::Ring::Advance() {
  const auto from = waiting.begin() + static_cast<std::ptrdiff_t>(next);
  latest.assign(from, from + static_cast<std::ptrdiff_t>(values));
  next += values;
  if (next < waiting.size()) return;
  waiting.clear();
  next = 0;
}

SignalReader::SignalReader(const StartMark& mark, SoftwareSource& software,
                           const MetricSelection& selection, std::size_t events, TimerPace& pace,
                           format::SeriesWriter& writer)
    : mark_(mark),
      software_(software),
      pace_(pace),
      writer_(writer),
      requested_interval_ns_(pace.IntervalNs()) {
  std::size_t next = 0;
  for (const FixedChannel& fixed : kFixed) {
    const bool wanted = selection.Wants(std::string(fixed.name));
    fixed_columns_.push_back(wanted ? std::optional(next++) : std::nullopt);
  }
  events_ = events;
  first_event_ = next;
  next += events;
  CHECK(next == writer_.Channels());
  values_.resize(next);
}

Result<std::unique_ptr<SignalReader>> SignalReader::Start(const StartMark& mark,
                                                          SoftwareSource& software,
                                                          const MetricSelection& selection,
                                                          std::size_t events, TimerPace& pace,
                                                          format::SeriesWriter& writer) {
  std::unique_ptr<SignalReader> reader(
      new SignalReader(mark, software, selection, events, pace, writer));
  try {
    reader->thread_ = std::thread([raw = reader.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start the sample reader: {}", error.what()));
  }
  return reader;
}

void SignalReader::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void SignalReader::Run() {
  using std::chrono::nanoseconds;
  while (!stop_) {
    TakeWaiting();
    // Eight times per filling of the ring.
    const std::uint64_t wait_ns =
        std::clamp<std::uint64_t>(pace_.IntervalNs() * kRoom / 8, 2'000'000, 50'000'000);
    std::this_thread::sleep_for(nanoseconds(wait_ns));
  }
  TakeWaiting();
  for (std::size_t file = 0; file < software_.Files(); ++file) {
    const tare_counters_header header = software_.File(file).Header();
    handler_ns_ += header.sampling_ns;
    lost_samples_ += header.samples_lost;
  }
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  cpu_ns_ = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
            static_cast<std::uint64_t>(time.tv_nsec);
}

void SignalReader::LookForChannels() {
  software_columns_.Look(software_, writer_, values_);
  for (std::size_t file = rings_.size(); file < software_.Files(); ++file) {
    Ring& ring = rings_.emplace_back();
    const tare_counters_header header = software_.File(file).Header();
    // The layout was checked when the file was opened.
    if (header.samples_room > 0) {
      ring.values = header.sample_values;
      ring.slots = header.slots;
    }
  }
}

std::optional<std::size_t> SignalReader::Leader() const {
  for (std::size_t file = rings_.size(); file-- > 0;) {
    if (rings_[file].values > 0) return file;
  }
  return std::nullopt;
}

void SignalReader::TakeWaiting() {
  const auto start = mark_.Get();
  if (!start) return;
  LookForChannels();
  for (std::size_t file = 0; file < rings_.size(); ++file) {
    if (rings_[file].values > 0) software_.File(file).TakeSamples(rings_[file].waiting);
  }
  const auto leader = Leader();
  if (!leader) return;
  while (const std::uint64_t* sample = rings_[*leader].Next()) {
    const std::uint64_t time = sample[TARE_SAMPLE_TIME_NS];
    for (std::size_t file = 0; file < rings_.size(); ++file) {
      if (file == *leader) continue;
      const std::uint64_t* other = rings_[file].Next();
      while (other != nullptr && other[TARE_SAMPLE_TIME_NS] <= time) {
        rings_[file].Advance();
        other = rings_[file].Next();
      }
    }
    rings_[*leader].Advance();
    Record(rings_[*leader].latest.data(), *start);
  }
  writer_.FlushIfDue(MonotonicNs());
  if (pace_.IntervalNs() == requested_interval_ns_) return;
  requested_interval_ns_ = pace_.IntervalNs();
  for (std::size_t file = 0; file < rings_.size(); ++file) {
    if (rings_[file].values > 0) software_.File(file).SetSampleInterval(requested_interval_ns_);
  }
}

void SignalReader::Record(const std::uint64_t* sample, const StartValues& start) {
  if (records_ == 0) {
    for (std::size_t i = 0; i < kFixed.size(); ++i) {
      if (fixed_columns_[i] && kFixed[i].kind == format::ChannelKind::kTotal) {
        values_[*fixed_columns_[i]] = 0;
      }
    }
    Append(0);
    pace_.IrregularSampleTaken();
  }
  for (std::size_t i = 0; i < kFixed.size(); ++i) {
    if (fixed_columns_[i]) values_[*fixed_columns_[i]] = FixedValue(i + 1, sample[i + 1], start);
  }
  const auto read = [this](std::size_t file, std::uint64_t slot, format::SlotKind) {
    const auto& latest = rings_[file].latest;
    const std::size_t at = TARE_SAMPLE_FIXED_VALUES + slot;
    return at < latest.size() ? latest[at] : 0;
  };
  software_columns_.ReadFrom(software_, read, values_);
  if (const auto leader = Leader()) {
    // A program that an older tare-cc built has no events.
    const std::size_t first = TARE_SAMPLE_FIXED_VALUES + rings_[*leader].slots;
    for (std::size_t i = 0; i < events_ && first + i < rings_[*leader].values; ++i) {
      const std::uint64_t value = sample[first + i];
      if (value == TARE_SAMPLE_NO_EVENT) continue;
      values_[first_event_ + i] = static_cast<std::int64_t>(value);
    }
  }
  const std::uint64_t time = sample[TARE_SAMPLE_TIME_NS];
  Append(time > start.time_ns ? time - start.time_ns : 0);
  pace_.SampleTaken(last_time_ns_);
}

void SignalReader::Append(std::uint64_t time_ns) {
  last_time_ns_ = std::max(last_time_ns_, time_ns);
  writer_.Append(last_time_ns_, values_);
  std::ranges::fill(values_, std::nullopt);
  ++records_;
}

void SignalReader::TakeEnd(std::uint64_t time_ns) {
  LookForChannels();
  software_columns_.Read(software_, values_);
  Append(time_ns);
  pace_.IrregularSampleTaken();
}

}  // namespace tare::sample
