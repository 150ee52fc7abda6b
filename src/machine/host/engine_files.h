// engine_files.h: paths of tare's engine components and of the programs that they need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "machine/host/engines.h"

namespace tare::host {

struct EngineFiles {
  // A directory for VALGRIND_LIB that contains tare's tool, and Valgrind's launcher.
  std::optional<std::filesystem::path> valgrind_directory;
  std::optional<std::filesystem::path> valgrind_tool;
  std::optional<std::filesystem::path> valgrind_launcher;
  std::optional<std::filesystem::path> qemu_plugin;
  std::optional<std::filesystem::path> qemu_program;
  // The plugin that tare-cc loads into clang, and the runtime that it links into programs.
  std::optional<std::filesystem::path> clang_plugin;
  std::optional<std::filesystem::path> runtime;
  // Preloaded into MPI processes.
  std::optional<std::filesystem::path> openmpi_library;
  std::optional<std::filesystem::path> mpich_library;
  // Loaded to replay on SimGrid's networks.
  std::optional<std::filesystem::path> simgrid_module;
  // Preloaded into programs to fix the date and the random numbers that they read.
  std::optional<std::filesystem::path> inputs_library;
};

// Searches the build tree (engines/ next to the executable) and the installation (../libexec/tare).
// `executable` is the path of the running program.
EngineFiles FindEngineFiles(const std::filesystem::path& executable, const EngineSearch& search);

// The same for the running program.
EngineFiles FindEngineFiles();

// The directories that are searched for the running program, for messages: "A or B".
std::string EngineDirectories();

}  // namespace tare::host
