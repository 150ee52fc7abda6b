// software_counters.cc: maps a counter file while its program may still be running.
#include "format/software_counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "base/printable.h"
#include "format/shared_file.h"
#include "format/software_counters_layout.h"

namespace tare::format {
namespace {

constexpr std::uint64_t kHeaderBytes = 4096;

// Atomic, because the program writes concurrently.
std::uint64_t Load(const std::uint64_t* place) { return __atomic_load_n(place, __ATOMIC_ACQUIRE); }

bool IsExtreme(SlotKind kind) { return kind == SlotKind::kMinimum || kind == SlotKind::kMaximum; }

}  // namespace

struct CounterFile::Mapping {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  std::optional<CutGuard> guard;
  std::optional<CutGuard> writable_guard;
  tare_counters_header* writable = nullptr;  // a separate mapping; null if the file is not writable
  tare_counters_header layout{};             // checked
  std::string path;
  UnitContents contents;
  std::vector<std::uint64_t> extremes;  // slots of minima and maxima, ascending
  std::uint64_t samples_taken = 0;

  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (base != nullptr) munmap(base, bytes);
    if (writable != nullptr) munmap(writable, kHeaderBytes);
  }

  const tare_counters_header& Live() const {
    return *reinterpret_cast<const tare_counters_header*>(base);
  }
  const std::uint64_t* Words(std::uint64_t at) const {
    return reinterpret_cast<const std::uint64_t*>(base + at);
  }
  std::uint64_t UsedBanks() const { return std::min(Load(&Live().banks_used), layout.banks); }
  // Returns null for a bank that was never owned: touching it would allocate memory.
  const std::uint64_t* Bank(std::uint64_t bank) const {
    if (Load(Words(layout.owners_at) + bank) == TARE_OWNER_NONE) return nullptr;
    return Words(layout.banks_at + bank * layout.bank_bytes);
  }

  Result<void> Map(int descriptor, const std::filesystem::path& name);
  Result<void> ReadContents();
};

Result<void> CounterFile::Mapping::Map(int descriptor, const std::filesystem::path& name) {
  struct stat status{};
  if (fstat(descriptor, &status) != 0) return std::unexpected(SystemError("read", name, errno));
  if (!S_ISREG(status.st_mode) || status.st_size < static_cast<off_t>(kHeaderBytes)) {
    return Fail(ErrorKind::kFormat, "counters: not yet complete");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) return std::unexpected(SystemError("map", name, errno));
  base = static_cast<std::byte*>(mapped);
  bytes = size;
  guard.emplace(mapped, size);
  void* const header =
      mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (header == MAP_FAILED) return {};
  writable = static_cast<tare_counters_header*>(header);
  writable_guard.emplace(header, kHeaderBytes);
  return {};
}

Result<void> CounterFile::Mapping::ReadContents() {
  // Acquires the magic first, because the program stores it after all other members.
  layout.magic = Load(&Live().magic);
  std::memcpy(reinterpret_cast<std::byte*>(&layout) + sizeof layout.magic,
              base + sizeof layout.magic, sizeof layout - sizeof layout.magic);
  TRY_VOID(CheckCounterLayout(layout, bytes));
  path.assign(reinterpret_cast<const char*>(base + layout.path_at), layout.path_bytes);
  path.resize(std::min(path.find('\0'), path.size()));
  const std::vector<std::byte> units(base + layout.units_at,
                                     base + layout.units_at + layout.units_bytes);
  TRY(contents, ParseUnits(units, layout));
  for (const SlotMetric& metric : contents.metrics) {
    if (IsExtreme(metric.kind)) extremes.push_back(metric.slot);
  }
  std::ranges::sort(extremes);
  std::set<EntryMetric> entered(contents.entries.begin(), contents.entries.end());
  entered.insert(contents.hidden_entries.begin(), contents.hidden_entries.end());
  std::erase_if(contents.metrics, [&entered](const SlotMetric& metric) {
    return !metric.site.empty() && entered.contains({metric.name, metric.site});
  });
  samples_taken = layout.samples_taken;
  if (guard->WasCut()) return FileWasCut(path);
  return {};
}

CounterFile::CounterFile(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
CounterFile::CounterFile(CounterFile&&) noexcept = default;
CounterFile& CounterFile::operator=(CounterFile&&) noexcept = default;
CounterFile::~CounterFile() = default;

Result<CounterFile> CounterFile::OpenDescriptor(int descriptor, const std::filesystem::path& name) {
  auto mapping = std::make_unique<Mapping>();
  TRY_VOID(mapping->Map(descriptor, name));
  if (const auto read = mapping->ReadContents(); !read) {
    return Fail(read.error().kind,
                fmt::format("{}: {}", Printable(name.string()), read.error().message));
  }
  return CounterFile(std::move(mapping));
}

Result<CounterFile> CounterFile::Open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO of that name must not block.
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(open(path.c_str(), O_RDWR | kFlags));
  if (!file.IsOpen() && (errno == EACCES || errno == EROFS)) {
    file = Descriptor(open(path.c_str(), O_RDONLY | kFlags));
  }
  if (!file.IsOpen()) return std::unexpected(SystemError("open", path, errno));
  return OpenDescriptor(file.Number(), path);
}

tare_counters_header CounterFile::Header() const {
  const tare_counters_header& live = mapping_->Live();
  tare_counters_header header = mapping_->layout;
  header.state = __atomic_load_n(&live.state, __ATOMIC_ACQUIRE);
  header.load_bias = Load(&live.load_bias);
  header.functions_used = Load(&live.functions_used);
  header.functions_lost = Load(&live.functions_lost);
  if (Load(&live.samples_room) == 0) header.samples_room = 0;
  header.samples_written = Load(&live.samples_written);
  header.samples_taken = mapping_->samples_taken;
  header.samples_lost = Load(&live.samples_lost);
  header.sampling_ns = Load(&live.sampling_ns);
  header.sample_interval_ns = Load(&live.sample_interval_ns);
  header.banks_used = mapping_->UsedBanks();
  header.lost_threads = Load(&live.lost_threads);
  header.lost_children = Load(&live.lost_children);
  return header;
}

const std::string& CounterFile::ModulePath() const { return mapping_->path; }
const std::vector<SlotMetric>& CounterFile::Metrics() const { return mapping_->contents.metrics; }
const std::vector<EntryMetric>& CounterFile::Entries() const { return mapping_->contents.entries; }
const std::vector<UnitBlocks>& CounterFile::Blocks() const { return mapping_->contents.blocks; }

void CounterFile::Read(std::span<std::uint64_t> to) const {
  CHECK(to.size() == mapping_->layout.slots);
  std::ranges::fill(to, 0);
  const std::uint64_t used = mapping_->UsedBanks();
  for (std::uint64_t i = 0; i < used; ++i) {
    const std::uint64_t* const bank = mapping_->Bank(i);
    if (bank == nullptr) continue;
    for (std::size_t slot = 0; slot < to.size(); ++slot) {
      to[slot] += __atomic_load_n(bank + slot, __ATOMIC_RELAXED);
    }
  }
  for (const std::uint64_t slot : mapping_->extremes) {
    to[slot] = ReadSlot(slot, SlotKind::kMaximum);
  }
}

std::uint64_t CounterFile::ReadSlot(std::uint64_t slot, SlotKind kind) const {
  CHECK(slot < mapping_->layout.slots);
  std::uint64_t result = 0;
  const std::uint64_t used = mapping_->UsedBanks();
  for (std::uint64_t i = 0; i < used; ++i) {
    const std::uint64_t* const bank = mapping_->Bank(i);
    if (bank == nullptr) continue;
    const std::uint64_t value = __atomic_load_n(bank + slot, __ATOMIC_RELAXED);
    result = IsExtreme(kind) ? std::max(result, value) : result + value;
  }
  return result;
}

std::vector<HookedFunction> CounterFile::HookedFunctions() const {
  std::vector<HookedFunction> functions;
  const tare_counters_header& layout = mapping_->layout;
  const std::uint64_t* const table = mapping_->Words(layout.functions_at);
  static_assert(sizeof(tare_counters_function) == 2 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < layout.functions_room; ++i) {
    const HookedFunction function{Load(table + 2 * i), Load(table + 2 * i + 1) - 1};
    if (function.address != 0 && function.slot >= layout.function_slot &&
        function.slot - layout.function_slot < layout.function_slots) {
      functions.push_back(function);
    }
  }
  return functions;
}

std::size_t CounterFile::TakeSamples(std::vector<std::uint64_t>& values) {
  const tare_counters_header& layout = mapping_->layout;
  if (layout.samples_room == 0) return 0;
  const std::uint64_t written = Load(&mapping_->Live().samples_written);
  // The program never overwrites a record that was not taken. If the numbers say otherwise, they
  // are not trusted, and the contents of the ring are taken once.
  std::uint64_t next = mapping_->samples_taken;
  if (written - next > layout.samples_room) next = written - layout.samples_room;
  const std::size_t count = written - next;
  const std::uint64_t* const ring = mapping_->Words(layout.samples_at);
  for (; next != written; ++next) {
    const std::uint64_t* const record = ring + next % layout.samples_room * layout.sample_values;
    values.insert(values.end(), record, record + layout.sample_values);
  }
  mapping_->samples_taken = written;
  if (mapping_->writable != nullptr) {
    __atomic_store_n(&mapping_->writable->samples_taken, written, __ATOMIC_RELEASE);
  }
  return count;
}

bool CounterFile::SetSampleInterval(std::uint64_t interval_ns) {
  if (mapping_->writable == nullptr) return false;
  __atomic_store_n(&mapping_->writable->sample_interval_ns, interval_ns, __ATOMIC_RELEASE);
  return true;
}

std::optional<std::int64_t> ValueOfSlot(const SlotMetric& metric, std::uint64_t raw) {
  if (!IsExtreme(metric.kind)) return static_cast<std::int64_t>(raw);
  if (raw == 0) return std::nullopt;
  const std::uint64_t value = metric.kind == SlotKind::kMinimum ? ~raw : raw;
  if (metric.is_signed) return static_cast<std::int64_t>(value ^ (std::uint64_t{1} << 63));
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMax));
}

}  // namespace tare::format
