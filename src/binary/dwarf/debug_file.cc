// debug_file.cc: opening debug files as strip and objcopy produce them.
#include "binary/dwarf/debug_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "base/file.h"
#include "base/printable.h"

namespace tare::dwarf {
namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

// The program headers are those of the original program, but the segments' bytes were removed.
void ForgetSegmentBytes(std::string& bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return;
  constexpr std::uint64_t kNone = 0;
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t begin = i * sizeof(Elf64_Phdr);
    if (header.e_phoff > bytes.size() || begin + sizeof(Elf64_Phdr) > bytes.size() - header.e_phoff)
      return;
    char* entry = bytes.data() + header.e_phoff + begin;
    std::uint32_t type = 0;
    std::memcpy(&type, entry, sizeof(type));
    if (type == PT_LOAD) std::memcpy(entry + offsetof(Elf64_Phdr, p_filesz), &kNone, sizeof(kNone));
  }
}

}  // namespace

Result<DebugFile> OpenDebugFile(const std::filesystem::path& path) {
  TRY(auto bytes, ReadFile(path, kMaxFileBytes));
  ForgetSegmentBytes(bytes);
  DebugFile opened{std::make_unique<std::string>(std::move(bytes)), {}};
  auto file = elf::ReadElfFile(std::as_bytes(std::span(*opened.bytes)));
  if (!file)
    return Fail(file.error().kind,
                fmt::format("{}: {}", Printable(path.string()), file.error().message));
  opened.file = std::move(*file);
  return opened;
}

}  // namespace tare::dwarf
