// flow_reader.cc: reads a flow without trusting its contents, and keeps wake-ups rare.
#include "format/flow_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "format/live_records.h"
#include "format/shared_file.h"

namespace tare::format {
namespace {

constexpr std::uint64_t kStep = 2 * TARE_FLOW_CHUNK;
// The engine wakes a reader when half the ring is full, not for each chunk. The remaining chunks
// can wait this long.
constexpr std::chrono::nanoseconds kLongestNap = std::chrono::milliseconds(10);
// Polling this often is cheaper than sleeping until the next chunk.
constexpr int kLooksBeforeSleep = 2000;

using SteadyClock = std::chrono::steady_clock;

std::unexpected<Error> DamagedFlow(const std::filesystem::path& path, std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("{}: {}", path.string(), what));
}

struct flock LockAt(off_t place) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = place;
  lock.l_len = 1;
  return lock;
}

// Checks the process and not the thread: a reading thread may be pinned to one core, away from the
// program.
bool HasSeveralCores() {
  cpu_set_t cores;
  return sched_getaffinity(getpid(), sizeof cores, &cores) != 0 || CPU_COUNT(&cores) > 1;
}

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield");
#endif
}

void SleepOn(std::uint32_t& word, std::uint32_t seen, std::chrono::nanoseconds most) {
  const timespec time = {static_cast<time_t>(most.count() / 1'000'000'000),
                         static_cast<long>(most.count() % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &time, nullptr, 0);
}

}  // namespace

struct FlowReader::Mapping {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::optional<CutGuard> guard;
  std::filesystem::path name;
  Descriptor file;
  tare_flow_header known{};  // offsets and sizes as they were when the file was opened
  std::uint32_t taken = 0;
  std::uint64_t part = 0;    // words of the oldest chunk that NextPart() has returned
  std::uint64_t buffer = 0;  // the next one that NextLeft() looks at
  std::vector<std::uint64_t> left;
  LiveRecords records;
  FlowDescriptions descriptions;
  std::optional<Error> damage;
  bool claimed = false;
  bool several_cores = HasSeveralCores();

  explicit Mapping(LiveRecords live) : records(std::move(live)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (base == nullptr) return;
    if (claimed && HasEnded()) FreeChunks();
    munmap(base, bytes);
  }

  tare_flow_header& Shared() const { return *reinterpret_cast<tare_flow_header*>(base); }

  Result<void> Map(const std::filesystem::path& path) {
    TRY(file, OpenShared(path));
    struct stat status = {};
    fstat(file.Number(), &status);
    bytes = static_cast<std::uint64_t>(status.st_size);
    if (bytes < sizeof known) return DamagedFlow(path, "too short for a flow");
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.Number(), 0);
    if (memory == MAP_FAILED) return std::unexpected(SystemError("map", path, errno));
    base = static_cast<std::byte*>(memory);
    guard.emplace(base, bytes);
    name = path;
    if (std::atomic_ref(Shared().magic).load(std::memory_order_acquire) != TARE_FLOW_MAGIC) {
      return DamagedFlow(path, "not a flow, or not yet complete");
    }
    std::memcpy(&known, base, sizeof known);
    if (guard->WasCut()) return FileWasCut(path);
    return Check(path);
  }

  Result<void> Check(const std::filesystem::path& path) {
    if (known.version != TARE_FLOW_VERSION) {
      return DamagedFlow(path, fmt::format("it has version {}; this tare reads version {}",
                                           known.version, TARE_FLOW_VERSION));
    }
    const tare_wire_header& recording = records.known();
    if (known.process != recording.process || known.generation != recording.generation ||
        known.architecture != recording.architecture) {
      return DamagedFlow(path, "it does not belong to its recording");
    }
    const bool fits = known.chunks > 0 && known.chunks <= TARE_FLOW_MAX_CHUNKS &&
                      known.first_at % 8 == 0 && known.first_at >= sizeof known &&
                      known.first_at <= bytes && known.chunks * kStep <= bytes - known.first_at;
    if (!fits) return DamagedFlow(path, "its parts exceed the file");
    taken = known.taken;
    return {};
  }

  // From now on the engine waits for this reader as long as the lock is held.
  Result<void> Claim(const std::filesystem::path& path) {
    struct flock lock = LockAt(TARE_FLOW_LOCK_READER);
    if (fcntl(file.Number(), F_OFD_SETLK, &lock) != 0) {
      return std::unexpected(SystemError("lock", path, errno));
    }
    std::atomic_ref(Shared().reader)
        .store(static_cast<std::uint32_t>(getpid()), std::memory_order_release);
    claimed = true;
    return {};
  }

  // A program may have thousands of child processes, and their files stay until the run is over.
  void FreeChunks() const {
    (void)fallocate(file.Number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(known.first_at), static_cast<off_t>(bytes - known.first_at));
  }

  bool HasEnded() const {
    if (std::atomic_ref(Shared().ended).load(std::memory_order_acquire) != 0) return true;
    struct flock lock = LockAt(TARE_FLOW_LOCK_ENGINE);
    return fcntl(file.Number(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK;
  }

  // The number of chunks that can be taken; 0 if the shared counter is invalid.
  std::uint32_t Available() const {
    const std::uint32_t full =
        std::atomic_ref(Shared().written).load(std::memory_order_acquire) - taken;
    return full <= known.chunks ? full : 0;
  }

  std::span<const std::uint64_t> Words() const {
    return FromPart(Shared().chunk_words[taken % known.chunks]);
  }

  // The oldest chunk up to word `end`, without what NextPart() has returned.
  std::span<const std::uint64_t> FromPart(std::uint64_t end) const {
    const std::byte* chunk = base + known.first_at + kStep * (taken % known.chunks);
    end = std::min<std::uint64_t>(end, kStep / 8);
    const std::uint64_t begin = std::min(part, end);
    return {reinterpret_cast<const std::uint64_t*>(chunk) + begin, end - begin};
  }

  // An engine sets `filled` to 0 before it hands a chunk over, and to another value only after
  // that. So if `written` is the same before and after, `filled` belongs to the oldest chunk.
  std::span<const std::uint64_t> TakePart() {
    tare_flow_header& shared = Shared();
    if (std::atomic_ref(shared.written).load(std::memory_order_acquire) != taken) return {};
    const std::uint32_t filled = std::atomic_ref(shared.filled).load(std::memory_order_acquire);
    if (std::atomic_ref(shared.written).load(std::memory_order_acquire) != taken) return {};
    const auto words = FromPart(filled);
    part += words.size();
    return words;
  }

  std::span<const std::uint64_t> TakeLeft() {
    const std::uint64_t size = sizeof(tare_flow_buffer);
    const std::uint64_t at = known.buffers_at;
    const std::uint64_t room = at % 8 == 0 && at >= sizeof known && at <= bytes ? bytes - at : 0;
    const std::uint64_t buffers =
        std::min(std::atomic_ref(Shared().buffers).load(std::memory_order_acquire), room / size);
    while (buffer < buffers) {
      const auto& from = *reinterpret_cast<const tare_flow_buffer*>(base + at + size * buffer++);
      const std::uint64_t used = std::min<std::uint64_t>(from.used, TARE_FLOW_BUFFER_WORDS);
      if (used == 0) continue;
      left = {TARE_FLOW_MARK | TARE_FLOW_THREAD, from.thread};
      left.insert(left.end(), from.words, from.words + used);
      return left;
    }
    return {};
  }

  // Polls briefly until a chunk is available. A sparse flow has room for many chunks, so that the
  // engine does not wait for its reader.
  void LookAround() const {
    if (!several_cores || known.filter.groups != 0) return;
    for (int i = 0; i < kLooksBeforeSleep && Available() == 0; ++i) Pause();
  }

  void Sleep(std::chrono::nanoseconds most) const {
    tare_flow_header& shared = Shared();
    std::atomic_ref(shared.reader_waits).store(1, std::memory_order_seq_cst);
    const std::uint32_t seen = std::atomic_ref(shared.written).load(std::memory_order_seq_cst);
    if (seen == taken && std::atomic_ref(shared.ended).load(std::memory_order_seq_cst) == 0) {
      SleepOn(shared.written, seen, most);
    }
    std::atomic_ref(shared.reader_waits).store(0, std::memory_order_relaxed);
  }
};

FlowReader::FlowReader(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
FlowReader::FlowReader(FlowReader&&) noexcept = default;
FlowReader& FlowReader::operator=(FlowReader&&) noexcept = default;
FlowReader::~FlowReader() = default;

Result<FlowReader> FlowReader::Open(const std::filesystem::path& directory,
                                    const std::string& name) {
  TRY(auto records, LiveRecords::Open(directory, name));
  auto mapping = std::make_unique<Mapping>(std::move(records));
  const auto path = directory / (TARE_FLOW_FILE "." + name);
  TRY_VOID(mapping->Map(path));
  TRY_VOID(mapping->Claim(path));
  return FlowReader(std::move(mapping));
}

std::uint32_t FlowReader::architecture() const { return mapping_->known.architecture; }
std::uint64_t FlowReader::process() const { return mapping_->known.process; }
std::uint64_t FlowReader::generation() const { return mapping_->known.generation; }
std::uint64_t FlowReader::parent_process() const {
  return mapping_->records.known().parent_process;
}

tare_flow_filter FlowReader::filter() const { return mapping_->known.filter; }

bool FlowReader::Ended() const { return mapping_->HasEnded(); }

bool FlowReader::CutShort() const {
  return std::atomic_ref(mapping_->Shared().cut_short).load(std::memory_order_acquire) != 0;
}

Result<void> FlowReader::IsWhole() const {
  if (mapping_->guard->WasCut()) return FileWasCut(mapping_->name);
  return {};
}

std::span<const FlowBlock> FlowReader::Blocks() const { return mapping_->descriptions.Described(); }

Result<void> FlowReader::Refresh() {
  Mapping& mapping = *mapping_;
  if (mapping.damage) return std::unexpected(*mapping.damage);
  if (mapping.guard->WasCut()) return FileWasCut(mapping.name);
  auto bytes = mapping.records.ReadNew();
  const auto appended = bytes ? mapping.descriptions.Append(std::move(*bytes))
                              : Result<void>(std::unexpected(bytes.error()));
  if (!appended) mapping.damage = appended.error();
  return appended;
}

bool FlowReader::Wait(std::uint64_t timeout_ns) {
  const auto end = SteadyClock::now() + std::chrono::nanoseconds(timeout_ns);
  for (;;) {
    if (timeout_ns > 0) mapping_->LookAround();
    const bool ended = mapping_->Available() == 0 && Ended();
    while (mapping_->Available() > 0) {
      if (!mapping_->Words().empty()) return true;
      ReleaseChunk();
    }
    const auto left = end - SteadyClock::now();
    if (ended || left <= left.zero()) return false;
    mapping_->Sleep(std::min<std::chrono::nanoseconds>(left, kLongestNap));
  }
}

std::span<const std::uint64_t> FlowReader::Next() const {
  if (mapping_->Available() == 0) return {};
  return mapping_->Words();
}

std::span<const std::uint64_t> FlowReader::NextPart() { return mapping_->TakePart(); }

std::span<const std::uint64_t> FlowReader::NextLeft() { return mapping_->TakeLeft(); }

void FlowReader::ReleaseChunk() {
  tare_flow_header& shared = mapping_->Shared();
  mapping_->part = 0;
  const std::uint32_t taken = ++mapping_->taken;
  std::atomic_ref(shared.taken).store(taken, std::memory_order_seq_cst);
  if (std::atomic_ref(shared.engine_waits).load(std::memory_order_seq_cst) == 0) return;
  const std::uint32_t wanted = std::atomic_ref(shared.engine_wakes).load(std::memory_order_relaxed);
  if (static_cast<std::int32_t>(taken - wanted) < 0) return;
  syscall(SYS_futex, &shared.taken, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool FlowReader::HasEngineCounts() const {
  return mapping_->known.filter.groups != 0 || mapping_->records.known().engine == TARE_WIRE_QEMU;
}

Result<std::vector<tare_wire_counters>> FlowReader::EngineCounts(std::size_t blocks) const {
  return mapping_->records.ReadCounters(blocks);
}

Result<void> FlowReader::WriteCounts(std::span<const tare_wire_counters> counts) {
  return mapping_->records.WriteCounters(counts);
}

}  // namespace tare::format
