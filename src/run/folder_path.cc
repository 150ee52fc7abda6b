// folder_path.cc: folders within folders, and a link at the end.
#include "run/folder_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>

#include "base/file.h"

namespace tare::run {

Result<FolderPath> FolderPath::To(const std::filesystem::path& folder, std::size_t bytes) {
  std::error_code failed;
  const auto temporary = std::filesystem::temp_directory_path(failed);
  std::string root = ((failed ? "/tmp" : temporary) / "tare-XXXXXX").string();
  const std::size_t least = root.size() + 2;
  if (bytes < least || bytes >= PATH_MAX) {
    return Fail(ErrorKind::kUsage, fmt::format("the path of the folder can have {} to {} bytes "
                                               "here, not {}",
                                               least, PATH_MAX - 1, bytes));
  }
  if (::mkdtemp(root.data()) == nullptr) return std::unexpected(SystemError("make", root, errno));
  FolderPath made;
  made.root_ = root;
  made.path_ = root;
  // A program that changes its user must still be able to follow the path.
  if (::chmod(root.c_str(), 0711) != 0) return std::unexpected(SystemError("open", root, errno));
  while (made.path_.size() < bytes) {
    const std::size_t left = bytes - made.path_.size();
    // One byte alone, a slash, would be left over.
    const std::size_t name =
        std::min<std::size_t>(left - 1, left == NAME_MAX + 2 ? NAME_MAX - 1 : NAME_MAX);
    made.path_ += "/" + std::string(name, 'd');
    const bool last = made.path_.size() == bytes;
    const int answer =
        last ? ::symlink(folder.c_str(), made.path_.c_str()) : ::mkdir(made.path_.c_str(), 0711);
    if (answer != 0) return std::unexpected(SystemError("make", made.path_, errno));
  }
  return made;
}

FolderPath::~FolderPath() {
  std::error_code ignored;
  if (!root_.empty()) std::filesystem::remove_all(root_, ignored);
}

}  // namespace tare::run
