// survey.h: measuring a complete profile of this machine.
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
  std::optional<unsigned> core;  // none: the last one that may be used
  microbenchmark::Pages pages = microbenchmark::Pages::kSystem;
  Prefetch prefetch = Prefetch::kAsIs;
  std::optional<std::uint64_t> max_bytes;  // largest working set
  bool gpu = false;
  std::uint64_t seed = 1;
  // The file for completed work, from which an interrupted survey continues. The caller removes it
  // once the profile is stored.
  std::filesystem::path unfinished;
};

// Rejects working sets that do not fit into memory. When `progress` requests a stop, the completed
// work is stored in `unfinished` and the message says so.
Result<machine_profile::Profile> Survey(const SurveyConfig& config, const host::Machine& machine,
                                        const Progress& progress);

}  // namespace tare::survey
