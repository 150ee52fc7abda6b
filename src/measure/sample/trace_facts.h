// trace_facts.h: the metadata of a series: facts about the run that it came from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/series.h"
#include "measure/sample/software_channels.h"

namespace tare::sample {

// Known when the program starts.
struct StartFacts {
  std::string program;  // command line
  std::string sampler;  // "observer", "signal" or "instructions"
  std::string machine;  // that it ran on or that was modelled; empty: unknown
  bool children = false;
  bool automatic = false;  // the interval was adapted during the run
};

// Known when the program has ended. What was not measured is absent.
struct EndFacts {
  std::optional<int> exit_status;
  std::optional<int> signal;
  bool timed_out = false;
  bool interrupted = false;
  std::optional<std::uint64_t> wall_ns;
  std::optional<std::uint64_t> program_cpu_ns;   // including children that were waited for
  std::optional<std::uint64_t> observer_cpu_ns;  // of this process, for taking records
  std::optional<std::uint64_t> handler_ns;       // in the program, for the signal sampler
  // From the time stamp of a record to its last value: the maximum, or the mean in the signal
  // handler.
  std::optional<std::uint64_t> reading_ns;
  std::uint64_t taken = 0;         // records before thinning
  std::uint64_t lost_samples = 0;  // of the signal sampler, because its ring was full
  std::uint64_t lost_threads = 0;
  std::uint64_t lost_children = 0;
  std::uint64_t lost_function_calls = 0;
  std::map<std::string, Histogram> histograms;
  std::vector<format::AbsentChannel> absent;  // known only at the end
};

std::vector<format::SeriesFact> ToFacts(const StartFacts& facts);
std::vector<format::SeriesFact> ToFacts(const EndFacts& facts);

// Ignore unknown facts and values that do not parse.
StartFacts StartFactsOf(std::span<const format::SeriesFact> facts);
EndFacts EndFactsOf(std::span<const format::SeriesFact> facts);

}  // namespace tare::sample
