// source_map.cc: queries of a source map, and reading one.
#include "binary/dwarf/source_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/printable.h"
#include "binary/dwarf/debug_file.h"
#include "binary/dwarf/source_map_builder.h"

namespace tare::dwarf {

Result<SourceMap> SourceMap::Read(const elf::ElfImage& image) {
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  return SourceMapBuilder::Build(file);
}

Result<SourceMap> SourceMap::ReadFile(const std::filesystem::path& path) {
  TRY(const auto debug, OpenDebugFile(path));
  auto map = SourceMapBuilder::Build(debug.file);
  if (!map)
    return Fail(map.error().kind,
                fmt::format("{}: {}", Printable(path.string()), map.error().message));
  return map;
}

std::optional<SourceLine> SourceMap::LineAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(rows_, address, {}, &LineRow::start);
  if (after == rows_.begin() || address >= std::prev(after)->end) return std::nullopt;
  return std::prev(after)->source;
}

std::span<const AddressRange> SourceMap::RangesOf(const InlinedCall& call) const {
  CHECK(call.first_range <= ranges_.size() &&
        call.range_count <= ranges_.size() - call.first_range);
  return std::span(ranges_).subspan(call.first_range, call.range_count);
}

std::optional<std::uint32_t> SourceMap::FunctionStartingAt(std::uint64_t start) const {
  const auto found = std::ranges::lower_bound(concrete_, start, {}, &ConcreteFunction::start);
  if (found == concrete_.end() || found->start != start) return std::nullopt;
  return found->function;
}

std::optional<SourceLine> SourceMap::DeclarationOf(std::uint64_t start) const {
  const auto function = FunctionStartingAt(start);
  if (!function) return std::nullopt;
  const SourceLine declared = functions_[*function].declared;
  if (declared.file == kUnknown || declared.line == 0) return std::nullopt;
  return declared;
}

}  // namespace tare::dwarf
