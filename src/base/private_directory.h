// private_directory.h: a directory of our own that goes away with its owner.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace tare {

class PrivateDirectory {
 public:
  // In memory where /dev/shm has room, otherwise with the temporary files. Nobody else may enter.
  static Result<PrivateDirectory> Make();

  // With the temporary files, where programs may be run.
  static Result<PrivateDirectory> MakeOnDisk();

  ~PrivateDirectory();
  PrivateDirectory(PrivateDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static Result<PrivateDirectory> MakeIn(const std::filesystem::path& parent);

  explicit PrivateDirectory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace tare
