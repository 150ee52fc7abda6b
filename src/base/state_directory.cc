// state_directory.cc: the state directory of the XDG Base Directory Specification.
#include "base/state_directory.h"

namespace tare {

Result<std::filesystem::path> StateDirectory(const std::optional<std::string>& xdg_state_home,
                                             const std::optional<std::string>& home) {
  // The specification requires that relative paths are ignored.
  if (xdg_state_home && std::filesystem::path(*xdg_state_home).is_absolute()) {
    return std::filesystem::path(*xdg_state_home) / "tare";
  }
  if (home && std::filesystem::path(*home).is_absolute()) {
    return std::filesystem::path(*home) / ".local/state/tare";
  }
  return Fail(ErrorKind::kUsage, "no directory to store files: set XDG_STATE_HOME or HOME");
}

std::string AsFileName(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  std::string file;
  for (const char c : name.substr(0, kLongest)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_';
    if (plain) {
      file += c;
    } else if (!file.ends_with('-')) {
      file += '-';
    }
  }
  while (file.ends_with('-')) file.pop_back();
  return file;
}

}  // namespace tare
