// trace_file.h: what the file of a trace has, whichever sampler fills it.
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

// Without channels.
format::SeriesHead MakeHead(const TraceRequest& request, const Pace& pace);

// kUsage when nothing of what is wanted can be had: neither one of the `known` names nor, since the
// program has no counters of its own, anything that will be known later.
Result<void> CheckChoice(const TraceRequest& request, const format::SeriesHead& head,
                         std::span<const std::string> known);

// How the program ended.
void AddEnding(const run::Ended& ended, EndFacts& facts);

// What its own counters tell at the end. `names` are those of all channels that are not software.
void AddSoftware(SoftwareSource& software, const TraceRequest& request,
                 std::vector<std::string> names, EndFacts& facts);

// Leaves the regular records of a sealed file, where it is one that can be written again.
Result<void> ThinOut(const std::filesystem::path& file, const Pace& pace);

bool IsRegularFile(const std::filesystem::path& file);

// Of a program that was never started.
void RemoveSeries(const std::filesystem::path& file);

}  // namespace tare::sample
