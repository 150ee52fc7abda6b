// baseline_file.h: stores a baseline in one file for later judgements.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/perturb/signals.h"
#include "base/result.h"

namespace tare::perturb {

// The runs of a baseline and the watched metrics; everything else is derived.
struct StoredBaseline {
  std::string machine;               // on which the runs were made, or that was modelled
  bool varied = false;               // each run had another memory layout
  bool code_moved = false;           // each run had another code placement too
  std::vector<std::string> metrics;  // as in BaselineOptions
  std::vector<TraceSignals> runs;
};

// JSON (docs/formats/baseline.md), replaced atomically.
Result<void> WriteBaseline(const std::filesystem::path& file, const StoredBaseline& baseline);

// kFormat for another kind or version, text in place of numbers, or signals of different lengths.
Result<StoredBaseline> ReadBaseline(const std::filesystem::path& file);
Result<StoredBaseline> ParseBaseline(std::string_view text);

}  // namespace tare::perturb
