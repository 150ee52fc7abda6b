// software_channels.h: counters of many modules and processes as one set of channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/series.h"
#include "format/software_counters.h"
#include "measure/sample/metric_choice.h"

namespace tare::sample {

// "calls of f" for a selected function; otherwise the metric's name, with " (sum)", " (minimum)" or
// " (maximum)" behind it for values beside the number of events.
std::string ChannelName(const format::SlotMetric& metric);

// The counters of a histogram: one for each number of significant bits, 64 for what is negative.
inline constexpr std::uint64_t kHistogramBuckets = 65;
using Histogram = std::vector<std::uint64_t>;

class SoftwareChannels {
 public:
  // Functions that nobody asked for by name are left out from this many on.
  static constexpr std::size_t kMaxFunctions = 100;

  explicit SoftwareChannels(MetricChoice choice) : choice_(std::move(choice)) {}

  // What a module of a process counts.
  struct Module {
    std::uint64_t process = 0;
    std::span<const format::SlotMetric> metrics;
    std::span<const format::EntryMetric> entries;
  };

  // A file with counters; files are numbered in the order in which they are added. Metrics of one
  // name become one channel. A function's calls are counted at its entry where any module of the
  // process does so, and at their sites otherwise. True when there are more channels than before.
  bool Add(const Module& module);
  // More of a file that was added before.
  bool AddTo(std::size_t file, std::span<const format::SlotMetric> metrics);

  // Only ever grows.
  const std::vector<format::Channel>& Channels() const { return channels_; }
  // What was left out.
  std::vector<format::AbsentChannel> Absent() const;

  // What stands in a slot of a file now, in the form of the wire.
  using ReadSlot =
      std::function<std::uint64_t(std::size_t file, std::uint64_t slot, format::SlotKind kind)>;

  // The value of each channel: totals add up, minima and maxima combine; nothing for those of no
  // values.
  void Read(const ReadSlot& read, std::span<std::optional<std::int64_t>> values) const;

  // By the metric's name.
  std::map<std::string, Histogram> Histograms(const ReadSlot& read) const;

 private:
  struct Part {
    std::size_t file;
    std::uint64_t process;
    format::SlotMetric metric;
  };

  bool AddChannel(const Part& part);
  void Enter(const Module& module);
  bool IsEntered(std::uint64_t process, const format::SlotMetric& metric) const;

  MetricChoice choice_;
  std::size_t files_ = 0;
  std::vector<format::Channel> channels_;
  std::vector<std::vector<Part>> parts_;  // of each channel
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::vector<Part>> histograms_;
  std::set<std::pair<std::uint64_t, format::EntryMetric>> entered_;  // by process
  std::size_t functions_ = 0;
  std::map<std::string, bool> left_out_;
};

}  // namespace tare::sample
