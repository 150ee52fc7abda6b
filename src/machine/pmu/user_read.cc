// user_read.cc: the protocol of perf_event_mmap_page and the counter registers of x86-64 and
// AArch64.
#include "machine/pmu/user_read.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

namespace tare::pmu {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

// The register contains a signed number of `width` bits.
std::int64_t SignExtended(std::uint64_t value, unsigned width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(value);
  const unsigned unused = 64 - width;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

}  // namespace

EventCode WithUserRead(EventCode code) {
#if defined(__aarch64__)
  constexpr std::uint64_t kUserAccess = 2;  // Documentation/arch/arm64/perf.rst
  code.config1 |= kUserAccess;
#endif
  return code;
}

#if defined(__x86_64__)

std::uint64_t ReadCounterRegister(std::uint32_t index) {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
  return (std::uint64_t{high} << 32) | low;
}

#elif defined(__aarch64__)

// PMEVCNTRn_EL0 is s3_3_c14_c(8 + n / 8)_(n % 8); the register number is part of the instruction.
#define TARE_READ_COUNTER(n, group, place)                                        \
  case n:                                                                         \
    asm volatile("mrs %0, s3_3_c14_c" #group "_" #place : "=r"(value)::"memory"); \
    break

std::uint64_t ReadCounterRegister(std::uint32_t index) {
  std::uint64_t value = 0;
  // Reads of these registers are not ordered with earlier instructions.
  asm volatile("isb" ::: "memory");
  switch (index) {
    TARE_READ_COUNTER(0, 8, 0);
    TARE_READ_COUNTER(1, 8, 1);
    TARE_READ_COUNTER(2, 8, 2);
    TARE_READ_COUNTER(3, 8, 3);
    TARE_READ_COUNTER(4, 8, 4);
    TARE_READ_COUNTER(5, 8, 5);
    TARE_READ_COUNTER(6, 8, 6);
    TARE_READ_COUNTER(7, 8, 7);
    TARE_READ_COUNTER(8, 9, 0);
    TARE_READ_COUNTER(9, 9, 1);
    TARE_READ_COUNTER(10, 9, 2);
    TARE_READ_COUNTER(11, 9, 3);
    TARE_READ_COUNTER(12, 9, 4);
    TARE_READ_COUNTER(13, 9, 5);
    TARE_READ_COUNTER(14, 9, 6);
    TARE_READ_COUNTER(15, 9, 7);
    TARE_READ_COUNTER(16, 10, 0);
    TARE_READ_COUNTER(17, 10, 1);
    TARE_READ_COUNTER(18, 10, 2);
    TARE_READ_COUNTER(19, 10, 3);
    TARE_READ_COUNTER(20, 10, 4);
    TARE_READ_COUNTER(21, 10, 5);
    TARE_READ_COUNTER(22, 10, 6);
    TARE_READ_COUNTER(23, 10, 7);
    TARE_READ_COUNTER(24, 11, 0);
    TARE_READ_COUNTER(25, 11, 1);
    TARE_READ_COUNTER(26, 11, 2);
    TARE_READ_COUNTER(27, 11, 3);
    TARE_READ_COUNTER(28, 11, 4);
    TARE_READ_COUNTER(29, 11, 5);
    TARE_READ_COUNTER(30, 11, 6);
    case 31:
      asm volatile("mrs %0, pmccntr_el0" : "=r"(value)::"memory");
      break;
    default:
      break;
  }
  asm volatile("isb" ::: "memory");
  return value;
}

#undef TARE_READ_COUNTER

#endif

std::optional<std::uint64_t> ReadByPage(const volatile perf_event_mmap_page& page,
                                        std::uint64_t (*read_register)(std::uint32_t)) {
  for (;;) {
    // The kernel updates the page on the processor of this thread, so only compiler reordering must
    // be prevented.
    const std::uint32_t before = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint32_t index = page.index;
    const bool allowed = page.cap_user_rdpmc != 0;
    std::int64_t count = page.offset;
    if (allowed && index != 0) count += SignExtended(read_register(index - 1), page.pmc_width);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (page.lock != before) continue;
    if (!allowed || index == 0) return std::nullopt;
    return static_cast<std::uint64_t>(count);
  }
}

UserReadPage::UserReadPage(const EventHandle& event) {
  if (!event.IsOpen()) return;
  void* page = ::mmap(nullptr, PageBytes(), PROT_READ, MAP_SHARED, event.Descriptor(), 0);
  if (page != MAP_FAILED) page_ = static_cast<const perf_event_mmap_page*>(page);
}

UserReadPage::~UserReadPage() {
  if (page_ != nullptr) ::munmap(const_cast<perf_event_mmap_page*>(page_), PageBytes());
}

bool UserReadPage::IsAllowed() const { return page_ != nullptr && page_->cap_user_rdpmc != 0; }

std::optional<std::uint64_t> UserReadPage::Read() const {
  if (page_ == nullptr) return std::nullopt;
  return ReadByPage(*page_, ReadCounterRegister);
}

}  // namespace tare::pmu
