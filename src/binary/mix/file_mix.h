// file_mix.h: a binary with its code and debug information, as the analyses here need it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/progress.h"
#include "base/result.h"
#include "binary/code/program_code.h"
#include "binary/dwarf/source_map.h"

namespace tare::mix {

// Instructions per category, in the order of decode::Category.
using Counts = std::array<std::uint64_t, decode::kCategories>;

std::uint64_t Sum(const Counts& counts);
void Add(const code::CategoryMix& mix, Counts& counts);

struct FileMix {
  std::filesystem::path path;
  // On the heap, because the other members refer to them.
  std::unique_ptr<elf::ElfImage> image;
  std::unique_ptr<code::ProgramCode> code;
  std::optional<dwarf::SourceMap> sources;
  std::string no_sources;  // why there are none
};

// Reads debug information when `with_sources`; its absence is no error.
Result<FileMix> ReadFileMix(const std::filesystem::path& path, bool with_sources,
                            const Progress& progress);

// A function's name for output, demangled and printable.
std::string ShownName(const std::string& name);

// Whether the file has no symbol for the function, so that its name is its address.
bool IsNameless(const elf::Function& function);

// The function of that name, mangled or demangled; main when the name is empty.
Result<std::uint32_t> FindRoot(const FileMix& file, const std::string& name);

Counts SumOf(const code::ProgramCode& code, std::span<const std::uint32_t> functions);

// The functions reachable from one, each counted once. `possible` also follows virtual tables,
// pointer tables and addresses that the code takes.
struct Inclusive {
  Counts certain = {};
  Counts possible = {};
  std::size_t functions_certain = 0;
  std::size_t functions_possible = 0;
  std::size_t imports = 0;     // functions of other files that may be called
  std::size_t unresolved = 0;  // unresolved indirect calls in these functions
};

Inclusive InclusiveOf(const code::ProgramCode& code, std::uint32_t root);

}  // namespace tare::mix
