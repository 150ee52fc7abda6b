// private_directory.h: a temporary directory that is removed with its owner, or by a later process
// if its owner was killed.
#pragma once

#include <time.h>

#include <filesystem>
#include <utility>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare {

class PrivateDirectory {
 public:
  // Creates the directory in /dev/shm if that has room, otherwise in the directory for temporary
  // files. Only the current user can access it. The first call in a process removes what killed
  // processes of this user left in both.
  static Result<PrivateDirectory> Make();

  // Creates the directory in the directory for temporary files, where programs can be executed.
  static Result<PrivateDirectory> MakeOnDisk();

  ~PrivateDirectory();
  PrivateDirectory(PrivateDirectory&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  PrivateDirectory& operator=(PrivateDirectory&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static Result<PrivateDirectory> MakeIn(const std::filesystem::path& parent);

  PrivateDirectory(std::filesystem::path path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  Descriptor lock_;  // tells later processes that the owner lives
};

// Locks a directory for as long as the descriptor is open; closed if that is not possible.
Descriptor LockDirectory(const std::filesystem::path& directory);

// Whether a killed process left this directory: it belongs to this user, has this mode, is locked
// by nobody, and has existed for a minute, so that its owner has had time to lock it.
bool IsAbandoned(const std::filesystem::path& directory, unsigned mode,
                 time_t now = ::time(nullptr));

// Removes from `parent` the private directories that killed processes of this user left.
void RemoveAbandoned(const std::filesystem::path& parent, time_t now = ::time(nullptr));

}  // namespace tare
