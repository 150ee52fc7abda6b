// signal_reader.h: reads the samples that a timer inside the program takes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "format/series_writer.h"
#include "measure/sample/event_sources.h"
#include "measure/sample/metric_selection.h"
#include "measure/sample/software_columns.h"
#include "measure/sample/software_source.h"
#include "measure/sample/start_mark.h"
#include "measure/sample/timer_pace.h"

namespace tare::sample {

// An event of processor or kernel that the program reads about itself.
struct SignalEvent {
  std::string name;
  std::string group;  // of its channel: "hardware", "event"
  pmu::EventCode code;
};

// The events of the selection that open here, then the requested ones, as many as the sampler can
// read. The others are added to `absent`.
std::vector<SignalEvent> SignalEvents(const EventSelection& selection,
                                      const std::vector<pmu::ProgramEvent>& requested,
                                      const MetricSelection& wanted,
                                      std::vector<format::AbsentChannel>& absent);

// Writes the request that the runtime reads from the run directory.
Result<void> WriteSampleRequest(const std::filesystem::path& directory, std::uint64_t interval_ns,
                                std::span<const SignalEvent> events);

// Adds the channels of every record, and as absent those that only the observer can read.
void AddSignalChannels(const MetricSelection& selection, std::span<const SignalEvent> events,
                       format::SeriesHead& head);

class SignalReader {
 public:
  // All arguments must outlive the reader and belong to its thread until Stop(). `software` must be
  // of the program alone; `writer` must have the channels of AddSignalChannels for as many events.
  static Result<std::unique_ptr<SignalReader>> Start(const StartMark& mark,
                                                     SoftwareSource& software,
                                                     const MetricSelection& selection,
                                                     std::size_t events, TimerPace& pace,
                                                     format::SeriesWriter& writer);
  ~SignalReader() { Stop(); }
  SignalReader(const SignalReader&) = delete;
  SignalReader& operator=(const SignalReader&) = delete;

  // Call after the program has ended. Reads the remaining samples.
  void Stop();

  // Valid after Stop().
  std::uint64_t CpuNs() const { return cpu_ns_; }
  std::uint64_t Records() const { return records_; }
  std::uint64_t HandlerNs() const { return handler_ns_; }
  std::uint64_t LostSamples() const { return lost_samples_; }

  // Takes the last record, from the counters in the files.
  void TakeEnd(std::uint64_t time_ns);

 private:
  // Samples of one file that have not become records yet.
  struct Ring {
    std::size_t values = 0;  // per sample
    std::size_t slots = 0;   // of them, after the fixed ones
    std::vector<std::uint64_t> waiting;
    std::size_t next = 0;
    std::vector<std::uint64_t> latest;

    const std::uint64_t* Next() const;
    void Advance();
  };

  SignalReader(const StartMark& mark, SoftwareSource& software, const MetricSelection& selection,
               std::size_t events, TimerPace& pace, format::SeriesWriter& writer);

  void Run();
  void TakeWaiting();
  void LookForChannels();
  // The file whose samples become the records: the latest one. Earlier files belong to programs
  // before an execve and only add to the values.
  std::optional<std::size_t> Leader() const;
  void Record(const std::uint64_t* sample, const StartValues& start);
  void Append(std::uint64_t time_ns);

  const StartMark& mark_;
  SoftwareSource& software_;
  TimerPace& pace_;
  format::SeriesWriter& writer_;
  std::vector<std::optional<std::size_t>> fixed_columns_;
  std::size_t events_ = 0;       // requested
  std::size_t first_event_ = 0;  // their first column
  SoftwareColumns software_columns_;
  std::vector<std::optional<std::int64_t>> values_;
  std::vector<Ring> rings_;  // one per file
  std::uint64_t requested_interval_ns_;
  std::uint64_t last_time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::atomic<bool> stop_{false};
  std::uint64_t cpu_ns_ = 0;
  std::uint64_t handler_ns_ = 0;
  std::uint64_t lost_samples_ = 0;
  std::thread thread_;
};

}  // namespace tare::sample
