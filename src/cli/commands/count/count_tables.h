// count_tables.h: tables of the counts of several engines.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/count/count_options.h"
#include "cli/commands/count/virtual_tables.h"
#include "machine/host/system_files.h"
#include "measure/count/count_program.h"
#include "measure/count/hardware_overcount.h"
#include "measure/count/line_counts.h"
#include "report/document.h"

namespace tare::cli {

// Whether all runs of a usable engine gave the same count.
bool AllSame(const count::EngineCounts& counts, count::Metric metric);

// Runs that agree give an exact count; otherwise the mean with minimum and maximum.
Measured MeanCell(const count::EngineCounts& counts, count::Metric metric);

// The instructions of a usable engine, by its index, minus those of the reference. Exact if every
// run of both gave the same count, and then the total of the ledger; otherwise the difference of
// the means, between the extremes of the runs.
Measured DifferenceFromReference(const count::CountReport& report, std::size_t engine);

// A clause on that difference where runs differ, such as "qemu counts 120 fewer on average, within
// the variation of the runs".
std::string DifferenceOfMeans(const count::CountReport& report, std::size_t engine);

// A row per engine, a column per metric: the mean over the runs with its verdict.
report::Table CountsTable(const count::CountReport& report, std::span<const count::Metric> metrics,
                          double confidence);

// A row per engine and metric: mean, standard deviation and coefficient of variation.
report::Table SpreadTable(const count::CountReport& report, std::span<const count::Metric> metrics);

// Each engine's difference from the reference by cause, in the first run of both; doubtful if other
// runs gave other counts.
report::Table LedgerTable(const count::CountReport& report, count::RepConvention convention);

// The hardware's count of instructions, raw and without what is known to be counted besides
// instructions. Absent without a count or a reference.
struct HardwareCorrection {
  Measured raw;
  count::CorrectedCount count;
};
std::optional<HardwareCorrection> CorrectedHardware(const count::CountReport& report,
                                                    count::RepConvention convention,
                                                    double confidence);

// The kernel and hardware events of the native runs: mean, standard deviation and coefficient of
// variation.
report::Table EventsTable(const count::CountReport& report, count::RepConvention convention,
                          double confidence);

// Cycles per instruction and instructions per cycle, by the hardware and of `processor`, which the
// virtual engine modelled.
report::Table CyclesTable(const count::CountReport& report,
                          const std::optional<model::Processor>& processor, double confidence);

// Clock frequency from cycles and time beside the stated one, and the rate of interrupts.
report::Table RatesTable(const count::CountReport& report, std::optional<double> stated_mhz,
                         double confidence);

// The frequency that the system or the processor's name states; absent: neither does.
std::optional<double> StatedMhz(const host::SystemFiles& files);

// Whether a row of CyclesTable has numbers.
bool HasCycles(const report::Table& table);

// One engine's counts in detail; at most `max_rows` rows, 0: all.
report::Table FunctionTable(const count::Tally& tally, std::size_t max_rows,
                            const std::optional<EventColumns>& events = std::nullopt);
report::Table BlockTable(const count::Tally& tally, std::size_t max_rows,
                         const std::optional<EventColumns>& events = std::nullopt);
report::Table OpcodeTable(const count::Tally& tally, std::size_t max_rows);

// With the text of each line, where its file can be read; `brief` cuts it to fit beside the
// numbers.
report::Table LineTable(const count::Tally& tally, const count::LineCounts& lines,
                        std::size_t max_rows, bool brief);

// The lines of one source file in order, executed or not, from the first to the last that ran; with
// `max_rows` other than 0, about so many rows around those that ran most. `file` is a path, or the
// end of one. kNotFound if none of that file ran.
Result<report::Table> SourceTable(const count::Tally& tally, const count::LineCounts& lines,
                                  const std::string& file, bool brief, std::size_t max_rows);

// The tally of the virtual engine, or else of the reference, which must be there.
const count::Tally& DetailedTally(const count::CountReport& report);

// "function", "block" or "opcode" for the most detailed engine. Absent for other words, and if no
// engine gave counts.
std::optional<report::Table> DetailTable(const std::string& per, const count::CountReport& report,
                                         const Models& models, std::size_t max_rows, bool brief);

// Every caveat of the report, including those of the engines.
std::vector<Caveat> AllCaveats(const count::CountReport& report);

// How much of a difference has no known cause: ", 7 of them unexplained".
std::string UnexplainedText(const count::Ledger& ledger);

// One paragraph that summarizes the tables.
std::string CountSummary(const count::CountReport& report,
                         const std::optional<engine::Region>& region,
                         count::RepConvention convention);

}  // namespace tare::cli
