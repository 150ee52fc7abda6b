// event_sources.cc: a channel for each event that opens, a reason for each that does not.
#include "measure/sample/event_sources.h"

#include <algorithm>
#include <array>
#include <memory>

#include "machine/host/conditions.h"

namespace tare::sample {
namespace {

using pmu::ChosenMetric;
using pmu::ProgramEvents;

struct Open {
  std::vector<ChosenMetric> chosen;  // those with an event, in the order of the plan
  ProgramEvents events;
};

Result<std::shared_ptr<Open>> Attach(pid_t process, const std::vector<ChosenMetric>& selection,
                                     const pmu::Permissions& permissions, bool tree) {
  auto plan = pmu::MakePlan(selection);
  plan.children = tree;
  TRY(auto events, ProgramEvents::Attach(process, plan, permissions));
  std::vector<ChosenMetric> chosen;
  for (const ChosenMetric& metric : selection) {
    if (metric.event) chosen.push_back(metric);
  }
  return std::make_shared<Open>(std::move(chosen), std::move(events));
}

std::optional<std::int64_t> Signed(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(static_cast<std::int64_t>(*count)) : std::nullopt;
}

// The channel name that other sources use for the same metric.
std::string NameOf(std::string_view metric) {
  return metric == "task-clock" ? "cpu-time" : std::string(metric);
}

// Channels for the events that `open` could open, absent channels with a reason for the others.
Source SourceOf(const std::shared_ptr<Open>& open, const std::vector<ChosenMetric>& selection,
                const std::string& group) {
  Source source;
  source.disturbs = true;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < open->chosen.size(); ++i) {
    const pmu::MetricRow& row = open->chosen[i].row;
    const std::string& absence = open->events.Absence(i);
    if (!absence.empty()) {
      source.absent.push_back({NameOf(row.metric), group, absence});
      continue;
    }
    format::Channel channel;
    channel.name = NameOf(row.metric);
    channel.group = group;
    channel.unit = row.unit;
    channel.source = "perf_event_open";
    source.channels.push_back(std::move(channel));
    places.push_back(i);
  }
  for (const ChosenMetric& metric : selection) {
    if (!metric.event) source.absent.push_back({NameOf(metric.row.metric), group, metric.absence});
  }
  source.read = [open, places](Values values) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      values[i] = Signed(open->events.ReadNow(places[i]));
    }
  };
  source.read_at_end = source.read;
  return source;
}

constexpr auto kOfATree = std::to_array<std::string_view>(
    {"task-clock", "minor-faults", "major-faults", "context-switches", "cpu-migrations"});

}  // namespace

EventSelection SelectEvents() {
  EventSelection selection;
  selection.permissions = pmu::PermissionsOf(host::ReadConditions({}, {}));
  std::vector<pmu::MetricRow> rows;
  std::ranges::copy_if(
      pmu::HardwareMetrics(), std::back_inserter(rows),
      [](const pmu::MetricRow& row) { return row.event_class != pmu::EventClass::kSoftware; });
  selection.hardware = pmu::ChooseMetrics(rows, selection.permissions);
  rows.clear();
  std::ranges::copy_if(pmu::KernelMetrics(), std::back_inserter(rows),
                       [](const pmu::MetricRow& row) {
                         return std::ranges::find(kOfATree, row.metric) != kOfATree.end();
                       });
  selection.kernel = pmu::ChooseMetrics(rows, selection.permissions);
  return selection;
}

Result<Source> HardwareSource(pid_t process, const EventSelection& selection, bool tree) {
  TRY(const auto open, Attach(process, selection.hardware, selection.permissions, tree));
  return SourceOf(open, selection.hardware, "hardware");
}

Result<Source> RequestedSource(pid_t process, const std::vector<pmu::ProgramEvent>& events,
                               const pmu::Permissions& permissions, bool tree) {
  pmu::ProgramEventPlan plan;
  plan.events = events;
  plan.children = tree;
  TRY(auto attached, ProgramEvents::Attach(process, plan, permissions));
  const auto open = std::make_shared<ProgramEvents>(std::move(attached));
  Source source;
  source.disturbs = true;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string& absence = open->Absence(i);
    if (!absence.empty()) {
      source.absent.push_back({events[i].name, "event", absence});
      continue;
    }
    format::Channel channel;
    channel.name = events[i].name;
    channel.group = "event";
    channel.source = "perf_event_open";
    source.channels.push_back(std::move(channel));
    places.push_back(i);
  }
  source.read = [open, places](Values values) {
    for (std::size_t i = 0; i < places.size(); ++i) values[i] = Signed(open->ReadNow(places[i]));
  };
  source.read_at_end = source.read;
  return source;
}

Result<KernelEvents> OpenKernelEvents(pid_t process, const EventSelection& selection, bool tree) {
  std::vector<ChosenMetric> live = selection.kernel;
  if (!tree) {
    std::erase_if(live, [](const ChosenMetric& metric) {
      return metric.row.metric != "cpu-migrations" && metric.row.metric != "task-clock";
    });
  }
  TRY(const auto open_live, Attach(process, live, selection.permissions, tree));
  TRY(const auto open_all, Attach(process, selection.kernel, selection.permissions, tree));
  KernelEvents kernel;
  kernel.source = SourceOf(open_live, live, "kernel");
  kernel.at_end = [open_all](std::string_view metric) -> std::optional<std::int64_t> {
    for (const pmu::ProgramCount& count : open_all->events.Read()) {
      if (count.name != metric || count.scope == pmu::Scope::kFirstThread) continue;
      if (!count.with_kernel && metric != "task-clock") continue;
      return Signed(count.value);
    }
    return std::nullopt;
  };
  return kernel;
}

}  // namespace tare::sample
