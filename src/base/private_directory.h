// private_directory.h: a temporary directory that is removed with its owner.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace tare {

class PrivateDirectory {
 public:
  // Creates the directory in /dev/shm if that has room, otherwise in the directory for temporary
  // files. Only the current user can access it (mode 0700).
  static Result<PrivateDirectory> Make();

  // Creates the directory in the directory for temporary files, where programs can be executed.
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
