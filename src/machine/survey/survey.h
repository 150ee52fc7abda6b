// survey.h: measures this machine from end to end into a profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "machine/host/machine.h"
#include "machine/microbenchmark/buffer.h"
#include "machine/profile/machine_profile.h"

namespace tare::survey {

enum class Prefetch { kAsIs, kOff };

struct SurveyConfig {
  std::string name;
  bool quick = false;
  std::optional<unsigned> core;  // none: the last that may be used
  microbenchmark::Pages pages = microbenchmark::Pages::kSystem;
  Prefetch prefetch = Prefetch::kAsIs;
  std::optional<std::uint64_t> max_bytes;  // largest working set
  bool gpu = false;
  std::uint64_t seed = 1;
  // Where the work is kept that is done already; a survey that was stopped goes on from there. It
  // is for the caller to remove, once the profile is stored.
  std::filesystem::path unfinished;
};

// Refuses working sets that memory cannot hold. When `progress` asks to stop, what was measured is
// kept in `unfinished` and the message says so.
Result<machine_profile::Profile> Survey(const SurveyConfig& config, const host::Machine& machine,
                                        const Progress& progress);

}  // namespace tare::survey
