// trace_file.h: the parts of a trace file that are common to all samplers.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/series.h"
#include "measure/run/process.h"
#include "measure/sample/pace.h"
#include "measure/sample/software_source.h"
#include "measure/sample/trace_facts.h"
#include "measure/sample/trace_program.h"

namespace tare::sample {

// The head without channels.
format::SeriesHead MakeHead(const TraceRequest& request, const Pace& pace);

// kUsage if no selected metric exists: none of the `known` names matches, and the program has no
// counters whose names would be known later.
Result<void> CheckSelection(const TraceRequest& request, const format::SeriesHead& head,
                            std::span<const std::string> known);

// Stores how the program ended.
void AddEnding(const run::Ended& ended, EndFacts& facts);

// Stores the results of the program's own counters. `names` are those of all other channels.
void AddSoftware(SoftwareSource& software, const TraceRequest& request,
                 std::vector<std::string> names, EndFacts& facts);

// Keeps only the regular records of a sealed file, if it is a regular file and can be rewritten.
Result<void> ThinOut(const std::filesystem::path& file, const Pace& pace);

// Writes a sealed series that ThinOut leaves alone again, with chunks that do not depend on when
// its records came.
void MakeRepeatable(const std::filesystem::path& file, const Pace& pace);

bool IsRegularFile(const std::filesystem::path& file);

// Removes the file if the program was never started.
void RemoveSeries(const std::filesystem::path& file);

}  // namespace tare::sample
