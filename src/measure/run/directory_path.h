// directory_path.h: a path of an exact length, for a folder to appear under.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace tare::run {

// An empty folder, in a private temporary folder; both are gone at the end of its life, and so is a
// link that has taken its place.
class FolderPath {
 public:
  // Fails when the length is too small for the temporary folder's own name, or beyond the kernel's.
  static Result<FolderPath> Make(std::size_t bytes);

  ~FolderPath();
  FolderPath(FolderPath&& other) noexcept
      : root_(std::exchange(other.root_, {})), path_(std::move(other.path_)) {}
  FolderPath& operator=(FolderPath&&) = delete;

  const std::string& Path() const { return path_; }

 private:
  FolderPath() = default;
  std::string root_;
  std::string path_;
};

}  // namespace tare::run
