// openmp_places.cc: functions and source lines from symbols and debug information.
#include "measure/mpi/openmp_places.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "binary/dwarf/separate_debug_file.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"

namespace tare::mpi {

struct PlaceNames::Binary {
  std::optional<elf::ElfImage> image;
  std::optional<dwarf::SourceMap> sources;
};

PlaceNames::PlaceNames() = default;
PlaceNames::~PlaceNames() = default;

std::string PlaceNames::NameOf(const PlaceOpenMp& place) {
  if (!place.is_known) return "unknown";
  const std::filesystem::path path = place.place.path;
  std::unique_ptr<Binary>& binary = binaries_[place.place.path];
  if (binary == nullptr) {
    binary = std::make_unique<Binary>();
    auto image = elf::OpenElf(path);
    if (image && (place.build_id.empty() || image->build_id() == place.build_id)) {
      auto sources = dwarf::FindSourceMap(*image, path);
      if (sources) binary->sources = std::move(*sources);
      binary->image = std::move(*image);
    }
  }
  // The address is that after the call.
  const std::uint64_t address = place.place.address - 1;
  const elf::Function* function = binary->image ? binary->image->FunctionAt(address) : nullptr;
  if (function == nullptr) {
    return fmt::format("{}+{:#x}", Printable(path.filename().string()), place.place.address);
  }
  std::string name = elf::Demangled(function->name);
  const auto line = binary->sources ? binary->sources->LineAt(address) : std::nullopt;
  if (line && line->file != dwarf::kUnknown && line->line != 0) {
    const std::filesystem::path file = binary->sources->files()[line->file];
    name += fmt::format(" ({}:{})", file.filename().string(), line->line);
  }
  return Printable(name);
}

}  // namespace tare::mpi
