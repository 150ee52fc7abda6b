// build_probe.h: programs that configure and its like build only to learn about the compiler.
#pragma once

#include <filesystem>

#include "compiler/wrapper/compiler_arguments.h"

namespace tare::wrapper {

// By the names that autoconf, CMake and meson give them: conftest*, cmTC_*, the directories
// CMakeFiles/CMakeTmp, CMakeScratch, CompilerIdC and meson-private; a.out beside confdefs.h; and
// what is thrown away to /dev/null or read from the standard input. `directory` is where the
// compiler runs.
bool IsBuildProbe(const CompilerArguments& arguments, const std::filesystem::path& directory);

}  // namespace tare::wrapper
