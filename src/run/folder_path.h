// folder_path.h: a folder under a path of an exact length.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"

namespace tare::run {

// A symbolic link to a folder, in a private temporary folder; both are gone at the end of its life.
class FolderPath {
 public:
  // Fails when the length is too small for the temporary folder's own name, or beyond the kernel's.
  static Result<FolderPath> To(const std::filesystem::path& folder, std::size_t bytes);

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
