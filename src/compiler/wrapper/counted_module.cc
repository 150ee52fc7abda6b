// counted_module.cc: reads the sections tare_units and .tare_names.
#include "compiler/wrapper/counted_module.h"

#include <algorithm>
#include <tuple>

#include "base/byte_reader.h"
#include "base/file.h"
#include "binary/elf/elf_file.h"
#include "format/counters_wire.h"

namespace tare::wrapper {
namespace {

constexpr std::uint64_t kMaxModuleBytes = std::uint64_t{1} << 34;

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A metric has its own line or, if it is counted at function entry, an entry line.
void AddMetrics(std::string_view text, std::set<std::string>& metrics) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view kind = line.substr(0, tab);
    if (kind != "metric" && kind != "entry") continue;
    line.remove_prefix(tab + 1);
    metrics.emplace(line.substr(0, line.find('\t')));
  }
}

// Units are contiguous, but the linker may insert zeros between them.
void ReadUnits(std::span<const std::byte> section, std::set<std::string>& metrics) {
  ByteReader reader(section);
  while (reader.Remaining() >= sizeof(tare_counters_unit)) {
    const std::size_t start = reader.Position();
    const auto unit = reader.Read<tare_counters_unit>();
    if (!unit) return;
    if (unit->size == 0) {
      if (!reader.Seek(start + sizeof(std::uint64_t))) return;
      continue;
    }
    const auto text = reader.Take(unit->text_bytes);
    if (!text || unit->size < sizeof(tare_counters_unit)) return;
    AddMetrics(AsText(*text), metrics);
    if (unit->size > section.size() - start || !reader.Seek(start + unit->size)) return;
  }
}

}  // namespace

std::vector<format::Candidate> ParseCandidates(std::string_view text) {
  std::vector<format::Candidate> candidates;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of('\0'), line.size()));
    if (auto candidate = format::ParseCandidateLine(line))
      candidates.push_back(std::move(*candidate));
  }
  const auto key = [](const format::Candidate& candidate) {
    return std::tuple(candidate.kind, std::string_view(candidate.file), candidate.line,
                      std::string_view(candidate.name), std::string_view(candidate.detail));
  };
  std::ranges::sort(candidates, {}, key);
  const auto doubled = std::ranges::unique(candidates, {}, key);
  candidates.erase(doubled.begin(), doubled.end());
  return candidates;
}

Result<CountedModule> ParseCountedModule(std::span<const std::byte> bytes) {
  TRY(const elf::ElfFile file, elf::ReadElfFile(bytes));
  CountedModule module;
  const bool has_interpreter = std::ranges::any_of(
      file.program_headers, [](const Elf64_Phdr& header) { return header.p_type == PT_INTERP; });
  const bool is_program = file.header.e_type == ET_EXEC || has_interpreter ||
                          (file.Dynamic(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
  module.is_library = file.header.e_type == ET_DYN && !is_program;
  if (const auto* units = file.FindSection(TARE_UNITS_SECTION)) {
    ReadUnits(units->contents, module.metrics);
  }
  if (const auto* names = file.FindSection(TARE_NAMES_SECTION)) {
    module.has_names = true;
    module.candidates = ParseCandidates(AsText(names->contents));
  }
  return module;
}

Result<CountedModule> ReadCountedModule(const std::filesystem::path& path) {
  TRY(const std::string bytes, ReadFile(path, kMaxModuleBytes));
  return ParseCountedModule(std::as_bytes(std::span(bytes)));
}

}  // namespace tare::wrapper
