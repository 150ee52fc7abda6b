// dwarf_fuzz.cc: reads arbitrary debug sections.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "binary/dwarf/source_map.h"
#include "binary/elf/elf_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const auto image = elf::ParseElf(std::as_bytes(std::span(data, size)));
  if (!image) return 0;
  const auto map = dwarf::SourceMap::Read(*image);
  if (!map) {
    CHECK(!map.error().message.empty());
    return 0;
  }
  const auto known = [&](dwarf::SourceLine source) {
    return source.file == dwarf::kUnknown || source.file < map->files().size();
  };
  std::uint64_t covered = 0;
  for (const auto& row : map->rows()) {
    CHECK(row.start >= covered && row.start < row.end && row.source.line > 0);
    CHECK(known(row.source));
    CHECK(map->LineAt(row.start) == row.source);
    covered = row.end;
  }
  for (const auto& function : map->functions()) CHECK(known(function.declared));
  for (const auto& concrete : map->concrete()) {
    CHECK(map->FunctionStartingAt(concrete.start) == concrete.function);
    CHECK(concrete.function < map->functions().size());
    (void)map->DeclarationOf(concrete.start);
  }
  for (const auto& call : map->inlined()) {
    CHECK(call.function < map->functions().size() && known(call.call_site) && call.depth > 0);
    CHECK(map->FunctionStartingAt(call.inside).has_value());
    std::uint64_t end = 0;
    for (const auto& range : map->RangesOf(call)) {
      CHECK(range.start >= end && range.start < range.end);
      end = range.end;
    }
    CHECK(end > 0);
  }
  CHECK(map->complete() == map->problems().empty());
  return 0;
}
