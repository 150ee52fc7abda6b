// build_probe.cc: names of probes.
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

bool IsProbeFolder(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 3> kFolders = {"CMakeTmp", "CMakeScratch",
                                                        "meson-private"};
  return std::ranges::any_of(path, [&](const std::filesystem::path& part) {
    const std::string name = part.string();
    return std::ranges::find(kFolders, name) != kFolders.end() || name.starts_with("CompilerId");
  });
}

}  // namespace

bool IsBuildProbe(const CompilerArguments& arguments, const std::filesystem::path& folder) {
  if (arguments.output == "/dev/null" || IsProbeName(arguments.output)) return true;
  if (IsProbeFolder(folder / arguments.output)) return true;
  std::error_code ignored;
  const bool configuring = std::filesystem::exists(folder / "confdefs.h", ignored);
  if (arguments.output.empty() && arguments.Links() && configuring) return true;
  return std::ranges::any_of(arguments.inputs, [&](const CompilerInput& input) {
    return input.path == "-" ||
           (input.source && (IsProbeName(input.path) || IsProbeFolder(folder / input.path)));
  });
}

}  // namespace tare::wrapper
