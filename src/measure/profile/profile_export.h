// profile_export.h: profiles in the formats of other tools.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "format/sampled_profile.h"

namespace tare::profile {

// One line per call chain, outermost function first: "main;sort;compare 12". Brendan Gregg's
// FlameGraph and speedscope read it.
std::string ToFolded(const format::SampledProfile& profile);

// JSON of speedscope.app: each thread over time.
std::string ToSpeedscope(const format::SampledProfile& profile);

// pprof's profile.proto, compressed by gzip: `go tool pprof`, and services that accept pprof.
Result<std::string> ToPprof(const format::SampledProfile& profile);

// Costs by line and calls between functions: callgrind_annotate and KCachegrind.
std::string ToCallgrind(const format::SampledProfile& profile);

// A file that `perf report` and `perf script` read.
std::string ToPerfData(const format::SampledProfile& profile);

}  // namespace tare::profile
