// count_options.cc: parses names and rejects unknown ones with suggestions.
#include "cli/commands/count/count_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <ranges>

#include "base/near_match.h"
#include "base/printable.h"
#include "binary/decode/architecture.h"
#include "cli/machine_profiles.h"
#include "compiler/metrics/metrics_file.h"
#include "machine/host/conditions.h"
#include "machine/host/host_processor.h"
#include "machine/pmu/named_events.h"
#include "model/core/processor_file.h"

namespace tare::cli {
namespace {

std::vector<std::string> Words(const std::string& list) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(list, ',')) {
    words.emplace_back(std::string_view(part));
  }
  return words;
}

// "arm-neoverse-v1" for "Arm Neoverse V1".
std::string AsDescriptionName(std::string_view model) {
  std::string name;
  for (const char letter : model) {
    name += std::isalnum(static_cast<unsigned char>(letter)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter)))
                : '-';
  }
  return name;
}

std::string ThisProcessor() {
  const auto processor = host::ReadProcessor(host::SystemFiles{});
  if (!processor || processor->models.empty()) return "";
  return processor->models.front().name;
}

Result<model::Processor> ProcessorOfThisMachine() {
  const auto directories = ProcessorDirectories();
  const std::string model = ThisProcessor();
  const std::string own = AsDescriptionName(model);
  for (const model::NamedProcessor& named : model::ListProcessors(directories)) {
    if (own == named.name || own.ends_with("-" + named.name)) {
      return model::FindProcessor(named.name, directories, {});
    }
  }
  const char* near = decode::HostArchitecture() == decode::Architecture::kX86_64 ? "skylake-server"
                                                                                 : "neoverse-v1";
  TRY(auto processor, model::FindProcessor(near, directories, {}));
  processor.assumed.push_back(
      fmt::format("{} is used, because there is no description of this machine's processor{}", near,
                  model.empty() ? "" : " (" + Printable(model) + ")"));
  return processor;
}

Result<const model::EventText*> SortingOf(const std::string& name) {
  if (name.empty()) return nullptr;
  const auto found =
      std::ranges::find(model::EventTable(), std::string_view(name), &model::EventText::id);
  if (found != model::EventTable().end()) return &*found;
  std::vector<std::string_view> names;
  for (const model::EventText& text : model::EventTable()) names.push_back(text.id);
  return Fail(ErrorKind::kUsage, fmt::format("--sort {}: expected one of {}{}", Printable(name),
                                             fmt::join(names, ", "), DidYouMean(name, names)));
}

}  // namespace

Result<model::Processor> ChooseProcessor(const std::string& word, bool large_pages) {
  auto found = word.empty()
                   ? ProcessorOfThisMachine()
                   : model::FindProcessor(word, ProcessorDirectories(), ProfileDirectories());
  if (!found && word.empty()) return std::unexpected(std::move(found).error());
  if (!found) return Fail(found.error().kind, "--machine: " + found.error().message);
  if (large_pages) found->page_bytes = model::kLargePage;
  TRY_VOID(model::Validate(*found));
  return found;
}

namespace {

// The processors after the first.
Result<void> ChooseOthers(const ModelOptions& options, Models& models) {
  if (!options.change.empty()) {
    if (options.machines.size() > 1) {
      return Fail(ErrorKind::kUsage, "--change takes one --machine");
    }
    auto changed = model::ChangesOf(options.change, *models.processor);
    if (!changed) return Fail(changed.error().kind, "--change: " + changed.error().message);
    models.others = *std::move(changed);
    models.changes = true;
    return {};
  }
  for (std::size_t i = 1; i < options.machines.size(); ++i) {
    TRY(auto processor, ChooseProcessor(options.machines[i], options.large_pages));
    std::string name = processor.name;
    models.others.processors.push_back({std::move(name), 0, std::move(processor)});
  }
  return {};
}

}  // namespace

Result<Models> ChooseModels(const ModelOptions& options, std::span<const engine::Engine> engines) {
  const auto runs = [engines](engine::Engine engine) {
    return std::ranges::find(engines, engine) != engines.end();
  };
  Models models;
  const std::string first = options.machines.empty() ? std::string() : options.machines.front();
  models.compiled_streams = runs(engine::Engine::kCompiled) && !first.empty();
  if (!runs(engine::Engine::kVirtual) && !models.compiled_streams) {
    const bool none = first.empty() && options.sort.empty() && options.change.empty();
    if (none && !options.large_pages) return models;
    return Fail(ErrorKind::kUsage,
                "--machine, --change, --large-pages and --sort need a model: add --engine virtual");
  }
  TRY(models.sorted_by, SortingOf(options.sort));
  TRY(models.processor, ChooseProcessor(first, options.large_pages));
  TRY_VOID(ChooseOthers(options, models));
  if (!models.others.processors.empty() && !runs(engine::Engine::kVirtual)) {
    return Fail(ErrorKind::kUsage, "several processors need --engine virtual");
  }
  return models;
}

Result<EngineSelection> ChooseEngines(const std::string& list) {
  if (list.empty())
    return EngineSelection{{engine::Engine::kValgrind, engine::Engine::kQemu}, true, true};
  std::vector<std::string_view> known;
  for (const engine::EngineRow& row : engine::EngineTable()) known.push_back(row.name);
  EngineSelection selection;
  for (const std::string& word : Words(list)) {
    const auto engine = engine::ParseEngine(word);
    if (!engine) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--engine {}: expected one of {}{}", Printable(word),
                              fmt::join(known, ", "), DidYouMean(word, known)));
    }
    if (!engine::Row(*engine).sees_instructions) {
      selection.events = true;
      selection.hardware = selection.hardware || *engine == engine::Engine::kHardware;
    } else if (std::ranges::find(selection.engines, *engine) == selection.engines.end()) {
      selection.engines.push_back(*engine);
    }
  }
  return selection;
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
                  fmt::format("--metrics {}: unknown metric; expected one of {}{}", word,
                              fmt::join(names, ", "), DidYouMean(word, names)));
    }
    metrics.push_back(found->metric);
  }
  return metrics;
}

namespace {

// The names of a list; "@FILE" gives the events of that metrics file.
Result<std::vector<std::string>> EventNames(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string& word : Words(list)) {
    if (!word.starts_with('@')) {
      names.push_back(word);
      continue;
    }
    TRY(const auto file, metrics::ReadMetrics(word.substr(1)));
    if (file.events.empty()) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("--event {}: the file has no list of events", Printable(word)));
    }
    names.insert(names.end(), file.events.begin(), file.events.end());
  }
  return names;
}

}  // namespace

Result<std::vector<pmu::ProgramEvent>> SelectEvents(const std::string& list) {
  std::vector<pmu::ProgramEvent> events;
  if (list.empty()) return events;
  const auto permissions = pmu::PermissionsOf(host::ReadConditions({}, {}));
  TRY(const auto names, EventNames(list));
  for (const std::string& name : names) {
    TRY(auto event, pmu::EventByName(name, permissions));
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace tare::cli
