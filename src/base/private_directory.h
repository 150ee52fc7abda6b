// private_directory.h: a folder of our own that goes away with its owner.
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace tare {

class PrivateFolder {
 public:
  // In memory where /dev/shm has room, otherwise with the temporary files. Nobody else may enter.
  static Result<PrivateFolder> Make();

  // With the temporary files, where programs may be run.
  static Result<PrivateFolder> MakeOnDisk();

  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static Result<PrivateFolder> MakeIn(const std::filesystem::path& parent);

  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace tare
