// compiled_sites.cc: reads the section of counter sites and the exception tables.
#include "measure/engine/compiled_sites.h"

#include <fmt/format.h>

#include "base/byte_reader.h"
#include "binary/decode/decoder.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/unwind_frames.h"
#include "format/counter_sites.h"
#include "format/counters_wire.h"

namespace tare::engine {
namespace {

using Functions = std::map<std::uint64_t, CountedFunction>;

Result<std::map<std::uint64_t, format::UnitBlocks>> UnitsById(
    std::span<const format::UnitBlocks> units) {
  std::map<std::uint64_t, format::UnitBlocks> by_id;
  for (const format::UnitBlocks& unit : units) {
    if (by_id.emplace(unit.unit, unit).second) continue;
    return Fail(ErrorKind::kUnsupported,
                "the module contains the same source file twice, so their counters cannot be "
                "distinguished");
  }
  return by_id;
}

void AddFlags(std::uint32_t flags, std::uint64_t address, code::FlowHints& hints) {
  if ((flags & TARE_SITE_BOTH_ENDS) != 0) hints.calls_may_not_return = true;
  if ((flags & TARE_SITE_NO_RETURN) != 0) hints.no_return.insert(address);
  if ((flags & TARE_SITE_CAME_BACK) != 0) hints.came_back.insert(address);
  if ((flags & TARE_SITE_COMES_BACK) != 0) hints.comes_back.insert(address);
}

// The addresses that increment the counter. If one store became several instructions, only those
// that store count: without optimization, an earlier instruction computes the address.
std::vector<std::uint64_t> StoresOf(const elf::ElfImage& image, decode::Decoder& decoder,
                                    const std::vector<std::uint64_t>& addresses) {
  if (addresses.size() == 1) return addresses;
  std::vector<std::uint64_t> stores;
  for (const std::uint64_t address : addresses) {
    const auto instruction = decoder.TryDecode(image.Code(address, 16), address);
    if (instruction && instruction->stores > 0) stores.push_back(address);
  }
  return stores;
}

Result<void> ReadSites(const elf::ElfImage& image, const elf::Section& section,
                       const std::map<std::uint64_t, format::UnitBlocks>& units,
                       Functions& functions) {
  decode::Decoder decoder(image.architecture());
  TRY(const auto sites, format::ReadCounterSites(section.contents, section.address));
  for (const format::CounterSite& site : sites) {
    const auto unit = units.find(site.unit);
    if (unit == units.end() || site.slot >= unit->second.count) {
      return Fail(ErrorKind::kFormat, "the file is not the one that ran: its counters differ");
    }
    for (const std::uint64_t address : StoresOf(image, decoder, site.addresses)) {
      const elf::Function* function = image.FunctionAt(address);
      if (function == nullptr) continue;
      CountedFunction& counted = functions[function->start];
      counted.function = function;
      counted.sites.push_back({address, unit->second.first + site.slot});
      AddFlags(site.flags, address, counted.hints);
    }
  }
  return {};
}

void AddLandingPads(const elf::ElfImage& image, const elf::ElfFile& file, Functions& functions) {
  const elf::Section* frames = file.FindSection(".eh_frame");
  if (frames == nullptr) return;
  for (const auto& frame : elf::ExceptionFrames(frames->contents, frames->address)) {
    const auto found = functions.find(frame.range.start);
    if (found == functions.end()) continue;
    constexpr std::uint64_t kMaxBytes = 1 << 24;
    found->second.hints.pads =
        elf::LandingPads(image.Code(frame.table, kMaxBytes), frame.table, frame.range.start);
  }
}

}  // namespace

Result<Functions> ReadCountedFunctions(const elf::ElfImage& image,
                                       std::span<const format::UnitBlocks> units) {
  TRY(const auto by_id, UnitsById(units));
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  const elf::Section* section = file.FindSection(TARE_SITES_SECTION);
  if (section == nullptr) {
    return Fail(ErrorKind::kFormat, "it does not state the addresses of its counters");
  }
  Functions functions;
  TRY_VOID(ReadSites(image, *section, by_id, functions));
  AddLandingPads(image, file, functions);
  return functions;
}

}  // namespace tare::engine
