// xray_sleds.cc: reading xray_instr_map.
#include "binary/mix/xray_sleds.h"

#include "base/byte_reader.h"
#include "binary/elf/elf_file.h"

namespace tare::mix {
namespace {

// As in LLVM's runtime (compiler-rt, xray_interface_internal.h): since version 2 the addresses are
// relative to the entry itself.
struct Entry {
  std::uint64_t address;
  std::uint64_t function;
  std::uint8_t kind;
  std::uint8_t always;
  std::uint8_t version;
  std::uint8_t padding[13];
};
static_assert(sizeof(Entry) == 32);

}  // namespace

std::vector<std::uint64_t> XraySleds(const elf::ElfImage& image) {
  std::vector<std::uint64_t> sleds;
  const auto file = elf::ReadElfFile(image.bytes());
  if (!file || file->IsObject()) return sleds;
  const auto* section = file->FindSection("xray_instr_map");
  if (section == nullptr) return sleds;
  ByteReader reader(section->contents);
  std::uint64_t at = section->address;
  while (const auto entry = reader.Read<Entry>()) {
    const auto absolute = image.WordAt(at).value_or(entry->address);
    sleds.push_back(entry->version >= 2 ? at + entry->address : absolute);
    at += sizeof(Entry);
  }
  return sleds;
}

}  // namespace tare::mix
