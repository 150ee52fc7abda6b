// machine_counts.h: events of one program on several modelled processors.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/count/count_options.h"
#include "measure/count/count_program.h"
#include "report/document.h"

namespace tare::cli {

struct MachineCount {
  std::string name;
  double x = 0;  // value of the ranged quantity
  const model::Processor* processor = nullptr;
  count::EngineCounts counts;
};

// Counts again under the virtual engine for each further processor of `models`, once each. The
// first row is that of `report`.
Result<std::vector<MachineCount>> CountMachines(const count::CountRequest& request,
                                                const Models& models,
                                                const count::CountReport& report,
                                                count::Images& images, const Progress& progress);

// An answer, the table `machines` and, for a range, the plot `change`.
void AddMachineCounts(const std::vector<MachineCount>& machines, const Models& models, bool all,
                      report::Document& document);

}  // namespace tare::cli
