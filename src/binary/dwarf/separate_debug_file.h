// separate_debug_file.h: finding the separate debug file of a stripped binary.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "binary/dwarf/source_map.h"
#include "binary/elf/elf_image.h"

namespace tare::dwarf {

inline constexpr const char* kDebugRoot = "/usr/lib/debug";

// By the build id under `root`, or by the name in .gnu_debuglink: next to the binary at `path`, in
// the .debug subdirectory there, and under `root`. Nothing where there is none; kFormat when all
// files found belong to another build.
Result<std::optional<std::filesystem::path>> SeparateDebugFile(
    const elf::ElfImage& image, const std::filesystem::path& path,
    const std::filesystem::path& root = kDebugRoot);

// From the binary itself, or else from its separate debug file. kNotFound when there is neither.
Result<SourceMap> FindSourceMap(const elf::ElfImage& image, const std::filesystem::path& path,
                                const std::filesystem::path& root = kDebugRoot);

}  // namespace tare::dwarf
