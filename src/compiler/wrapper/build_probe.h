// build_probe.h: recognizes programs that build systems compile only to test the compiler.
#pragma once

#include <filesystem>

#include "compiler/wrapper/compiler_arguments.h"

namespace tare::wrapper {

// Recognizes the names that autoconf, CMake and Meson use: conftest*, cmTC_*, the directories
// CMakeFiles/CMakeTmp, CMakeScratch, CompilerIdC and meson-private; a.out next to confdefs.h; also
// output to /dev/null and input from standard input. `directory` is the compiler's working
// directory.
bool IsBuildProbe(const CompilerArguments& arguments, const std::filesystem::path& directory);

}  // namespace tare::wrapper
