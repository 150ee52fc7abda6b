// debug_file.h: a file that may hold the debug sections of a program and nothing else of it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "binary/elf/elf_file.h"

namespace tare::dwarf {

struct DebugFile {
  std::unique_ptr<std::string> bytes;  // what `file` points into
  elf::ElfFile file;
};

// Segments may say that they have bytes which are not there.
Result<DebugFile> OpenDebugFile(const std::filesystem::path& path);

}  // namespace tare::dwarf
