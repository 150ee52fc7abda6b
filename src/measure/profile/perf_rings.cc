// perf_rings.cc: maps and reads rings as perf_event_open(2) describes them.
#include "measure/profile/perf_rings.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "measure/profile/perf_records.h"

namespace tare::profile {
namespace {

// 128 pages and the header page are what an unprivileged user may lock by default
// (kernel.perf_event_mlock_kb).
constexpr std::size_t kRingPages = 128;

std::size_t PageBytes() { return static_cast<std::size_t>(::getpagesize()); }

}  // namespace

void PerfRings::Unmap::operator()(std::vector<Ring>* rings) const {
  for (const Ring& ring : *rings) ::munmap(ring.memory, ring.bytes + PageBytes());
  delete rings;
}

std::size_t PerfRings::Processors() {
  return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_CONF)));
}

std::uint32_t PerfRings::QuarterBytes() {
  return static_cast<std::uint32_t>(kRingPages * PageBytes() / 4);
}

Result<void> PerfRings::Add(std::size_t processor, const Descriptor& event) {
  if (owner_.size() <= processor) owner_.resize(processor + 1, -1);
  if (owner_[processor] >= 0) {
    if (::ioctl(event.Number(), PERF_EVENT_IOC_SET_OUTPUT, owner_[processor]) == 0) return {};
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot join sampling rings: {}", std::strerror(errno)));
  }
  // Halved until the limit for locked memory allows it.
  for (std::size_t pages = kRingPages; pages >= 4; pages /= 2) {
    void* memory = ::mmap(nullptr, (pages + 1) * PageBytes(), PROT_READ | PROT_WRITE, MAP_SHARED,
                          event.Number(), 0);
    if (memory == MAP_FAILED) continue;
    rings_->push_back({memory, pages * PageBytes()});
    owner_[processor] = event.Number();
    return {};
  }
  return Fail(ErrorKind::kUnsupported,
              fmt::format("cannot map the samples: {}; raise 'sysctl kernel.perf_event_mlock_kb'",
                          std::strerror(errno)));
}

void PerfRings::Wait(int milliseconds) const {
  std::vector<pollfd> waiting;
  for (const int owner : owner_) {
    if (owner >= 0) waiting.push_back({owner, POLLIN, 0});
  }
  // A ring whose tasks have all ended reports POLLHUP at once, for ever.
  const int ready = ::poll(waiting.data(), waiting.size(), milliseconds);
  const bool hung = std::ranges::any_of(
      waiting, [](const pollfd& one) { return (one.revents & (POLLHUP | POLLERR)) != 0; });
  if (ready > 0 && hung) ::poll(nullptr, 0, std::min(milliseconds, 10));
}

void PerfRings::Drain(const std::function<void(std::span<const std::byte>)>& take) {
  for (const Ring& ring : *rings_) {
    auto* const header = static_cast<perf_event_mmap_page*>(ring.memory);
    const auto* const data = static_cast<const std::byte*>(ring.memory) + PageBytes();
    const std::uint64_t head = std::atomic_ref(header->data_head).load(std::memory_order_acquire);
    std::uint64_t tail = header->data_tail;
    while (head - tail >= sizeof(perf_event_header)) {
      const std::size_t at = tail % ring.bytes;
      const std::size_t to_end = ring.bytes - at;
      // Headers are aligned to 8 bytes and do not wrap.
      const std::size_t size = RecordBytes({data + at, std::max(to_end, ring.bytes)});
      if (size == 0 || size > head - tail) break;
      if (size <= to_end) {
        take({data + at, size});
      } else {
        wrapped_.assign(data + at, data + ring.bytes);
        wrapped_.insert(wrapped_.end(), data, data + (size - to_end));
        take(wrapped_);
      }
      tail += size;
    }
    std::atomic_ref(header->data_tail).store(tail, std::memory_order_release);
  }
}

}  // namespace tare::profile
