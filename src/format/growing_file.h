// growing_file.h: a growing file that appears under its name at a chosen moment and reserves disk
// space for its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::format {

class GrowingFile {
 public:
  // Creates a temporary file next to `path`, which is removed unless Appear() is called. Symbolic
  // links are followed. An existing `path` that is neither a regular file nor a directory is
  // written in place.
  static Result<GrowingFile> Create(const std::filesystem::path& path);

  GrowingFile(GrowingFile&& other) noexcept;
  GrowingFile& operator=(GrowingFile&&) = delete;
  ~GrowingFile();

  // Appends all of `bytes`, or fails and, for a regular file, appends none of them. With `reserve`,
  // the disk must have that much space after them, which stays allocated to this file. A broken
  // pipe and an exceeded file size limit cause errors instead of signals.
  Result<void> Append(std::span<const std::byte> bytes, std::size_t reserve);

  // Removes everything from offset `place` on. Requires CanStepBack().
  Result<void> CutTo(std::uint64_t place);
  bool CanStepBack() const { return !in_place_ && !broken_; }

  // Syncs the bytes so far to the disk and renames the file to its final path.
  Result<void> Appear();

  // Syncs, releases the reserve and closes. Also fails if the file was removed in the meantime.
  Result<void> Finish();

  std::uint64_t Bytes() const { return bytes_; }
  bool IsInPlace() const { return in_place_; }
  // The system's text for the last error: "No space left on device".
  const std::string& Failure() const { return failure_; }

 private:
  GrowingFile(Descriptor file, std::filesystem::path path, bool in_place)
      : file_(std::move(file)), path_(std::move(path)), in_place_(in_place) {}

  Result<void> WriteAll(std::span<const std::byte> bytes);
  Result<void> Reserve(std::uint64_t bytes);
  std::unexpected<Error> CannotWrite();

  Descriptor file_;
  std::filesystem::path path_;  // the final path
  std::string temporary_;       // empty: there is none
  bool in_place_ = false;
  bool reserves_ = true;  // the file system supports fallocate
  bool broken_ = false;   // a chunk was partially written and cannot be removed
  std::string failure_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tare::format
