// chunk_reader.cc: reads one chunk after another and checks each before using it.
#include "format/chunk_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/printable.h"

namespace tare::format {
namespace {

// Memory is allocated at most this far ahead of the bytes read, so that a damaged length is
// harmless.
constexpr std::size_t kReadStep = 1u << 20;

std::unexpected<Error> DamagedChunks(std::string message) {
  return Fail(ErrorKind::kFormat, std::move(message));
}

Result<std::size_t> ReadAt(const Descriptor& file, const std::filesystem::path& path,
                           std::uint64_t place, std::span<std::byte> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    const ssize_t got = ::pread(file.Number(), to.data() + done, to.size() - done,
                                static_cast<off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(SystemError("read", path, errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

Result<ChunkSource> OpenChunkSource(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO without a writer must not block.
  auto file = std::make_shared<Descriptor>(
      Descriptor::AboveStandard(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)));
  struct stat about{};
  if (!file->IsOpen() || ::fstat(file->Number(), &about) != 0) {
    return std::unexpected(SystemError("read", path, errno));
  }
  if (S_ISDIR(about.st_mode)) return std::unexpected(SystemError("read", path, EISDIR));
  if (!S_ISREG(about.st_mode)) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot read {}: it is not a regular file", Printable(path.string())));
  }
  return ChunkSource([file, path](std::uint64_t place, std::span<std::byte> to) {
    return ReadAt(*file, path, place, to);
  });
}

Result<ChunkSource> StandardInputChunks() {
  static bool taken = false;
  if (std::exchange(taken, true)) {
    return Fail(ErrorKind::kUsage,
                "standard input can be read only once; store the trace in a file first");
  }
  // ChunkReader never goes back.
  return ChunkSource([](std::uint64_t, std::span<std::byte> to) -> Result<std::size_t> {
    std::size_t done = 0;
    while (done < to.size()) {
      const ssize_t got = ::read(STDIN_FILENO, to.data() + done, to.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return std::unexpected(SystemError("read", "standard input", errno));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  });
}

Result<void> ChunkReader::ReadStart(const ChunkedFormat& format) {
  Preamble preamble{};
  TRY(const auto got, source_(0, std::as_writable_bytes(std::span(&preamble, 1))));
  const std::size_t magic = std::min(got, sizeof format.magic);
  if (got < sizeof preamble && std::memcmp(preamble.magic, format.magic, magic) == 0) {
    return DamagedChunks(fmt::format("incomplete: truncated at byte {}, inside its header", got));
  }
  TRY(chain_, ReadPreamble(preamble, format));
  bytes_ = sizeof preamble;
  return {};
}

Result<ChunkReader::Chunk> ChunkReader::Read() {
  ChunkHeader header{};
  const std::uint64_t place = bytes_;
  TRY(const auto got, source_(place, std::as_writable_bytes(std::span(&header, 1))));
  if (got == 0) {
    return DamagedChunks(
        fmt::format("incomplete: it stops at byte {} without an end record: it is still being "
                    "written, its writer was killed, or it was truncated",
                    place));
  }
  const auto cut = [&](std::uint64_t at) {
    return DamagedChunks(
        fmt::format("incomplete: truncated at byte {}, inside chunk {}", at, chain_.number));
  };
  if (got < sizeof header) return cut(place + got);
  if (header.number != chain_.number || header.stored_bytes > kMaxStoredBytes) {
    return DamagedChunks(fmt::format("incomplete: chunk {} at byte {} is damaged or misplaced",
                                     chain_.number, place));
  }
  stored_.clear();
  while (stored_.size() < header.stored_bytes) {
    const std::size_t have = stored_.size();
    stored_.resize(std::min<std::size_t>(header.stored_bytes, have + kReadStep));
    const auto room = std::span(stored_).subspan(have);
    TRY(const auto more, source_(place + sizeof header + have, room));
    if (more < room.size()) return cut(place + sizeof header + have + more);
  }
  if (header.checksum != ChunkChecksum(chain_, header, stored_)) {
    return DamagedChunks(fmt::format("incomplete: the checksum of chunk {} at byte {} is wrong",
                                     chain_.number, place));
  }
  if (header.kind < 32 && (packed_kinds_ >> header.kind & 1) != 0) return Chunk{header, {}};
  auto raw = unpacker_.Unpack(header, stored_);
  if (!raw) return DamagedChunk(raw.error());
  return Chunk{header, *raw};
}

std::unexpected<Error> ChunkReader::DamagedChunk(const Error& error) const {
  return DamagedChunks(fmt::format("incomplete: chunk {} at byte {} is damaged: {}", chain_.number,
                                   bytes_, error.message));
}

void ChunkReader::Advance(const ChunkHeader& header) {
  chain_ = {chain_.number + 1, header.checksum};
  bytes_ += sizeof header + header.stored_bytes;
  ++chunks_;
}

Result<void> ChunkReader::CheckEnd() {
  std::byte more{};
  TRY(const auto got, source_(bytes_, std::span(&more, 1)));
  if (got == 0) return {};
  return DamagedChunks(fmt::format("incomplete: there are bytes after its end at byte {}", bytes_));
}

}  // namespace tare::format
