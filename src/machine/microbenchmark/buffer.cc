// buffer.cc: mapped memory and the names of page kinds.
#include "machine/microbenchmark/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace tare::microbenchmark {
namespace {

constexpr std::uint64_t kHugeBytes = std::uint64_t{2} << 20;

std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::uint64_t PageBytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::unexpected<Error> CannotMap(std::uint64_t bytes, int error_number) {
  return Fail(ErrorKind::kUnsupported,
              fmt::format("cannot get {} bytes of memory: {}; try a smaller working set", bytes,
                          std::strerror(error_number)));
}

// A kernel without huge pages rejects the advice; the pages are then small, and HugeShare reports
// it.
void Advise(std::span<std::byte> bytes, Pages pages) {
  if (pages == Pages::kSystem) return;
  madvise(bytes.data(), bytes.size(), pages == Pages::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

void WriteEveryPage(std::span<std::byte> bytes) {
  volatile std::byte* const first = bytes.data();
  const std::uint64_t page = PageBytes();
  for (std::uint64_t at = 0; at < bytes.size(); at += page) first[at] = std::byte{0};
}

// Parses "ffff8000-ffff9000 rw-p ...", the first line of a mapping in /proc/self/smaps.
bool ReadRange(const std::string& line, std::uint64_t& start, std::uint64_t& end) {
  const char* const last = line.data() + line.size();
  const auto low = std::from_chars(line.data(), last, start, 16);
  if (low.ec != std::errc() || low.ptr == last || *low.ptr != '-') return false;
  const auto high = std::from_chars(low.ptr + 1, last, end, 16);
  return high.ec == std::errc() && high.ptr != last && *high.ptr == ' ';
}

}  // namespace

std::string_view Name(Pages pages) {
  switch (pages) {
    case Pages::kSystem:
      return "system";
    case Pages::kSmall:
      return "small";
    case Pages::kHuge:
      return "huge";
  }
  return "system";
}

std::optional<Pages> ParsePages(std::string_view name) {
  for (const Pages pages : {Pages::kSystem, Pages::kSmall, Pages::kHuge}) {
    if (Name(pages) == name) return pages;
  }
  return std::nullopt;
}

Result<Buffer> Buffer::Make(std::uint64_t bytes, Pages pages) {
  if (bytes == 0) return Fail(ErrorKind::kUsage, "a working set of 0 bytes cannot be measured");
  if (bytes > std::numeric_limits<std::uint64_t>::max() / 2) return CannotMap(bytes, ENOMEM);
  const std::uint64_t used = RoundUp(bytes, pages == Pages::kHuge ? kHugeBytes : PageBytes());
  // Inaccessible guard regions on both sides keep the kernel from merging the mapping with another,
  // so smaps reports this one alone.
  const std::uint64_t reserved = used + 2 * kHugeBytes;
  void* const mapped =
      mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return CannotMap(bytes, errno);
  Buffer buffer;
  buffer.mapping_ = {static_cast<std::byte*>(mapped), reserved};
  const std::uint64_t address = std::bit_cast<std::uint64_t>(mapped);
  std::byte* const first = buffer.mapping_.data() + (RoundUp(address + 1, kHugeBytes) - address);
  if (mprotect(first, used, PROT_READ | PROT_WRITE) != 0) return CannotMap(bytes, errno);
  buffer.usable_ = {first, used};
  buffer.bytes_ = {first, bytes};
  Advise(buffer.usable_, pages);
  WriteEveryPage(buffer.usable_);
  return buffer;
}

Buffer::~Buffer() {
  if (!mapping_.empty()) munmap(mapping_.data(), mapping_.size());
}

Buffer::Buffer(Buffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, {})),
      usable_(std::exchange(other.usable_, {})),
      bytes_(std::exchange(other.bytes_, {})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(usable_, other.usable_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

std::optional<double> Buffer::HugeShare() const {
  if (usable_.empty()) return std::nullopt;
  const std::uint64_t first = std::bit_cast<std::uint64_t>(usable_.data());
  std::ifstream maps("/proc/self/smaps");
  constexpr std::string_view kHuge = "AnonHugePages:";
  bool inside = false;
  bool reported = false;
  std::uint64_t huge_kib = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    if (ReadRange(line, start, end)) {
      inside = start < first + usable_.size() && first < end;
    } else if (inside && line.starts_with(kHuge)) {
      huge_kib += std::strtoull(line.c_str() + kHuge.size(), nullptr, 10);
      reported = true;
    }
  }
  if (!reported) return std::nullopt;
  const double share = static_cast<double>(huge_kib) * 1024 / static_cast<double>(usable_.size());
  return std::min(share, 1.0);
}

}  // namespace tare::microbenchmark
