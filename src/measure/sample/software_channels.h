// software_channels.h: merges the counters of many modules and processes into one set of channels.
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
#include "measure/sample/metric_selection.h"

namespace tare::sample {

// "calls of f" for a selected function; otherwise the metric's name, followed by " (sum)", "
// (minimum)" or " (maximum)" for values other than the number of events.
std::string ChannelName(const format::SlotMetric& metric);

// Counters of a histogram: one per number of significant bits; bucket 64 is for negative values.
inline constexpr std::uint64_t kHistogramBuckets = 65;
using Histogram = std::vector<std::uint64_t>;

class SoftwareChannels {
 public:
  // Maximum number of functions that were not selected by name.
  static constexpr std::size_t kMaxFunctions = 100;

  explicit SoftwareChannels(MetricSelection selection) : selection_(std::move(selection)) {}

  // The counters of one module in one process.
  struct Module {
    std::uint64_t process = 0;
    std::span<const format::SlotMetric> metrics;
    std::span<const format::EntryMetric> entries;
  };

  // Adds a file of counters; files are numbered in the order of these calls. Metrics of the same
  // name become one channel. A function's calls are counted at its entry if any module of the
  // process does so, otherwise at its call sites. True if channels were added.
  bool Add(const Module& module);
  // Adds more metrics of a file that was added before.
  bool AddTo(std::size_t file, std::span<const format::SlotMetric> metrics);

  // Only grows.
  const std::vector<format::Channel>& Channels() const { return channels_; }
  // The channels that were left out, with the reason.
  std::vector<format::AbsentChannel> Absent() const;

  // Returns the current contents of a slot, in wire format.
  using ReadSlot =
      std::function<std::uint64_t(std::size_t file, std::uint64_t slot, format::SlotKind kind)>;

  // The value of each channel: totals are summed, minima and maxima combined. Absent for a minimum
  // or maximum without values.
  void Read(const ReadSlot& read, std::span<std::optional<std::int64_t>> values) const;

  // By metric name.
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

  MetricSelection selection_;
  std::size_t files_ = 0;
  std::vector<format::Channel> channels_;
  std::vector<std::vector<Part>> parts_;  // of each channel
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::vector<Part>> histograms_;
  std::set<std::pair<std::uint64_t, format::EntryMetric>> entered_;  // with their process
  std::size_t functions_ = 0;
  std::map<std::string, bool> left_out_;
};

}  // namespace tare::sample
