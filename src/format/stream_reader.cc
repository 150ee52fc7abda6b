// stream_reader.cc: reads a stream without trusting its contents; words are copied before use.
#include "format/stream_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/byte_reader.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "format/shared_file.h"

namespace tare::format {
namespace {

constexpr std::uint64_t kChunkWords = TARE_STREAM_CHUNK / 8;
constexpr std::uint64_t kMaxChunks = 1 << 16;

std::unexpected<Error> DamagedStream(const std::filesystem::path& path, std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("{}: {}", path.string(), what));
}

bool IsKind(std::uint16_t kind) { return kind >= TARE_STREAM_LOAD && kind <= TARE_STREAM_SET; }

std::uint64_t WordsOf(std::uint16_t kind) {
  return kind == TARE_STREAM_COPY ? 3 : kind == TARE_STREAM_SET ? 2 : 1;
}

}  // namespace

Result<StreamDescriptions> StreamDescriptions::Parse(std::span<const std::byte> section,
                                                     std::uint64_t address) {
  StreamDescriptions descriptions;
  ByteReader reader(section);
  while (!reader.AtEnd()) {
    const std::uint64_t offset = reader.Position();
    TRY(const auto head, reader.Read<tare_stream_stretch>());
    StreamStretch stretch;
    stretch.unit = head.unit;
    stretch.number = head.number;
    stretch.words = head.words;
    stretch.begins_block = (head.accesses & TARE_STREAM_BEGINS_BLOCK) != 0;
    if (head.words == 0 || head.words > TARE_STREAM_RECORD_WORDS) {
      return Fail(ErrorKind::kFormat, "a description has an impossible number of words");
    }
    const std::uint16_t accesses = head.accesses & ~TARE_STREAM_BEGINS_BLOCK & 0xffff;
    for (std::uint16_t i = 0; i < accesses; ++i) {
      const std::uint64_t place = address + reader.Position();
      TRY(const auto access, reader.Read<tare_stream_access>());
      const bool inside = access.word == 0 ? WordsOf(access.kind) == 1
                                           : access.word + WordsOf(access.kind) <= head.words;
      if (!IsKind(access.kind) || !inside) {
        return Fail(ErrorKind::kFormat, "a description has an impossible access");
      }
      const std::uint64_t distance = static_cast<std::uint64_t>(access.offset);
      stretch.accesses.push_back({static_cast<tare_stream_kind>(access.kind), access.bytes,
                                  access.word, access.word == 0 ? place + distance : distance});
    }
    descriptions.offsets_.push_back(offset);
    descriptions.stretches_.push_back(std::move(stretch));
  }
  return descriptions;
}

const StreamStretch* StreamDescriptions::At(std::uint64_t offset) const {
  const auto found = std::ranges::lower_bound(offsets_, offset);
  if (found == offsets_.end() || *found != offset) return nullptr;
  return &stretches_[static_cast<std::size_t>(found - offsets_.begin())];
}

void ForEachAccess(const StreamRecord& record,
                   const std::function<void(const TouchedMemory&)>& visit) {
  for (const StreamAccess& access : record.stretch.accesses) {
    const auto word = [&](std::uint64_t more) { return record.words[access.word + more]; };
    if (access.kind == TARE_STREAM_COPY) {
      if (word(2) == 0) continue;
      visit({TARE_STREAM_LOAD, word(1), word(2)});
      visit({TARE_STREAM_STORE, word(0), word(2)});
    } else if (access.kind == TARE_STREAM_SET) {
      if (word(1) != 0) visit({TARE_STREAM_STORE, word(0), word(1)});
    } else {
      const std::uint64_t base = access.word == 0 ? record.load_bias : word(0);
      visit({access.kind, base + access.offset, access.bytes});
    }
  }
}

struct StreamReader::Mapping {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::optional<CutGuard> guard;
  tare_stream_header known{};  // offsets and sizes as they were when the file was opened
  std::string path;
  std::uint32_t taken = 0;
  bool ended = false;
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(kChunkWords);

  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (base == nullptr) return;
    std::atomic_ref(Shared().reader).store(0, std::memory_order_release);
    munmap(base, bytes);
  }

  tare_stream_header& Shared() const { return *reinterpret_cast<tare_stream_header*>(base); }

  Result<void> Check(const std::filesystem::path& file) {
    if (bytes < sizeof(known)) return DamagedStream(file, "too short for a stream");
    std::memcpy(&known, base, sizeof(known));
    if (known.magic != TARE_STREAM_MAGIC)
      return DamagedStream(file, "not a stream, or not yet complete");
    if (known.version != TARE_STREAM_VERSION) {
      return DamagedStream(file, fmt::format("it has version {}; this tare reads version {}",
                                             known.version, TARE_STREAM_VERSION));
    }
    const bool chunks_fit =
        known.chunks > 0 && known.chunks <= kMaxChunks && known.first_at % 8 == 0 &&
        known.first_at <= bytes &&
        2 * TARE_STREAM_CHUNK * (known.chunks - 1) + TARE_STREAM_CHUNK <= bytes - known.first_at;
    const bool path_fits = known.path_bytes > 0 && known.path_bytes <= bytes &&
                           known.path_at <= bytes - known.path_bytes;
    if (!chunks_fit || !path_fits) return DamagedStream(file, "its parts exceed the file");
    const char* text = reinterpret_cast<const char*>(base + known.path_at);
    path.assign(text, strnlen(text, known.path_bytes));
    taken = known.taken;
    return {};
  }

  std::byte* Chunk(std::uint32_t number) const {
    return base + known.first_at + 2 * TARE_STREAM_CHUNK * (number % known.chunks);
  }

  Result<std::uint64_t> Read(std::uint32_t number, const StreamDescriptions& descriptions,
                             const std::function<void(const StreamRecord&)>& visit) {
    std::memcpy(words.data(), Chunk(number), TARE_STREAM_CHUNK);
    std::uint64_t records = 0;
    for (std::uint64_t at = 0; at < kChunkWords && words[at] != 0; ++records) {
      const StreamStretch* stretch = descriptions.At(words[at] - known.section_address);
      if (stretch == nullptr || stretch->words > kChunkWords - at) {
        return Fail(ErrorKind::kFormat,
                    fmt::format("stream of thread {}: word {} of chunk {} starts no record",
                                known.thread, at, number));
      }
      visit({*stretch, std::span(words).subspan(at, stretch->words), known.load_bias});
      at += stretch->words;
    }
    return records;
  }

  void ReleaseChunk(std::uint32_t number) {
    std::memset(Chunk(number), 0, TARE_STREAM_CHUNK);
    taken = number + 1;
    std::atomic_ref(Shared().taken).store(taken, std::memory_order_release);
    syscall(SYS_futex, &Shared().taken, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
};

StreamReader::StreamReader(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
StreamReader::StreamReader(StreamReader&&) noexcept = default;
StreamReader& StreamReader::operator=(StreamReader&&) noexcept = default;
StreamReader::~StreamReader() = default;

Result<StreamReader> StreamReader::Open(const std::filesystem::path& path) {
  TRY(const auto file, OpenShared(path));
  struct stat status = {};
  fstat(file.Number(), &status);
  auto mapping = std::make_unique<Mapping>();
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  void* memory = bytes == 0
                     ? MAP_FAILED
                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.Number(), 0);
  if (memory == MAP_FAILED) return DamagedStream(path, "it cannot be mapped");
  mapping->base = static_cast<std::byte*>(memory);
  mapping->bytes = bytes;
  mapping->guard.emplace(memory, bytes);
  if (const auto checked = mapping->Check(path); !checked) {
    munmap(memory, bytes);
    mapping->base = nullptr;
    return std::unexpected(checked.error());
  }
  std::atomic_ref(mapping->Shared().reader)
      .store(static_cast<std::uint32_t>(getpid()), std::memory_order_release);
  return StreamReader(std::move(mapping));
}

const std::string& StreamReader::ModulePath() const { return mapping_->path; }
std::uint64_t StreamReader::process() const { return mapping_->known.process; }
std::uint64_t StreamReader::thread() const { return mapping_->known.thread; }
bool StreamReader::CutShort() const { return mapping_->Shared().cut_short != 0; }

Result<std::uint64_t> StreamReader::Take(const StreamDescriptions& descriptions, bool ended,
                                         const std::function<void(const StreamRecord&)>& visit) {
  Mapping& mapping = *mapping_;
  std::uint64_t records = 0;
  const std::uint32_t written =
      std::atomic_ref(mapping.Shared().written).load(std::memory_order_acquire);
  if (written - mapping.taken > mapping.known.chunks) {
    return Fail(ErrorKind::kFormat, "a stream has more full chunks than chunks");
  }
  while (mapping.taken != written) {
    TRY(const auto more, mapping.Read(mapping.taken, descriptions, visit));
    records += more;
    mapping.ReleaseChunk(mapping.taken);
  }
  const bool filling = !CutShort();
  if (ended && filling && !mapping.ended) {
    mapping.ended = true;
    TRY(const auto more, mapping.Read(written, descriptions, visit));
    records += more;
  }
  if (mapping.guard->WasCut()) return FileWasCut("a stream");
  return records;
}

}  // namespace tare::format
