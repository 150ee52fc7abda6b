// counted_module.h: what a program or library built by tare-cc counts, and what it could.
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
  std::set<std::string> metrics;        // that some translation unit counts
  std::vector<format::Choice> choices;  // by kind, file, line and name; each once
  bool has_names = false;               // was built with names that could be chosen
};

// Of a program, library or object file. Nothing in it is trusted: units and lines that make no
// sense are passed over. Errors as ReadElfFile's, and kIo.
Result<CountedModule> ReadCountedModule(const std::filesystem::path& path);
Result<CountedModule> ParseCountedModule(std::span<const std::byte> bytes);

// Lines as in the section .tare_names, sorted, each once.
std::vector<format::Choice> ParseChoices(std::string_view text);

}  // namespace tare::wrapper
