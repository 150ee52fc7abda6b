// recorder.cc: decides when each source is read and stores its values.
#include "measure/sample/recorder.h"

#include <algorithm>

#include "base/check.h"
#include "measure/sample/start_mark.h"

namespace tare::sample {
namespace {

// Divisors: reading a source may take 1/20 of the observer's time, or 1/100 of the program's time
// if it disturbs the program.
constexpr std::uint64_t kShareOfObserver = 20;
constexpr std::uint64_t kShareOfProgram = 100;
constexpr int kAttempts = 3;

}  // namespace

void AddToHead(const std::vector<Source>& sources, const MetricSelection& selection,
               format::SeriesHead& head) {
  for (const Source& source : sources) {
    for (const format::Channel& channel : source.channels) {
      if (selection.Wants(channel.name)) head.channels.push_back(channel);
    }
    for (const format::AbsentChannel& absent : source.absent) {
      if (selection.Wants(absent.name)) head.absent.push_back(absent);
    }
  }
}

void Recorder::Cost::Add(std::uint64_t took_ns) {
  // Limits the weight of one reading that was interrupted.
  if (ns > 0) took_ns = std::min(took_ns, 4 * ns);
  ns = ns == 0 ? took_ns : (7 * ns + took_ns) / 8;
}

Recorder::Recorder(std::vector<Source> sources, SoftwareSource& software,
                   const MetricSelection& selection, Pace& pace, format::SeriesWriter& writer)
    : software_(software), pace_(pace), writer_(writer) {
  std::size_t next = 0;
  for (Source& source : sources) {
    Read read{.source = std::move(source), .columns = {}, .values = {}, .cost = {}};
    bool wanted = false;
    for (const format::Channel& channel : read.source.channels) {
      const bool wants = selection.Wants(channel.name);
      read.columns.push_back(wants ? next++ : kUnwanted);
      wanted = wanted || wants;
    }
    read.values.resize(read.columns.size());
    if (wanted) reads_.push_back(std::move(read));
  }
  CHECK(next == writer_.Channels());
  values_.resize(next);
}

void Recorder::Place(Read& read) {
  for (std::size_t i = 0; i < read.columns.size(); ++i) {
    if (read.columns[i] != kUnwanted) values_[read.columns[i]] = read.values[i];
    read.values[i].reset();
  }
}

void Recorder::Append(std::uint64_t time_ns) {
  last_time_ns_ = std::max(last_time_ns_, time_ns);
  writer_.Append(last_time_ns_, values_);
  std::ranges::fill(values_, std::nullopt);
  ++records_;
}

void Recorder::TakeStart() {
  for (Read& read : reads_) {
    ReadStart(read.source, read.values);
    Place(read);
  }
  Append(0);
  pace_.IrregularSampleTaken();
}

void Recorder::ReadSources() {
  std::uint64_t before = MonotonicNs();
  if (pace_.IsDueEach(software_cost_.ns * kShareOfObserver)) {
    software_columns_.Look(software_, writer_, values_);
    software_columns_.Read(software_, values_);
    const std::uint64_t after = MonotonicNs();
    software_cost_.Add(after - before);
    before = after;
  }
  for (Read& read : reads_) {
    const std::uint64_t share = read.source.disturbs ? kShareOfProgram : kShareOfObserver;
    if (!pace_.IsDueEach(read.cost.ns * share)) continue;
    read.source.read(read.values);
    Place(read);
    const std::uint64_t after = MonotonicNs();
    read.cost.Add(after - before);
    before = after;
  }
}

void Recorder::Take(const Clock& clock) {
  // A longer reading means that this thread was preempted.
  const std::uint64_t longest = std::max(pace_.IntervalNs() / 20, 4 * cost_.ns);
  std::uint64_t time = 0;
  std::uint64_t took = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    time = clock();
    ReadSources();
    took = clock() - time;
    if (took <= longest) break;
  }
  cost_.Add(took);
  longest_reading_ns_ = std::max(longest_reading_ns_, took);
  Append(time);
  writer_.FlushIfDue(MonotonicNs());
  pace_.SampleTaken(clock());
}

void Recorder::TakeEnd(std::uint64_t time_ns) {
  software_columns_.Look(software_, writer_, values_);
  software_columns_.Read(software_, values_);
  for (Read& read : reads_) {
    if (!read.source.read_at_end) continue;
    read.source.read_at_end(read.values);
    Place(read);
  }
  Append(time_ns);
  pace_.IrregularSampleTaken();
}

}  // namespace tare::sample
