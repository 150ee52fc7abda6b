// directory_path.h: a temporary directory whose path has an exact length.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::run {

// An empty directory in a private temporary directory. The destructor removes both, and also a
// symbolic link that has replaced the directory.
class DirectoryPath {
 public:
  // Fails if `bytes` is too small for the name of the temporary directory or exceeds the kernel's
  // limit.
  static Result<DirectoryPath> Make(std::size_t bytes);

  ~DirectoryPath();
  DirectoryPath(DirectoryPath&& other) noexcept
      : root_(std::exchange(other.root_, {})),
        path_(std::move(other.path_)),
        lock_(std::move(other.lock_)) {}
  DirectoryPath& operator=(DirectoryPath&&) = delete;

  const std::string& Path() const { return path_; }

 private:
  DirectoryPath() = default;
  std::string root_;
  std::string path_;
  Descriptor lock_;  // tells later processes that the owner lives
};

}  // namespace tare::run
