// counted_module.h: what a program or library built by tare-cc counts, and what it could count.
#pragma once

#include <cstddef>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "format/instrument_plan.h"

namespace tare::wrapper {

struct CountedModule {
  bool is_library = false;
  std::set<std::string> metrics;              // counted by some translation unit
  std::vector<format::Candidate> candidates;  // ordered by kind, file, line and name; unique
  bool has_names = false;                     // built with the names that metrics can select
};

// Reads a program, library or object file. Trusts nothing in it: malformed units and lines are
// skipped. Fails like ReadElfFile, or with kIo.
Result<CountedModule> ReadCountedModule(const std::filesystem::path& path);
Result<CountedModule> ParseCountedModule(std::span<const std::byte> bytes);

// Parses lines as in section .tare_names; the result is sorted and unique.
std::vector<format::Candidate> ParseCandidates(std::string_view text);

}  // namespace tare::wrapper
