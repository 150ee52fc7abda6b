// source_reader.cc: reads shared memory word by word and clears what it has read.
#include "measure/events/source_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "format/shared_file.h"
#include "machine/clock/rollover.h"

namespace tare::events {
namespace {

constexpr std::uint64_t kHalf = TARE_SOURCE_WORDS / 2;
constexpr std::uint64_t kFileBytes = TARE_SOURCE_HEADER_BYTES + TARE_SOURCE_WORDS * 8u;
constexpr std::uint64_t kTimeMask = (std::uint64_t{1} << TARE_SOURCE_TIME_BITS) - 1;
constexpr std::uint32_t kSiteMask = (1u << TARE_SOURCE_SITE_BITS) - 1;
// A thread may read the clock and be preempted before it stores the event.
constexpr std::uint64_t kSlack = std::uint64_t{1} << 38;
constexpr std::uint64_t kMaxSitesBytes = 64u << 20;
constexpr std::size_t kMaxNameBytes = 4096;
constexpr double kMaxNs = 9e18;
// Places in the source: not yet looked up, and looked up in vain.
constexpr std::uint32_t kNotLookedUp = UINT32_MAX;
constexpr std::uint32_t kUnknownSite = UINT32_MAX - 1;

std::string_view NextField(std::string_view& rest) {
  const std::size_t tab = rest.find('\t');
  const std::string_view field = rest.substr(0, tab);
  rest.remove_prefix(tab == std::string_view::npos ? rest.size() : tab + 1);
  return field;
}

bool ToNumber(std::string_view text, std::uint32_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

std::uint64_t CorrectRollover(std::uint64_t low_bits, std::uint64_t last, std::uint64_t slack) {
  const std::uint64_t from = last - std::min(last, slack);
  // Less than a period has passed, because the reader looks at the clock more often.
  const auto ticks = clock::ElapsedTicks(from & kTimeMask, low_bits & kTimeMask,
                                         TARE_SOURCE_TIME_BITS, {.min = 0, .max = kTimeMask});
  CHECK(ticks.has_value());
  return from + *ticks;
}

Result<std::pair<std::uint32_t, format::EventSite>> ParseSite(std::string_view record) {
  std::pair<std::uint32_t, format::EventSite> parsed;
  auto& [number, site] = parsed;
  const bool has_number = ToNumber(NextField(record), number);
  const std::string_view kind = NextField(record);
  const bool has_line = ToNumber(NextField(record), site.line);
  site.file = NextField(record);
  site.name = record;
  if (kind == "s") {
    site.kind = format::SiteKind::kSpan;
  } else if (kind == "v") {
    site.kind = format::SiteKind::kValue;
  } else if (kind != "e") {
    return Fail(ErrorKind::kFormat, "a site of an unknown kind");
  }
  if (!has_number || !has_line) return Fail(ErrorKind::kFormat, "a site without a number");
  return parsed;
}

struct SourceReader::Buffer {
  tare_source_header* header = nullptr;
  std::optional<format::CutGuard> guard;
  std::uint64_t* words = nullptr;
  std::uint64_t image = 0;
  std::uint64_t start_clock = 0;
  std::uint64_t start_ns = 0;
  std::uint32_t thread = 0;  // in the trace
  std::uint64_t at = 0;      // next word
  std::uint32_t taken = 0;
  std::uint64_t last = 0;            // clock
  std::uint64_t time_ns = 0;         // of the last event
  std::vector<std::uint32_t> sites;  // in the trace, by the program's number

  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (header != nullptr) munmap(header, kFileBytes);
  }
  bool Map(const std::filesystem::path& path) {
    const auto file = format::OpenShared(path);
    struct stat about{};
    if (!file || fstat(file->Number(), &about) != 0 ||
        static_cast<std::uint64_t>(about.st_size) != kFileBytes) {
      return false;
    }
    void* const memory =
        mmap(nullptr, kFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file->Number(), 0);
    if (memory == MAP_FAILED) return false;
    guard.emplace(memory, kFileBytes);
    header = static_cast<tare_source_header*>(memory);
    words = reinterpret_cast<std::uint64_t*>(static_cast<char*>(memory) + TARE_SOURCE_HEADER_BYTES);
    return std::atomic_ref(header->magic).load(std::memory_order_acquire) == TARE_SOURCE_MAGIC &&
           header->version == TARE_SOURCE_VERSION;
  }
};

SourceReader::SourceReader(std::filesystem::path directory, double tick_ns, std::uint64_t start_ns,
                           format::EventTraceWriter& writer)
    : directory_(std::move(directory)), tick_ns_(tick_ns), start_ns_(start_ns), writer_(writer) {}

SourceReader::~SourceReader() = default;

void SourceReader::Look() {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("events.") || buffers_.contains(name)) continue;
    auto buffer = std::make_unique<Buffer>();
    if (!buffer->Map(entry->path())) continue;
    const tare_source_header& header = *buffer->header;
    buffer->image = header.image;
    buffer->start_clock = header.start_clock;
    buffer->start_ns = header.start_ns;
    buffer->last = header.start_clock;
    parents_[header.image] = header.parent;
    auto& threads = writer_.tables().threads;
    buffer->thread = static_cast<std::uint32_t>(threads.size());
    threads.push_back({header.process, header.thread, 0});
    std::atomic_ref(buffer->header->reader)
        .store(static_cast<std::uint32_t>(getpid()), std::memory_order_release);
    buffers_.emplace(name, std::move(buffer));
  }
}

void SourceReader::ReadSites(std::uint64_t image) {
  const auto path = directory_ / fmt::format("sites.{:x}", image);
  std::uint64_t& read = site_bytes_[image];
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error || size <= read) return;
  const auto text = ReadFile(path, kMaxSitesBytes);
  if (!text || text->size() <= read) return;
  std::string_view rest = std::string_view(*text).substr(read);
  const std::size_t last = rest.rfind('\0');
  if (last != std::string_view::npos) read += last + 1;
  for (std::size_t end = rest.find('\0'); end != std::string_view::npos; end = rest.find('\0')) {
    auto parsed = ParseSite(rest.substr(0, end));
    rest.remove_prefix(end + 1);
    if (!parsed) continue;
    auto& table = writer_.tables().sites;
    const auto number = static_cast<std::uint32_t>(table.size());
    if (number >= format::kMaxTraceSites) return;
    if (!sites_.try_emplace({image, parsed->first}, number).second) continue;
    parsed->second.name.resize(std::min(parsed->second.name.size(), kMaxNameBytes));
    parsed->second.file.resize(std::min(parsed->second.file.size(), kMaxNameBytes));
    table.push_back(std::move(parsed->second));
  }
}

std::uint32_t SourceReader::SiteOf(Buffer& buffer, std::uint32_t number) {
  if (buffer.sites.size() <= number) buffer.sites.resize(number + 1, kNotLookedUp);
  std::uint32_t& site = buffer.sites[number];
  // A site is stored before its first event, so one that was looked up in vain stays unknown.
  if (site == kNotLookedUp) site = FindSite(buffer.image, number);
  return site;
}

std::uint32_t SourceReader::FindSite(std::uint64_t image, std::uint32_t number) {
  std::uint64_t from = image;
  for (std::size_t generation = 0; from != 0 && generation <= parents_.size(); ++generation) {
    ReadSites(from);
    const auto found = sites_.find({from, number});
    if (found != sites_.end()) return found->second;
    const auto parent = parents_.find(from);
    from = parent == parents_.end() ? 0 : parent->second;
  }
  return kUnknownSite;
}

// Returns whether the word was valid.
bool SourceReader::TakeWord(Buffer& buffer, std::uint64_t word, std::uint64_t value) {
  const auto kind = static_cast<unsigned>(word >> 61);
  if (kind < TARE_SOURCE_EVENT || kind > TARE_SOURCE_TIMED) return false;
  format::TimedEvent event;
  event.thread = buffer.thread;
  event.site =
      SiteOf(buffer, static_cast<std::uint32_t>(word >> TARE_SOURCE_TIME_BITS) & kSiteMask);
  if (event.site == kUnknownSite) return false;
  event.has_time = kind != TARE_SOURCE_EVENT;
  if (event.has_time) {
    const std::uint64_t clock = CorrectRollover(word & kTimeMask, buffer.last, 0);
    buffer.last = clock;
    const double ns = std::min(
        static_cast<double>(clock - std::min(clock, buffer.start_clock)) * tick_ns_, kMaxNs);
    const std::uint64_t base = buffer.start_ns - std::min(buffer.start_ns, start_ns_);
    buffer.time_ns = std::max(buffer.time_ns, base + static_cast<std::uint64_t>(ns));
  }
  event.time_ns = buffer.time_ns;
  if (kind == TARE_SOURCE_BEGIN) event.kind = format::TimedKind::kBegin;
  if (kind == TARE_SOURCE_END) event.kind = format::TimedKind::kEnd;
  if (kind == TARE_SOURCE_VALUE) {
    event.kind = format::TimedKind::kValue;
    event.value = value;
  }
  writer_.AddTimed(event);
  return true;
}

std::uint64_t SourceReader::TakeBuffer(Buffer& buffer, std::uint64_t now_ticks) {
  std::uint64_t events = 0;
  const std::atomic_ref alive(buffer.header->alive);
  alive.store(alive.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  // A thread that is faster than this one must not keep it from the other threads.
  while (events < TARE_SOURCE_WORDS) {
    const std::uint64_t half_end = (buffer.taken % 2 + 1) * kHalf;
    if (buffer.at < half_end) {
      std::atomic_ref<std::uint64_t> first(buffer.words[buffer.at]);
      const std::uint64_t word = first.load(std::memory_order_acquire);
      const unsigned kind = static_cast<unsigned>(word >> 61);
      if (word != 0 && kind != TARE_SOURCE_SKIP) {
        const bool has_value = kind == TARE_SOURCE_VALUE && buffer.at + 1 < half_end;
        const std::uint64_t value = has_value ? buffer.words[buffer.at + 1] : 0;
        if (!TakeWord(buffer, word, value)) ++unknown_sites_;
        if (has_value) buffer.words[buffer.at + 1] = 0;
        first.store(0, std::memory_order_relaxed);
        buffer.at += has_value ? 2 : 1;
        ++events;
        continue;
      }
    }
    // The rest of a half that was handed over is empty.
    const std::uint32_t written =
        std::atomic_ref(buffer.header->written).load(std::memory_order_acquire);
    // Another difference means that the program has overwritten the header.
    if (written - buffer.taken - 1 > 1) break;
    if (buffer.at < half_end) {
      std::atomic_ref<std::uint64_t> left(buffer.words[buffer.at]);
      const std::uint64_t word = left.load(std::memory_order_acquire);
      if (word != 0 && word >> 61 != TARE_SOURCE_SKIP) continue;
      left.store(0, std::memory_order_relaxed);
    }
    ++buffer.taken;
    buffer.at = buffer.taken % 2 * kHalf;
    std::atomic_ref(buffer.header->taken).store(buffer.taken, std::memory_order_release);
  }
  // All events so far have been read, so later ones are not earlier than now, except for those
  // that were timed but not stored. This makes roll-overs of idle threads visible.
  if (events < TARE_SOURCE_WORDS && now_ticks > kSlack)
    buffer.last = std::max(buffer.last, now_ticks - kSlack);
  return events;
}

std::uint64_t SourceReader::Take(std::uint64_t now_ticks) {
  Look();
  std::uint64_t events = 0;
  for (auto at = buffers_.begin(); at != buffers_.end();) {
    auto& [name, buffer] = *at;
    const bool ended = std::atomic_ref(buffer->header->ended).load(std::memory_order_acquire) != 0;
    events += TakeBuffer(*buffer, now_ticks);
    if (!ended) {
      ++at;
      continue;
    }
    CountLost(*buffer);
    std::error_code ignored;
    std::filesystem::remove(directory_ / name, ignored);
    at = buffers_.erase(at);
  }
  return events;
}

void SourceReader::CountLost(const Buffer& buffer) {
  writer_.AddLost(buffer.header->lost,
                  "the program did not wait for tare, or had no descriptor for their places");
}

void SourceReader::Finish() {
  Take(0);
  for (auto& [name, buffer] : buffers_) CountLost(*buffer);
  writer_.AddLost(unknown_sites_, "their place in the source is unknown");
  // A thread that could not create its buffer leaves an empty directory.
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with("none.")) continue;
    writer_.AddLost(1,
                    "at least one of each thread without a buffer (no room, or a limit of files)");
  }
}

}  // namespace tare::events
