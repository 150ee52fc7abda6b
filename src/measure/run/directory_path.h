// directory_path.h: a temporary directory whose path has an exact length.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::run {

// An empty directory in a private temporary directory. The destructor removes both, and also a
// symbolic link that has replaced the directory, but not in a fork of the process that made it.
class DirectoryPath {
 public:
  // Fails if `bytes` is too small for the name of the temporary directory or exceeds the kernel's
  // limit.
  static Result<DirectoryPath> Make(std::size_t bytes);

  ~DirectoryPath();
  DirectoryPath(DirectoryPath&& other) noexcept
      : root_(std::exchange(other.root_, {})),
        path_(std::move(other.path_)),
        lock_(std::move(other.lock_)),
        owner_(other.owner_) {}
  DirectoryPath& operator=(DirectoryPath&&) = delete;

  const std::string& Path() const { return path_; }

  // Gives the directory, and what is mounted on it, a path of another length, which is the one that
  // Make would give. False if only Make can, and in a fork of the process that made it.
  bool Resize(std::size_t bytes);

 private:
  DirectoryPath() = default;
  std::string root_;
  std::string path_;
  Descriptor lock_;  // tells later processes that the owner lives
  pid_t owner_ = 0;
};

}  // namespace tare::run
