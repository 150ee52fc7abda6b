// stream_module.cc: joins the descriptions of a module's stretches with their addresses.
#include "model/vpmu/stream_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/special_file.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"
#include "format/counter_sites.h"

namespace tare::vpmu {
namespace {

// Addresses by unit and number; the lowest if there are several instructions.
Result<std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>> ReadSites(
    const elf::Section& section) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> addresses;
  TRY(const auto sites, format::ReadCounterSites(section.contents, section.address));
  for (const format::CounterSite& site : sites) {
    const std::uint64_t address = std::ranges::min(site.addresses);
    const auto known = addresses.try_emplace({site.unit, site.slot}, address).first;
    known->second = std::min(known->second, address);
  }
  return addresses;
}

}  // namespace

Result<StreamModule> ReadStreamModule(const std::string& path, bool addresses) {
  TRY(const auto image, elf::OpenElf(path));
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  const elf::Section* const section = file.FindSection(TARE_STREAM_SECTION);
  if (section == nullptr)
    return Fail(
        ErrorKind::kFormat,
        fmt::format("{} has no descriptions of its stream: the file has been replaced", path));
  StreamModule module;
  TRY(module.descriptions, format::StreamDescriptions::Parse(section->contents, section->address));
  if (addresses && !module.descriptions.HasAddresses())
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} writes no addresses, because it was built with tare-cc "
                            "--tare-stream=blocks; build it with --tare-stream",
                            path));
  const elf::Section* const of_sites = file.FindSection(TARE_STREAM_SITES_SECTION);
  TRY(const auto sites, ReadSites(of_sites == nullptr ? elf::Section() : *of_sites));
  for (const format::StreamStretch& stretch : module.descriptions.stretches()) {
    const auto found = sites.find({stretch.unit, stretch.number});
    module.addresses.push_back(found == sites.end() ? 0 : found->second);
  }
  return module;
}

bool HasStreamBegun(const std::filesystem::path& path) {
  std::uint64_t magic = 0;
  const std::string start = StartOfFile(path, sizeof magic);
  if (start.size() == sizeof magic) std::memcpy(&magic, start.data(), sizeof magic);
  return magic != 0;
}

}  // namespace tare::vpmu
