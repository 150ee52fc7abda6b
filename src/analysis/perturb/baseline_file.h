// baseline_file.h: a baseline in one file, for later judgements.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/perturb/signals.h"
#include "base/result.h"

namespace tare::perturb {

// What is kept of a baseline: its runs, and what is watched in them. Everything else follows.
struct StoredBaseline {
  std::string machine;               // that the runs were on, or that was modelled
  bool varied = false;               // memory was laid out otherwise in each run
  bool code_moved = false;           // and so was code
  std::vector<std::string> metrics;  // as in BaselineOptions
  std::vector<TraceSignals> runs;
};

// JSON (docs/formats/baseline.md), replaced atomically.
Result<void> WriteBaseline(const std::filesystem::path& file, const StoredBaseline& baseline);

// kFormat, with a sentence, for another kind or format, text for numbers, signals of different
// lengths.
Result<StoredBaseline> ReadBaseline(const std::filesystem::path& file);
Result<StoredBaseline> ParseBaseline(std::string_view text, std::string_view name);

}  // namespace tare::perturb
