// tare_reader.cc: tare's own readers.
#include <unordered_map>

#include "base/file.h"
#include "binary/decode/decoder.h"
#include "binary/decode/register_effect.h"
#include "binary/dwarf/debug_file.h"
#include "binary/dwarf/function_entries.h"
#include "binary/dwarf/line_program.h"
#include "binary/dwarf/source_map.h"
#include "binary/elf/symbol_table.h"
#include "code.h"
#include "reader.h"

namespace readers {
namespace {

using namespace tare;

std::uint64_t Symbols(const std::string& path, Listing* listing) {
  const auto opened = dwarf::OpenDebugFile(path);
  if (!opened) return 0;
  const auto symbols = elf::ReadSymbols(opened->file);
  std::uint64_t count = 0;
  for (const auto& one : symbols.code) {
    if (!one.typed) continue;
    ++count;
    if (listing != nullptr)
      listing->Add(
          Symbol{one.name, one.address, one.size, one.dynamic, one.exported, one.weak, one.ifunc});
  }
  return count;
}

std::string PathOf(const dwarf::SourceMap& map, std::uint32_t file) {
  return file == dwarf::kUnknown ? "" : Normal(map.files()[file]);
}

std::uint64_t ListLines(const std::string& path, Listing& listing) {
  const auto map = dwarf::SourceMap::ReadFile(path);
  if (!map) return 0;
  for (const auto& row : map->rows())
    listing.AddSequence({{row.start, PathOf(*map, row.source.file), row.source.line}}, row.end);
  return map->rows().size();
}

std::uint64_t ListFunctions(const std::string& path, Listing& listing) {
  const auto map = dwarf::SourceMap::ReadFile(path);
  if (!map) return 0;
  for (const auto& one : map->concrete())
    listing.AddConcrete(map->functions()[one.function].name, {{one.start, one.start + 1}}, {});
  for (const auto& call : map->inlined()) {
    const auto ranges = map->RangesOf(call);
    listing.Add(Inlined{call.inside,
                        call.depth,
                        map->functions()[call.function].name,
                        PathOf(*map, call.call_site.file),
                        call.call_site.line,
                        {ranges.begin(), ranges.end()}});
  }
  return map->inlined().size();
}

std::vector<dwarf::Unit> UnitsOf(const dwarf::DebugSections& sections,
                                 dwarf::AbbreviationTables& tables) {
  std::vector<std::string> problems;
  return dwarf::ReadUnits(sections, tables, problems);
}

// Without a listing: only the line programs, on one thread, not merged.
std::uint64_t Lines(const std::string& path, Listing* listing) {
  if (listing != nullptr) return ListLines(path, *listing);
  const auto opened = dwarf::OpenDebugFile(path);
  if (!opened) return 0;
  const dwarf::DebugSections sections(opened->file);
  dwarf::AbbreviationTables tables(sections.abbrev);
  std::uint64_t rows = 0;
  for (const auto& unit : UnitsOf(sections, tables))
    if (unit.line_program != dwarf::kNowhere)
      rows += dwarf::ReadLineProgram(sections, unit).starts.size();
  return rows;
}

std::uint64_t Functions(const std::string& path, Listing* listing) {
  if (listing != nullptr) return ListFunctions(path, *listing);
  const auto opened = dwarf::OpenDebugFile(path);
  if (!opened) return 0;
  const dwarf::DebugSections sections(opened->file);
  dwarf::AbbreviationTables tables(sections.abbrev);
  const auto units = UnitsOf(sections, tables);
  std::uint64_t count = 0;
  for (const auto& unit : units) {
    const auto found = dwarf::ReadFunctions(sections, units, unit);
    count += found.concrete.size() + found.inlined.size();
  }
  return count;
}

std::uint64_t SourceMap(const std::string& path, Listing*) {
  const auto map = dwarf::SourceMap::ReadFile(path);
  return map ? map->rows().size() + map->concrete().size() + map->inlined().size() : 0;
}

std::string_view BranchName(decode::BranchKind kind) {
  switch (kind) {
    case decode::BranchKind::kNone:
      return "none";
    case decode::BranchKind::kConditional:
      return "conditional";
    case decode::BranchKind::kJump:
      return "jump";
    case decode::BranchKind::kIndirectJump:
      return "indirect-jump";
    case decode::BranchKind::kCall:
      return "call";
    case decode::BranchKind::kIndirectCall:
      return "indirect-call";
    case decode::BranchKind::kReturn:
      return "return";
  }
  return "?";
}

std::uint64_t Decode(const std::string& path, Listing* listing, bool with_registers) {
  const Code code = ReadCode(path);
  decode::Decoder decoder(code.architecture);
  return DecodeAll(code, listing, [&](std::span<const std::byte> bytes, std::uint64_t address) {
    InstructionFact fact;
    const auto it = decoder.TryDecode(bytes, address);
    if (!it) return fact;
    fact.length = it->length;
    fact.branch = BranchName(it->branch);
    fact.target = it->target;
    fact.loads = it->loads > 0;
    fact.stores = it->stores > 0;
    fact.load_bytes = it->load_bytes;
    fact.store_bytes = it->store_bytes;
    const bool calls =
        it->branch == decode::BranchKind::kCall || it->branch == decode::BranchKind::kIndirectCall;
    if (with_registers && !calls) {
      const auto effect = decode::EffectOf(code.architecture, bytes, address);
      fact.written = effect.also | (effect.to < 32 ? std::uint64_t{1} << effect.to : 0);
    }
    if (listing != nullptr) fact.name = decode::MnemonicName(code.architecture, it->mnemonic);
    return fact;
  });
}

std::uint64_t Instructions(const std::string& path, Listing* listing) {
  return Decode(path, listing, false);
}

std::uint64_t Registers(const std::string& path, Listing* listing) {
  return Decode(path, listing, true);
}

}  // namespace
}  // namespace readers

int main(int argc, char** argv) {
  using namespace readers;
  return RunReader({Symbols, Lines, Functions, Instructions, Registers, SourceMap}, argc, argv);
}
