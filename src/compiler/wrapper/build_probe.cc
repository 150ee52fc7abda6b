// build_probe.cc: recognizes build probes by name.
#include "compiler/wrapper/build_probe.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

namespace tare::wrapper {
namespace {

bool IsProbeName(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("conftest") || name.starts_with("cmTC_") ||
         name.starts_with("sanitycheckc");
}

bool IsProbeDirectory(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 3> kDirectories = {"CMakeTmp", "CMakeScratch",
                                                            "meson-private"};
  return std::ranges::any_of(path, [&](const std::filesystem::path& part) {
    const std::string name = part.string();
    return std::ranges::find(kDirectories, name) != kDirectories.end() ||
           name.starts_with("CompilerId");
  });
}

}  // namespace

bool IsBuildProbe(const CompilerArguments& arguments, const std::filesystem::path& directory) {
  if (arguments.output == "/dev/null" || IsProbeName(arguments.output)) return true;
  if (IsProbeDirectory(directory / arguments.output)) return true;
  std::error_code ignored;
  const bool configuring = std::filesystem::exists(directory / "confdefs.h", ignored);
  if (arguments.output.empty() && arguments.Links() && configuring) return true;
  return std::ranges::any_of(arguments.inputs, [&](const CompilerInput& input) {
    return input.path == "-" ||
           (input.source && (IsProbeName(input.path) || IsProbeDirectory(directory / input.path)));
  });
}

}  // namespace tare::wrapper
