// stream_reader.cc: reads a stream without trusting its contents; words are copied before use.
#include "format/stream_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
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
    if ((head.accesses & TARE_STREAM_NO_ADDRESSES) != 0) descriptions.has_addresses_ = false;
    const std::uint16_t accesses = head.accesses & TARE_STREAM_MAX_ACCESSES;
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
    // Sizes of descriptions are multiples of 8 bytes.
    descriptions.starts_.resize(reader.Position() / 8, kNone);
    if (descriptions.stretches_.size() >= kLong - 1)
      return Fail(ErrorKind::kFormat, "there are too many descriptions");
    descriptions.starts_[offset / 8] = static_cast<std::uint32_t>(descriptions.stretches_.size()) |
                                       (stretch.words > 1 ? kLong : 0);
    descriptions.stretches_.push_back(std::move(stretch));
  }
  return descriptions;
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
  std::vector<std::uint32_t> numbers = std::vector<std::uint32_t>(kChunkWords);

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
std::uint64_t StreamReader::load_bias() const { return mapping_->known.load_bias; }
bool StreamReader::CutShort() const { return mapping_->Shared().cut_short != 0; }

Result<const std::uint64_t*> StreamReader::NextChunk(bool ended) {
  Mapping& mapping = *mapping_;
  if (mapping.guard->WasCut()) return FileWasCut("a stream");
  const std::uint32_t written =
      std::atomic_ref(mapping.Shared().written).load(std::memory_order_acquire);
  if (written - mapping.taken > mapping.known.chunks)
    return Fail(ErrorKind::kFormat, "a stream has more full chunks than chunks");
  if (mapping.taken == written) {
    const bool is_unfinished_left = ended && !CutShort() && !mapping.ended;
    if (!is_unfinished_left) return nullptr;
    mapping.ended = true;
  }
  return reinterpret_cast<const std::uint64_t*>(mapping.Chunk(mapping.taken));
}

StreamReader::StreamChunk StreamReader::CopyOf(const std::uint64_t* shared) {
  std::memcpy(mapping_->words.data(), shared, TARE_STREAM_CHUNK);
  return {mapping_->words, mapping_->known.section_address, mapping_->known.load_bias};
}

Result<std::span<const std::uint32_t>> StreamReader::TakeNumbers(
    const StreamDescriptions& descriptions, bool ended, std::vector<std::uint32_t>& known,
    const std::function<std::uint32_t(std::uint32_t)>& number) {
  known.resize(descriptions.SectionWords(), StreamDescriptions::kNone);
  while (true) {
    // Each word is read once, so that no copy is needed.
    TRY(const volatile std::uint64_t* const words, NextChunk(ended));
    if (words == nullptr) return std::span<const std::uint32_t>();
    std::uint32_t* const first = mapping_->numbers.data();
    std::uint32_t* next = first;
    const std::uint64_t section = mapping_->known.section_address;
    for (std::size_t at = 0; at < kChunkWords;) {
      const std::uint64_t word = words[at];
      if (word == 0) break;
      // Large if the offset is no multiple of 8.
      const std::uint64_t place = std::rotr(word - section, 3);
      if (place < known.size() && known[place] != StreamDescriptions::kNone) [[likely]] {
        *next++ = known[place];
        ++at;
        continue;
      }
      const std::uint32_t start = descriptions.At(word - section);
      if (start == StreamDescriptions::kNone) return DamagedAt(at);
      const std::uint32_t index = start & ~StreamDescriptions::kLong;
      const std::size_t length = descriptions.stretches()[index].words;
      if (length > kChunkWords - at) return DamagedAt(at);
      *next++ = number(index);
      if (index == start) known[place] = next[-1];
      at += length;
    }
    ReleaseChunk();
    // A chunk is empty if the program ended right after it had got it.
    if (next != first) return std::span<const std::uint32_t>(first, next);
  }
}

void StreamReader::ReleaseChunk() {
  Mapping& mapping = *mapping_;
  if (mapping.ended) return;
  std::memset(mapping.Chunk(mapping.taken), 0, TARE_STREAM_CHUNK);
  ++mapping.taken;
  std::atomic_ref(mapping.Shared().taken).store(mapping.taken, std::memory_order_release);
  syscall(SYS_futex, &mapping.Shared().taken, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

std::unexpected<Error> StreamReader::DamagedAt(std::size_t word) const {
  return Fail(ErrorKind::kFormat,
              fmt::format("stream of thread {}: word {} of chunk {} starts no record",
                          mapping_->known.thread, word, mapping_->taken));
}

}  // namespace tare::format
