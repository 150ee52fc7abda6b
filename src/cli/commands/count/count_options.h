// count_options.h: parses lists of names as engines, metrics and events.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/pmu/program_events.h"
#include "measure/count/instruction_metric.h"
#include "measure/engine/engine_run.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/processor_change.h"

namespace tare::cli {

struct EngineSelection {
  std::vector<engine::Engine> engines;
  bool events = false;
  bool hardware = false;  // events of the processor are among them
};

// Comma-separated names; an empty list gives all fast engines.
Result<EngineSelection> ChooseEngines(const std::string& list);

// "all", or comma-separated names. By default machine-readable output has all metrics, text those
// that fit.
Result<std::vector<count::Metric>> ChooseMetrics(const std::string& given, bool machine_readable);

// The processor that the virtual engine models: a description or a machine profile, by name or
// path. If `word` is empty, the description of this machine's processor or, if there is none, a
// typical one of its architecture; Processor::assumed then says so.
Result<model::Processor> ChooseProcessor(const std::string& word, bool large_pages = false);

// Options of the virtual engine.
struct ModelOptions {
  std::vector<std::string> machines;
  std::string change;
  std::string sort;
  bool large_pages = false;
};

struct Models {
  std::optional<model::Processor> processor;    // absent: nothing is modelled
  model::ProcessorRange others;                 // further processors, to count on one by one
  bool changes = false;                         // they are changes of the first
  bool compiled_streams = false;                // the compiled engine feeds the models too
  const model::EventText* sorted_by = nullptr;  // null: by instructions
};

// kUsage for options that no engine of the list supports.
Result<Models> ChooseModels(const ModelOptions& options, std::span<const engine::Engine> engines);

// Portable names, names of libpfm4 or of the kernel; "@FILE": those that a metrics file lists.
Result<std::vector<pmu::ProgramEvent>> SelectEvents(const std::string& list);

}  // namespace tare::cli
