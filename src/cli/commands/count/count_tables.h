// count_tables.h: counts of several engines as tables of a document.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/count/count_options.h"
#include "cli/commands/count/virtual_tables.h"
#include "measure/count/count_program.h"
#include "report/document.h"

namespace tare::cli {

// A row per engine, a column per metric; mean over the runs, with what is known of its truth.
report::Table CountsTable(const count::CountReport& report, std::span<const count::Metric> metrics);

// A row per engine and metric: mean, standard deviation and coefficient of variation.
report::Table SpreadTable(const count::CountReport& report, std::span<const count::Metric> metrics);

// Each engine's difference to the reference, cause by cause.
report::Table LedgerTable(const count::CountReport& report);

// What the kernel and the processor counted in a run of the program on its own.
report::Table EventsTable(const count::NativeCounts& native);

// One engine's counts in detail; `most` rows, all when it is 0.
report::Table FunctionTable(const count::Tally& tally, std::size_t most,
                            const std::optional<EventColumns>& events = std::nullopt);
report::Table BlockTable(const count::Tally& tally, std::size_t most,
                         const std::optional<EventColumns>& events = std::nullopt);
report::Table OpcodeTable(const count::Tally& tally, std::size_t most);

// "function", "block" or "opcode" of the engine that tells most of it; nothing for other words, and
// where no engine gave counts.
std::optional<report::Table> DetailTable(const std::string& per, const count::CountReport& report,
                                         const Models& models, std::size_t most, bool brief);

// Every caveat of the report, the engines' own included.
std::vector<Caveat> AllCaveats(const count::CountReport& report);

// One paragraph that says what the tables show.
std::string CountSummary(const count::CountReport& report,
                         const std::optional<engine::Region>& region,
                         count::RepConvention convention);

}  // namespace tare::cli
