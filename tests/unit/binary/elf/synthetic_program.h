// synthetic_program.h: programs and object files that tests generate.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/programs/build_directory.h"

namespace tare::elf {

inline std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

using Directory = BuildDirectory;

inline bool Runs(const std::string& command) {
  return std::system((command + " > /dev/null 2>&1").c_str()) == 0;
}

// A file of the corpus of tests/fuzz, which has files for other architectures.
inline std::string Sample(const std::string& name) {
  return Contents(std::filesystem::path(TARE_SOURCE_DIR) / "tests/fuzz/corpus/elf" / name);
}

}  // namespace tare::elf
