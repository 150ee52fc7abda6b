// trace_facts.h: what a series says of the run that it came from, beside its records.
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
  std::string program;  // the command line
  std::string sampler;  // "observer", "signal" or "instructions"
  std::string machine;  // the one that it ran on, or that was modelled; empty: nobody said
  bool children = false;
  bool automatic = false;  // the interval was found on the way
};

// Known at its end. What was not measured is not there.
struct EndFacts {
  std::optional<int> exit_status;
  std::optional<int> signal;
  bool timed_out = false;
  bool interrupted = false;
  std::optional<std::uint64_t> wall_ns;
  std::optional<std::uint64_t> program_cpu_ns;   // with children that were waited for
  std::optional<std::uint64_t> observer_cpu_ns;  // of this process, for taking records
  std::optional<std::uint64_t> handler_ns;       // in the program, for the signal sampler
  // From the time of a record to its last value: at most, or in the handler on average.
  std::optional<std::uint64_t> reading_ns;
  std::uint64_t taken = 0;         // records, before any were thinned out
  std::uint64_t lost_samples = 0;  // of the signal sampler: its ring was full
  std::uint64_t lost_threads = 0;
  std::uint64_t lost_children = 0;
  std::uint64_t lost_function_calls = 0;
  std::map<std::string, Histogram> histograms;
  std::vector<format::AbsentChannel> absent;  // found out on the way
};

std::vector<format::SeriesFact> ToFacts(const StartFacts& facts);
std::vector<format::SeriesFact> ToFacts(const EndFacts& facts);

// Facts that nobody knows are passed over, and so are values that are none.
StartFacts StartFactsOf(std::span<const format::SeriesFact> facts);
EndFacts EndFactsOf(std::span<const format::SeriesFact> facts);

}  // namespace tare::sample
