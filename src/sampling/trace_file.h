// trace_file.h: what the file of a trace has, whichever sampler fills it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/process.h"
#include "sampling/pace.h"
#include "sampling/software_source.h"
#include "sampling/trace_facts.h"
#include "sampling/trace_program.h"
#include "trace/series.h"

namespace tare::sampling {

// Without channels.
trace::SeriesHead MakeHead(const TraceRequest& request, const Pace& pace);

// kUsage when nothing of what is wanted can be had: neither one of the `known` names nor, since the
// program has no counters of its own, anything that will be known later.
Result<void> CheckChoice(const TraceRequest& request, const trace::SeriesHead& head,
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

}  // namespace tare::sampling
