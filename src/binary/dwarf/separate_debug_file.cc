// separate_debug_file.cc: searching where gdb does ("Debugging Information in Separate Files").
#include "binary/dwarf/separate_debug_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>

#include "base/byte_reader.h"
#include "base/file.h"
#include "base/printable.h"
#include "binary/dwarf/debug_file.h"

namespace tare::dwarf {
namespace {

namespace fs = std::filesystem;

struct Link {
  std::string name;
  std::uint32_t checksum;
};

std::optional<Link> DebugLink(const elf::ElfFile& file) {
  const auto* section = file.FindSection(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  ByteReader reader(section->contents);
  const auto name = reader.ReadTerminatedText();
  if (!name || !reader.Seek((reader.Position() + 3) & ~std::size_t{3})) return std::nullopt;
  const auto checksum = reader.Read<std::uint32_t>();
  if (!checksum) return std::nullopt;
  // The name must be a plain file name, not a path to another directory.
  if (name->empty() || *name == "." || *name == ".." || name->find('/') != std::string_view::npos)
    return std::nullopt;
  return Link{std::string(*name), *checksum};
}

bool IsFile(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

bool SameFile(const fs::path& a, const fs::path& b) {
  std::error_code unknown;
  return fs::equivalent(a, b, unknown);
}

bool HasChecksum(const fs::path& path, std::uint32_t checksum) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;
  const auto bytes = ReadFile(path, kMaxBytes);
  if (!bytes) return false;
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(bytes->data()), bytes->size());
  return sum == checksum;
}

bool HasBuildId(const fs::path& path, const std::string& id) {
  const auto debug = OpenDebugFile(path);
  return debug && debug->file.BuildId() == id;
}

}  // namespace

Result<std::optional<fs::path>> SeparateDebugFile(const elf::ElfImage& image, const fs::path& path,
                                                  const fs::path& root) {
  std::optional<fs::path> of_another_build;
  const std::string& id = image.build_id();
  if (id.size() > 2) {
    const fs::path by_id = root / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug");
    if (IsFile(by_id)) {
      if (HasBuildId(by_id, id)) return by_id;
      of_another_build = by_id;
    }
  }
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  if (const auto link = DebugLink(file)) {
    std::error_code unknown;
    const fs::path real = fs::canonical(path, unknown);
    const fs::path directory =
        unknown ? fs::absolute(path, unknown).parent_path() : real.parent_path();
    for (const fs::path& candidate : {directory / link->name, directory / ".debug" / link->name,
                                      root / directory.relative_path() / link->name}) {
      if (!IsFile(candidate) || SameFile(candidate, path)) continue;
      if (HasChecksum(candidate, link->checksum)) return candidate;
      of_another_build = candidate;
    }
  }
  if (of_another_build)
    return Fail(ErrorKind::kFormat,
                fmt::format("{} is from another build of the program than {}",
                            Printable(of_another_build->string()), Printable(path.string())));
  return std::nullopt;
}

Result<SourceMap> FindSourceMap(const elf::ElfImage& image, const fs::path& path,
                                const fs::path& root) {
  auto own = SourceMap::Read(image);
  if (own || own.error().kind != ErrorKind::kNotFound) return own;
  TRY(const auto separate, SeparateDebugFile(image, path, root));
  if (!separate) return own;
  return SourceMap::ReadFile(*separate);
}

}  // namespace tare::dwarf
