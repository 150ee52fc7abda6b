// engine_files.cc: the searched directories.
#include "machine/host/engine_files.h"

#include <array>
#include <system_error>

namespace tare::host {
namespace {

std::optional<std::filesystem::path> IfThere(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace

namespace {

std::array<std::filesystem::path, 2> DirectoriesFor(const std::filesystem::path& executable) {
  const auto beside = executable.parent_path();
  return {beside / "engines", beside.parent_path() / "libexec" / "tare"};
}

std::filesystem::path OwnExecutable() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : executable;
}

}  // namespace

std::string EngineDirectories() {
  const auto directories = DirectoriesFor(OwnExecutable());
  return directories[0].string() + " or " + directories[1].string();
}

EngineFiles FindEngineFiles(const std::filesystem::path& executable, const EngineSearch& search) {
  EngineFiles files;
  const std::string architecture = ArchitectureName(search);
  for (const auto& directory : DirectoriesFor(executable)) {
    const auto tool = directory / "valgrind" / ("tare-" + ValgrindPlatform(architecture));
    if (!files.valgrind_tool && IfThere(tool)) {
      files.valgrind_tool = tool;
      files.valgrind_directory = tool.parent_path();
    }
    if (!files.qemu_plugin) files.qemu_plugin = IfThere(directory / "tare-qemu.so");
    if (!files.clang_plugin) files.clang_plugin = IfThere(directory / "tare-clang.so");
    if (!files.runtime) files.runtime = IfThere(directory / "libtare-runtime.a");
    if (!files.openmpi_library) files.openmpi_library = IfThere(directory / "tare-openmpi.so");
    if (!files.inputs_library) files.inputs_library = IfThere(directory / "tare-inputs.so");
    if (!files.simgrid_module) files.simgrid_module = IfThere(directory / "tare-simgrid.so");
    if (!files.mpich_library) files.mpich_library = IfThere(directory / "tare-mpich.so");
  }
  // Debian's `valgrind` is a script that changes the environment; the launcher itself is next to
  // it.
  files.valgrind_launcher = FindProgram("valgrind.bin", search.search_path);
  if (!files.valgrind_launcher) {
    files.valgrind_launcher = FindProgram("valgrind", search.search_path);
  }
  files.qemu_program = FindProgram("qemu-" + architecture, search.search_path);
  return files;
}

EngineFiles FindEngineFiles() { return FindEngineFiles(OwnExecutable(), EngineSearch{}); }

}  // namespace tare::host
