// buffer_test.cc: tests mapped memory and its page size.
#include "machine/microbenchmark/buffer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>

namespace tare::microbenchmark {
namespace {

TEST(Pages, NamesAreReadBack) {
  for (const Pages pages : {Pages::kSystem, Pages::kSmall, Pages::kHuge})
    EXPECT_EQ(ParsePages(Name(pages)), pages);
  EXPECT_EQ(ParsePages("large"), std::nullopt);
}

TEST(Buffer, IsAlignedAndZeroAndCanBeWritten) {
  for (const Pages pages : {Pages::kSystem, Pages::kSmall, Pages::kHuge}) {
    for (const std::uint64_t size : {1ULL, 4096ULL, 100001ULL, (4ULL << 20) + 1}) {
      Result<Buffer> buffer = Buffer::Make(size, pages);
      ASSERT_TRUE(buffer.has_value());
      const std::span<std::byte> bytes = buffer->bytes();
      ASSERT_EQ(bytes.size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % (2U << 20), 0U);
      for (const std::byte one : bytes) ASSERT_EQ(one, std::byte{0});
      bytes.front() = bytes.back() = std::byte{1};
    }
  }
}

TEST(Buffer, NothingAndTooMuchAreRefused) {
  EXPECT_FALSE(Buffer::Make(0, Pages::kSystem).has_value());
  const Result<Buffer> beyond = Buffer::Make(std::uint64_t{1} << 60, Pages::kSystem);
  ASSERT_FALSE(beyond.has_value());
  EXPECT_EQ(beyond.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(beyond.error().message.find("1152921504606846976"), std::string::npos);
  EXPECT_FALSE(Buffer::Make(~std::uint64_t{0}, Pages::kHuge).has_value());
}

TEST(Buffer, MovesWithItsMemory) {
  Result<Buffer> made = Buffer::Make(10000, Pages::kSystem);
  ASSERT_TRUE(made.has_value());
  std::byte* const first = made->bytes().data();
  first[0] = std::byte{42};
  Buffer moved = std::move(*made);
  EXPECT_EQ(moved.bytes().data(), first);
  Result<Buffer> other = Buffer::Make(20000, Pages::kSystem);
  ASSERT_TRUE(other.has_value());
  *other = std::move(moved);
  EXPECT_EQ(other->bytes().data(), first);
  EXPECT_EQ(other->bytes()[0], std::byte{42});
  EXPECT_EQ(other->bytes().size(), 10000U);
}

TEST(Buffer, SmallPagesAreNeverHuge) {
  const Result<Buffer> buffer = Buffer::Make(8U << 20, Pages::kSmall);
  ASSERT_TRUE(buffer.has_value());
  const std::optional<double> share = buffer->HugeShare();
  if (!share) GTEST_SKIP() << "the kernel does not report huge pages";
  EXPECT_EQ(*share, 0.0);
}

TEST(Buffer, HugePagesAreHugeWhereTheSystemHasThem) {
  std::string setting;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled") >> std::ws, setting);
  if (setting.empty() || setting.find("[never]") != std::string::npos)
    GTEST_SKIP() << "the system has no huge pages";
  const Result<Buffer> buffer = Buffer::Make(100000, Pages::kHuge);
  ASSERT_TRUE(buffer.has_value());
  const std::optional<double> share = buffer->HugeShare();
  if (!share) GTEST_SKIP() << "the kernel does not report huge pages";
  if (*share == 0.0) GTEST_SKIP() << "the system had no huge page free";
  EXPECT_EQ(*share, 1.0);
}

}  // namespace
}  // namespace tare::microbenchmark
