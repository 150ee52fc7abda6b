// trace_options.cc: intervals, numbers of records and samplers.
#include "cli/commands/trace/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands/count/count_options.h"
#include "cli/provenance.h"

namespace tare::cli {
namespace {

Result<sample::PaceRequest> PaceOf(const TraceOptions& options) {
  constexpr double kLongest = 86400;
  sample::PaceRequest pace;
  if (options.interval && options.records) {
    return Fail(ErrorKind::kUsage, "--interval and --records cannot be combined; choose one");
  }
  if (options.interval) {
    const double ns = std::round(std::min(options.interval->seconds, kLongest) * 1e9);
    if (ns < 1e4 || options.interval->seconds > kLongest) {
      return Fail(ErrorKind::kUsage, "--interval: expected a time from 10us to 24h");
    }
    pace.interval_ns = static_cast<std::uint64_t>(ns);
  }
  const std::int64_t records = options.records.value_or(3000);
  if (records < 10 || records > 1'000'000) {
    return Fail(ErrorKind::kUsage, fmt::format("--records {}: expected 10 to 1000000", records));
  }
  pace.records = static_cast<std::uint64_t>(records);
  return pace;
}

sample::Sampler SamplerOf(const TraceOptions& options) {
  if (options.sampler == "signal") return sample::Sampler::kSignal;
  if (options.sampler == "instructions") return sample::Sampler::kInstructions;
  return sample::Sampler::kObserver;
}

}  // namespace

Result<void> ChooseSampler(const TraceOptions& options, sample::TraceRequest& request) {
  TRY(request.pace, PaceOf(options));
  request.sampler = SamplerOf(options);
  request.machine = ThisMachine().machine;
  TRY(request.events, SelectEvents(options.events));
  if (!request.events.empty() && request.sampler == sample::Sampler::kInstructions) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--event requires --sampler {}: a model has no such events",
                            options.event_samplers));
  }
  if (request.sampler != sample::Sampler::kInstructions) {
    if (!options.every && options.machine.empty()) return {};
    return Fail(ErrorKind::kUsage, "--every and --machine require --sampler instructions");
  }
  if (options.interval) {
    return Fail(ErrorKind::kUsage,
                "--sampler instructions has no clock; use --every instead of --interval");
  }
  if (options.every && options.records) {
    return Fail(ErrorKind::kUsage, "--every and --records cannot be combined; choose one");
  }
  if (options.every && (*options.every < 1000 || *options.every > 1'000'000'000'000)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("--every {}: expected 1000 to 1000000000000", *options.every));
  }
  // The unit of the interval is instructions here, not nanoseconds. Small programs have few.
  request.pace.finest_ns = 10'000;
  if (options.every) request.pace.interval_ns = static_cast<std::uint64_t>(*options.every);
  TRY(request.processor, ChooseProcessor(options.machine));
  request.engines = host::FindEngineFiles();
  return {};
}

std::vector<std::string> SourcesOf(const sample::TraceRequest& request) {
  if (request.sampler == sample::Sampler::kInstructions) return {"virtual"};
  return {"hardware", "kernel"};
}

}  // namespace tare::cli
