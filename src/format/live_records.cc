// live_records.cc: checks sizes when a recording is opened, and its growth at each read.
#include "format/live_records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "base/file.h"

namespace tare::format {
namespace {

// No engine writes more. The limit keeps a damaged size from exhausting memory.
constexpr std::uint64_t kMaxLiveRecordBytes = std::uint64_t{1} << 30;
constexpr int kMaxAncestors = 10'000;

std::unexpected<Error> DamagedRecords(const std::filesystem::path& path, std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("{}: {}", path.string(), what));
}

bool ReadFully(int file, std::uint64_t place, std::span<std::byte> to) {
  while (!to.empty()) {
    const ssize_t got = pread(file, to.data(), to.size(), static_cast<off_t>(place));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    place += static_cast<std::uint64_t>(got);
    to = to.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

struct Opened {
  std::filesystem::path path;
  Descriptor file;
  std::uint64_t bytes = 0;
  tare_wire_header header{};
};

Result<Opened> OpenRecording(const std::filesystem::path& path) {
  Opened opened;
  opened.path = path;
  TRY(opened.file, OpenShared(path));
  struct stat status = {};
  fstat(opened.file.Number(), &status);
  opened.bytes = static_cast<std::uint64_t>(status.st_size);
  tare_wire_header& header = opened.header;
  if (opened.bytes < TARE_WIRE_HEADER_BYTES ||
      !ReadFully(opened.file.Number(), 0, std::as_writable_bytes(std::span(&header, 1)))) {
    return DamagedRecords(path, "too short for a recording");
  }
  if (header.magic != TARE_WIRE_MAGIC)
    return DamagedRecords(path, "not a recording, or not yet complete");
  if (header.version != TARE_WIRE_VERSION) {
    return DamagedRecords(path, fmt::format("it has version {}; this tare reads version {}",
                                            header.version, TARE_WIRE_VERSION));
  }
  const std::uint64_t room = opened.bytes - TARE_WIRE_HEADER_BYTES;
  const std::uint64_t pair = sizeof(tare_wire_counters);
  if (header.records_bytes > room || header.used > header.records_bytes ||
      header.used > kMaxLiveRecordBytes || header.inherited_used > header.used ||
      header.bank_blocks > (room - header.records_bytes) / pair) {
    return DamagedRecords(path, "its parts exceed the file");
  }
  return opened;
}

std::string NameOfParent(const tare_wire_header& header) {
  return fmt::format("{}.{}", header.parent_process, header.parent_generation);
}

}  // namespace

void LiveRecords::Unmap::operator()(tare_wire_header* header) const {
  munmap(header, TARE_WIRE_HEADER_BYTES);
}

Result<LiveRecords> LiveRecords::Open(const std::filesystem::path& directory,
                                      const std::string& name) {
  TRY(auto opened, OpenRecording(directory / name));
  void* memory =
      mmap(nullptr, TARE_WIRE_HEADER_BYTES, PROT_READ, MAP_SHARED, opened.file.Number(), 0);
  if (memory == MAP_FAILED) return std::unexpected(SystemError("map", opened.path, errno));
  LiveRecords records;
  records.live_.reset(static_cast<tare_wire_header*>(memory));
  records.guard_ = std::make_unique<CutGuard>(memory, TARE_WIRE_HEADER_BYTES);
  records.directory_ = directory;
  records.path_ = std::move(opened.path);
  records.file_ = std::move(opened.file);
  records.known_ = opened.header;
  return records;
}

// A child's file has a hole in place of the records that it shares with its parent, and the
// parent's file may have one, too.
Result<std::vector<std::byte>> LiveRecords::ReadInherited() const {
  std::vector<std::byte> bytes(known_.inherited_used);
  std::uint64_t left = bytes.size();
  std::string name = NameOfParent(known_);
  for (int step = 0; left > 0; ++step) {
    if (step == kMaxAncestors) return DamagedRecords(path_, "it has too many ancestors");
    TRY(const auto parent, OpenRecording(directory_ / name));
    if (parent.header.used < left)
      return DamagedRecords(path_, "its parent's recording is shorter");
    const std::uint64_t own = std::min(parent.header.inherited_used, left);
    if (!ReadFully(parent.file.Number(), TARE_WIRE_HEADER_BYTES + own,
                   std::span(bytes).subspan(own, left - own))) {
      return DamagedRecords(parent.path, "its records cannot be read");
    }
    left = own;
    name = NameOfParent(parent.header);
  }
  return bytes;
}

Result<std::vector<std::byte>> LiveRecords::ReadNew() {
  const std::uint64_t used = std::atomic_ref(live_->used).load(std::memory_order_acquire);
  if (guard_->WasCut()) return FileWasCut(path_);
  if (used < read_ || used < known_.inherited_used ||
      used > std::min(known_.records_bytes, kMaxLiveRecordBytes)) {
    return DamagedRecords(path_, "its records extend past its end");
  }
  std::vector<std::byte> bytes;
  if (read_ == 0) {
    TRY(bytes, ReadInherited());
  }
  const std::uint64_t from = std::max(read_, known_.inherited_used);
  const std::size_t before = bytes.size();
  bytes.resize(before + (used - from));
  if (!ReadFully(file_.Number(), TARE_WIRE_HEADER_BYTES + from, std::span(bytes).subspan(before))) {
    return DamagedRecords(path_, "its records cannot be read");
  }
  read_ = used;
  return bytes;
}

Result<void> LiveRecords::WriteCounters(std::span<const tare_wire_counters> counters) {
  if (counters.size() > known_.bank_blocks)
    return DamagedRecords(path_, "it has no room for its counters");
  std::uint64_t place = tare_wire_bank_place(&known_, 0);
  for (auto bytes = std::as_bytes(counters); !bytes.empty();) {
    const ssize_t done =
        pwrite(file_.Number(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return std::unexpected(SystemError("write", path_, errno));
    place += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
  return {};
}

Result<std::vector<tare_wire_counters>> LiveRecords::ReadCounters(std::size_t count) const {
  if (count > known_.bank_blocks) return DamagedRecords(path_, "it has no room for its counters");
  const std::uint64_t banks = std::atomic_ref(live_->banks_used).load(std::memory_order_acquire);
  if (guard_->WasCut()) return FileWasCut(path_);
  if (banks > known_.banks) return DamagedRecords(path_, "it has more banks than room");
  std::vector<tare_wire_counters> counters(count);
  std::vector<tare_wire_counters> of_bank(count);
  for (std::uint64_t bank = 0; bank < banks; ++bank) {
    if (!ReadFully(file_.Number(), tare_wire_bank_place(&known_, bank),
                   std::as_writable_bytes(std::span(of_bank)))) {
      return DamagedRecords(path_, "its counters cannot be read");
    }
    for (std::size_t i = 0; i < count; ++i) {
      counters[i].executions += of_bank[i].executions;
      counters[i].second += of_bank[i].second;
    }
  }
  return counters;
}

}  // namespace tare::format
