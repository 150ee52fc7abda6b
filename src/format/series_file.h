// series_file.h: a file that grows, appears under its name at a chosen moment, and keeps room for
// its end on a disk that fills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::format {

class SeriesFile {
 public:
  // A temporary file beside `path`, removed again unless Appear() is called. A link is followed.
  // What is there and is neither a file nor a directory is written in place.
  static Result<SeriesFile> Create(const std::filesystem::path& path);

  SeriesFile(SeriesFile&& other) noexcept;
  SeriesFile& operator=(SeriesFile&&) = delete;
  ~SeriesFile();

  // All of `bytes`, or an error and, of a regular file, none of them. With `reserve` the disk must
  // have that much room behind them too, which stays this file's. A broken pipe and a limit of the
  // file size are errors and no signals.
  Result<void> Append(std::span<const std::byte> bytes, std::size_t reserve);

  // Gives up what is behind `place`; only where CanStepBack().
  Result<void> CutTo(std::uint64_t place);
  bool CanStepBack() const { return !in_place_ && !broken_; }

  // Takes the place of what has the name, once the bytes so far are on the disk.
  Result<void> Appear();

  // To the disk; releases the reserve and closes. Fails also when the file was removed meanwhile.
  Result<void> Finish();

  std::uint64_t Bytes() const { return bytes_; }
  bool IsInPlace() const { return in_place_; }
  // The system's words for the last error: "No space left on device".
  const std::string& Failure() const { return failure_; }

 private:
  SeriesFile(Descriptor file, std::filesystem::path path, bool in_place)
      : file_(std::move(file)), path_(std::move(path)), in_place_(in_place) {}

  Result<void> WriteAll(std::span<const std::byte> bytes);
  Result<void> Reserve(std::uint64_t bytes);
  std::unexpected<Error> CannotWrite();

  Descriptor file_;
  std::filesystem::path path_;  // the final one
  std::string temporary_;       // empty: there is none
  bool in_place_ = false;
  bool reserves_ = true;  // the file system knows how
  bool broken_ = false;   // half a chunk was written and cannot be taken back
  std::string failure_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tare::format
