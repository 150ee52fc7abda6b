// recording_files.cc: finds the recordings of a directory and the parent of each.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "format/recording.h"
#include "format/shared_file.h"

namespace tare::format {
namespace {

// Skips holes with SEEK_DATA (lseek(2)): most of a recording is holes, and reading them would touch
// gigabytes of zeros.
bool ReadWithHoles(int descriptor, std::uint64_t place, std::span<std::byte> to) {
  std::ranges::fill(to, std::byte{0});
  const std::uint64_t end = place + to.size();
  std::uint64_t at = place;
  while (at < end) {
    const off_t data = lseek(descriptor, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0) return errno == ENXIO || errno == EINVAL;
    if (static_cast<std::uint64_t>(data) >= end) return true;
    at = std::max(at, static_cast<std::uint64_t>(data));
    const ssize_t got =
        pread(descriptor, to.data() + (at - place), end - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::uint64_t>(got);
  }
  return true;
}

struct RecordingFile {
  std::uint64_t process = 0;
  std::uint64_t generation = 0;
  std::uint64_t parent_process = 0;
  std::uint64_t parent_generation = 0;
  std::uint64_t inherited_used = 0;
  RecordingSource source;
};

std::pair<std::uint64_t, std::uint64_t> Identity(const RecordingFile& file) {
  return {file.process, file.generation};
}

// Parses "PROCESS.GENERATION".
bool ParseName(const std::string& name, RecordingFile& file) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return false;
  const char* end = name.data() + name.size();
  const auto process = std::from_chars(name.data(), name.data() + dot, file.process);
  const auto generation = std::from_chars(name.data() + dot + 1, end, file.generation);
  return process.ec == std::errc() && process.ptr == name.data() + dot &&
         generation.ec == std::errc() && generation.ptr == end;
}

// Opens the file for each read, because a program may have left thousands of recordings.
Result<RecordingSource> MakeSource(const std::filesystem::path& path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0) return std::unexpected(SystemError("read", path, errno));
  TRY_VOID(OpenShared(path, false));
  return RecordingSource{static_cast<std::uint64_t>(status.st_size),
                         [path](std::uint64_t place, std::span<std::byte> to) {
                           const int descriptor =
                               open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
                           if (descriptor < 0) return false;
                           const bool read = ReadWithHoles(descriptor, place, to);
                           close(descriptor);
                           return read;
                         }};
}

Result<std::vector<RecordingFile>> OpenAll(const std::filesystem::path& directory) {
  std::vector<RecordingFile> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    RecordingFile file;
    if (!ParseName(entry.path().filename().string(), file)) continue;
    TRY(file.source, MakeSource(entry.path()));
    tare_wire_header header;
    if (file.source.bytes < sizeof header ||
        !file.source.read(0, std::as_writable_bytes(std::span(&header, 1))) || header.magic == 0) {
      continue;  // not initialized
    }
    file.parent_process = header.parent_process;
    file.parent_generation = header.parent_generation;
    file.inherited_used = header.inherited_used;
    files.push_back(std::move(file));
  }
  if (error) return std::unexpected(SystemError("read", directory, error.value()));
  std::ranges::sort(files, {}, Identity);
  return files;
}

const RecordingFile* ParentOf(const std::vector<RecordingFile>& files, const RecordingFile& child) {
  const auto wanted = std::pair(child.parent_process, child.parent_generation);
  const auto found = std::ranges::lower_bound(files, wanted, {}, Identity);
  return found != files.end() && Identity(*found) == wanted && &*found != &child ? &*found
                                                                                 : nullptr;
}

}  // namespace

Result<std::vector<Recording>> ReadRecordings(const std::filesystem::path& directory) {
  TRY(const auto files, OpenAll(directory));
  std::vector<Recording> recordings;
  for (const RecordingFile& file : files) {
    std::vector<RecordingSource> ancestors;
    const RecordingFile* at = &file;
    while (at->inherited_used > 0 && ancestors.size() < files.size()) {
      at = ParentOf(files, *at);
      if (at == nullptr) break;
      ancestors.push_back(at->source);
    }
    TRY(auto recording, ParseRecording(file.source, ancestors));
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace tare::format
