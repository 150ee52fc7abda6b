// user_read_test.cc: tests the protocol of the mmap page (perf_event_open(2)) on synthetic pages.
#include "machine/pmu/user_read.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

namespace tare::pmu {
namespace {

std::uint32_t g_read_index = 0;
std::uint64_t g_register = 0;
perf_event_mmap_page* g_changing = nullptr;
int g_reads = 0;

std::uint64_t Register(std::uint32_t index) {
  g_read_index = index;
  ++g_reads;
  return g_register;
}

// The kernel moves the event to another counter once, between the two reads of the lock.
std::uint64_t RegisterThatMoves(std::uint32_t index) {
  if (g_reads++ == 0) {
    g_changing->lock += 2;
    g_changing->index = 4;
    g_changing->offset = 7000;
    return 999'999;
  }
  g_read_index = index;
  return 5;
}

perf_event_mmap_page Page(std::uint32_t index, std::int64_t offset, std::uint16_t width) {
  perf_event_mmap_page page{};
  page.index = index;
  page.offset = offset;
  page.pmc_width = width;
  page.cap_user_rdpmc = 1;
  return page;
}

TEST(ReadByPage, AddsTheRegisterToTheOffset) {
  const auto page = Page(3, 1'000'000, 48);
  g_register = 234;
  EXPECT_EQ(ReadByPage(page, Register), 1'000'234U);
  EXPECT_EQ(g_read_index, 2U) << "the page counts from 1, the instruction from 0";
}

// The kernel starts counters at a negative value so that they overflow in time; the register is
// signed.
TEST(ReadByPage, ExtendsTheSignOfShortRegisters) {
  const auto page = Page(1, 500, 48);
  g_register = (std::uint64_t{1} << 48) - 100;
  EXPECT_EQ(ReadByPage(page, Register), 400U);
  const auto narrow = Page(1, std::int64_t{1} << 31, 32);
  g_register = 0x8000'0010;
  EXPECT_EQ(ReadByPage(narrow, Register), 0x10U);
  const auto whole = Page(1, 0, 64);
  g_register = ~std::uint64_t{0};
  EXPECT_EQ(ReadByPage(whole, Register), ~std::uint64_t{0});
}

TEST(ReadByPage, GivesNothingWithoutLeaveOrCounterAndTouchesNoRegister) {
  g_reads = 0;
  auto forbidden = Page(1, 5, 48);
  forbidden.cap_user_rdpmc = 0;
  EXPECT_EQ(ReadByPage(forbidden, Register), std::nullopt);
  const auto waiting = Page(0, 5, 48);
  EXPECT_EQ(ReadByPage(waiting, Register), std::nullopt);
  EXPECT_EQ(g_reads, 0);
}

TEST(ReadByPage, StartsAgainWhenTheKernelWroteMeanwhile) {
  auto page = Page(1, 100, 48);
  g_changing = &page;
  g_reads = 0;
  EXPECT_EQ(ReadByPage(page, RegisterThatMoves), 7005U);
  EXPECT_EQ(g_read_index, 3U);
  EXPECT_EQ(g_reads, 2);
}

TEST(UserReadPage, OfNothingAllowsNothing) {
  const EventHandle none(-1);
  const UserReadPage page(none);
  EXPECT_FALSE(page.IsAllowed());
  EXPECT_EQ(page.Read(), std::nullopt);
}

TEST(UserReadPage, OfAKernelsEventIsNotReadByInstruction) {
  EventCode code;
  code.type = PERF_TYPE_SOFTWARE;
  code.config = PERF_COUNT_SW_PAGE_FAULTS;
  const EventHandle event(OpenForThisThread(code));
  if (!event.IsOpen()) GTEST_SKIP() << "software events do not open here";
  const UserReadPage page(event);
  EXPECT_EQ(page.Read(), std::nullopt);
}

}  // namespace
}  // namespace tare::pmu
