// events_tables.h: the tables of `tare events`.
#pragma once

#include <cstddef>
#include <string>

#include "measure/events/record_blocks.h"
#include "measure/events/trace_summary.h"
#include "report/document.h"

namespace tare::cli {

struct EventsView {
  std::size_t top = 15;   // rows of lists; 0: all
  bool correct = false;   // show spans without the cost of recording
  bool replaced = false;  // the program replaced itself by another one, which was not recorded
};

// The answer, then the tables `summary`, `functions` and `events`. `name` is the file.
void ShowTrace(const events::TraceSummary& summary, const std::string& name, const EventsView& view,
               report::Document& document);

// What was passed to the command `to`, which ended with `status`.
void ShowPassedOn(const events::Recorded& recorded, const std::string& to, int status,
                  report::Document& document);

}  // namespace tare::cli
