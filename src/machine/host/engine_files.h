// engine_files.h: where tare's own parts of the engines lie, and what they run under.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "machine/host/engines.h"

namespace tare::host {

struct EngineFiles {
  // A directory for VALGRIND_LIB that holds tare's tool, and Valgrind's launcher.
  std::optional<std::filesystem::path> valgrind_directory;
  std::optional<std::filesystem::path> valgrind_tool;
  std::optional<std::filesystem::path> valgrind_launcher;
  std::optional<std::filesystem::path> qemu_plugin;
  std::optional<std::filesystem::path> qemu_program;
  // What tare-cc gives to clang, and what it links into programs.
  std::optional<std::filesystem::path> clang_plugin;
  std::optional<std::filesystem::path> runtime;
};

// Beside the program when it was just built (engines/), or where it was installed
// (../libexec/tare). `executable` is the path of the running program.
EngineFiles FindEngineFiles(const std::filesystem::path& executable, const EngineSearch& search);

// For the running program.
EngineFiles FindEngineFiles();

}  // namespace tare::host
