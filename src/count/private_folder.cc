// private_folder.cc: mkdtemp and its opposite.
#include "count/private_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <system_error>

#include "base/file.h"

namespace tare::count {

Result<PrivateFolder> PrivateFolder::Make() {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  const std::filesystem::path last = error ? "/tmp" : temporary;
  for (const auto& parent : {std::filesystem::path("/dev/shm"), last}) {
    std::string name = (parent / "tare-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) return PrivateFolder(name);
  }
  return std::unexpected(SystemError("make a folder in", last, errno));
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tare::count
