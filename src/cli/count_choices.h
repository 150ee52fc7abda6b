// count_choices.h: lists of names on the command line as engines, metrics and events.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "count/engine_run.h"
#include "count/metric.h"
#include "counters/program_events.h"

namespace tare::cli {

struct EngineChoice {
  std::vector<count::Engine> engines;
  bool events = false;
};

// Names with commas. All that are quick when the list is empty.
Result<EngineChoice> ChooseEngines(const std::string& list);

// "all", or names with commas. Scripts get everything unless they ask for less; people get what
// fits.
Result<std::vector<count::Metric>> ChooseMetrics(const std::string& given, bool machine_readable);

// Names of libpfm4 or of the kernel.
Result<std::vector<counters::ProgramEvent>> ChooseEvents(const std::string& list);

}  // namespace tare::cli
