// count_choices.cc: unknown names are refused with near ones.
#include "cli/count_choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "base/near_match.h"
#include "base/printable.h"
#include "counters/event_names.h"

namespace tare::cli {
namespace {

std::vector<std::string> Words(const std::string& list) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(list, ',')) {
    words.emplace_back(std::string_view(part));
  }
  return words;
}

}  // namespace

Result<EngineChoice> ChooseEngines(const std::string& list) {
  if (list.empty()) return EngineChoice{{count::Engine::kValgrind, count::Engine::kQemu}, true};
  constexpr auto kKnown = std::to_array<std::string_view>(
      {"valgrind", "qemu", "step", "compiled", "hardware", "kernel"});
  EngineChoice choice;
  for (const std::string& word : Words(list)) {
    const auto engine = count::ParseEngine(word);
    if (word == "hardware" || word == "kernel") {
      choice.events = true;
    } else if (!engine) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--engine {}: one of {} is expected{}", Printable(word),
                              fmt::join(kKnown, ", "), DidYouMean(word, kKnown)));
    } else if (std::ranges::find(choice.engines, *engine) == choice.engines.end()) {
      choice.engines.push_back(*engine);
    }
  }
  return choice;
}

Result<std::vector<count::Metric>> ChooseMetrics(const std::string& given, bool machine_readable) {
  const std::string list = given.empty() && machine_readable ? "all" : given;
  std::vector<count::Metric> metrics;
  std::vector<std::string_view> names;
  for (const count::MetricText& text : count::MetricTable()) {
    names.push_back(text.id);
    if (list == "all" || (list.empty() && text.main)) metrics.push_back(text.metric);
  }
  if (list.empty() || list == "all") return metrics;
  for (const std::string& word : Words(list)) {
    const auto found =
        std::ranges::find(count::MetricTable(), std::string_view(word), &count::MetricText::id);
    if (found == count::MetricTable().end()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--metrics {}: unknown metric; one of {} is "
                              "expected{}",
                              word, fmt::join(names, ", "), DidYouMean(word, names)));
    }
    metrics.push_back(found->metric);
  }
  return metrics;
}

Result<std::vector<counters::ProgramEvent>> ChooseEvents(const std::string& list) {
  std::vector<counters::ProgramEvent> events;
  if (list.empty()) return events;
  for (const std::string& word : Words(list)) {
    TRY(const auto resolved, counters::ResolveEvent(word));
    events.push_back({word, resolved.code,
                      resolved.code.type == PERF_TYPE_SOFTWARE ? counters::EventClass::kSoftware
                                                               : counters::EventClass::kHardware});
  }
  return events;
}

}  // namespace tare::cli
