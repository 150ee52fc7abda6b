// software_channels.cc: names, selects and combines counters.
#include "measure/sample/software_channels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tare::sample {
namespace {

using format::SlotKind;
using format::SlotMetric;

bool IsTotal(SlotKind kind) { return kind == SlotKind::kCount || kind == SlotKind::kSum; }

std::int64_t Combined(SlotKind kind, std::int64_t a, std::int64_t b) {
  if (kind == SlotKind::kMinimum) return std::min(a, b);
  if (kind == SlotKind::kMaximum) return std::max(a, b);
  // Sums of arguments may wrap, as they do in the program.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

std::string ChannelName(const SlotMetric& metric) {
  if (metric.is_function) return fmt::format("calls of {}", metric.name);
  switch (metric.kind) {
    case SlotKind::kSum:
      return metric.name + " (sum)";
    case SlotKind::kMinimum:
      return metric.name + " (minimum)";
    case SlotKind::kMaximum:
      return metric.name + " (maximum)";
    default:
      return metric.name;
  }
}

bool SoftwareChannels::AddChannel(const Part& part) {
  const SlotMetric& metric = part.metric;
  const std::string name = ChannelName(metric);
  if (!selection_.Wants(name)) return false;
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    // Modules built with different metric files can use one name for different kinds.
    auto& parts = parts_[known->second];
    if (!parts.empty() && parts.front().metric.kind != metric.kind) return false;
    parts.push_back(part);
    return false;
  }
  if (metric.is_function && !selection_.IsNarrow() && functions_ >= kMaxFunctions) {
    left_out_[name] = true;
    return false;
  }
  functions_ += metric.is_function ? 1 : 0;
  by_name_[name] = channels_.size();
  format::Channel channel;
  channel.name = name;
  channel.group = "software";
  channel.source = "compiled";
  channel.kind = IsTotal(metric.kind) ? format::ChannelKind::kTotal : format::ChannelKind::kLevel;
  channels_.push_back(std::move(channel));
  parts_.push_back({part});
  return true;
}

bool SoftwareChannels::IsEntered(std::uint64_t process, const SlotMetric& metric) const {
  return !metric.site.empty() &&
         entered_.contains({process, format::EntryMetric{metric.name, metric.site}});
}

void SoftwareChannels::Enter(const Module& module) {
  if (module.entries.empty()) return;
  for (const format::EntryMetric& entry : module.entries) entered_.insert({module.process, entry});
  const auto counted_twice = [this](const Part& part) {
    return IsEntered(part.process, part.metric);
  };
  for (auto& parts : parts_) std::erase_if(parts, counted_twice);
  for (auto& [name, parts] : histograms_) std::erase_if(parts, counted_twice);
}

bool SoftwareChannels::Add(const Module& module) {
  bool more = false;
  Enter(module);
  for (const SlotMetric& metric : module.metrics) {
    if (IsEntered(module.process, metric)) continue;
    if (metric.kind == SlotKind::kHistogram) {
      if (selection_.Wants(metric.name)) {
        histograms_[metric.name].push_back({files_, module.process, metric});
      }
    } else {
      more = AddChannel({files_, module.process, metric}) || more;
    }
  }
  ++files_;
  return more;
}

bool SoftwareChannels::AddTo(std::size_t file, std::span<const SlotMetric> metrics) {
  bool more = false;
  for (const SlotMetric& metric : metrics) more = AddChannel({file, 0, metric}) || more;
  return more;
}

std::vector<format::AbsentChannel> SoftwareChannels::Absent() const {
  if (left_out_.empty()) return {};
  return {{fmt::format("calls of {} more functions", left_out_.size()), "software",
           fmt::format(
               "a trace has at most {} functions unless they are named: --metric 'calls of NAME'",
               kMaxFunctions)}};
}

void SoftwareChannels::Read(const ReadSlot& read,
                            std::span<std::optional<std::int64_t>> values) const {
  CHECK(values.size() == channels_.size());
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    std::optional<std::int64_t> all;
    for (const Part& part : parts_[channel]) {
      const SlotMetric& metric = part.metric;
      const auto value = format::ValueOfSlot(metric, read(part.file, metric.slot, metric.kind));
      if (value) all = all ? Combined(metric.kind, *all, *value) : *value;
    }
    values[channel] = all;
  }
}

std::map<std::string, Histogram> SoftwareChannels::Histograms(const ReadSlot& read) const {
  std::map<std::string, Histogram> all;
  for (const auto& [name, parts] : histograms_) {
    Histogram& sum = all[name];
    sum.resize(kHistogramBuckets);
    for (const Part& part : parts) {
      for (std::uint64_t bucket = 0; bucket < kHistogramBuckets; ++bucket) {
        sum[bucket] += read(part.file, part.metric.slot + bucket, SlotKind::kHistogram);
      }
    }
  }
  return all;
}

}  // namespace tare::sample
