// debug_file.h: a file that may contain only the debug sections of a program.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "binary/elf/elf_file.h"

namespace tare::dwarf {

struct DebugFile {
  std::unique_ptr<std::string> bytes;  // what `file` refers to
  elf::ElfFile file;
};

// Accepts segments whose bytes are not in the file.
Result<DebugFile> OpenDebugFile(const std::filesystem::path& path);

}  // namespace tare::dwarf
