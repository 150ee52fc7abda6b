// directory_path.h: a path of an exact length, for a directory to appear under.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace tare::run {

// An empty directory, in a private temporary directory; both are gone at the end of its life, and
// so is a link that has taken its place.
class DirectoryPath {
 public:
  // Fails when the length is too small for the temporary directory's own name, or beyond the
  // kernel's.
  static Result<DirectoryPath> Make(std::size_t bytes);

  ~DirectoryPath();
  DirectoryPath(DirectoryPath&& other) noexcept
      : root_(std::exchange(other.root_, {})), path_(std::move(other.path_)) {}
  DirectoryPath& operator=(DirectoryPath&&) = delete;

  const std::string& Path() const { return path_; }

 private:
  DirectoryPath() = default;
  std::string root_;
  std::string path_;
};

}  // namespace tare::run
