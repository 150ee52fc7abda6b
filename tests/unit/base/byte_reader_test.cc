// byte_reader_test.cc: tests that no read goes past the end of the data.
#include "base/byte_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace tare {
namespace {

TEST(ByteReader, ReadsNumbersInOrder) {
  const std::array<unsigned char, 7> bytes = {1, 0, 2, 0, 0, 0, 9};
  ByteReader reader(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(*reader.Read<std::uint16_t>(), 1);
  EXPECT_EQ(*reader.Read<std::uint32_t>(), 2u);
  EXPECT_EQ(reader.Remaining(), 1u);
}

TEST(ByteReader, AFailedReadLeavesThePosition) {
  ByteReader reader(std::string_view("abc"));
  EXPECT_FALSE(reader.Read<std::uint32_t>());
  EXPECT_EQ(reader.Position(), 0u);
  EXPECT_FALSE(reader.Take(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(reader.Take(3)->size(), 3u);
  EXPECT_TRUE(reader.AtEnd());
}

TEST(ByteReader, VarintsUpTo64Bits) {
  // LEB128, DWARF 5 section 7.6: 624485 is e5 8e 26.
  ByteReader known(std::string_view("\xe5\x8e\x26"));
  EXPECT_EQ(*known.ReadVarint(), 624485u);
  ByteReader largest(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  EXPECT_EQ(*largest.ReadVarint(), std::numeric_limits<std::uint64_t>::max());
}

TEST(ByteReader, VarintsThatAreTooLongOrCutAreRefused) {
  ByteReader long_one(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"));
  EXPECT_FALSE(long_one.ReadVarint());
  ByteReader longer(std::string_view("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"));
  EXPECT_FALSE(longer.ReadVarint());
  ByteReader cut(std::string_view("\x80"));
  EXPECT_FALSE(cut.ReadVarint());
  EXPECT_EQ(cut.Position(), 0u);
}

TEST(ByteReader, TextEndsAtItsZero) {
  ByteReader reader(std::string_view("ab\0cd", 5));
  EXPECT_EQ(*reader.ReadTerminatedText(), "ab");
  EXPECT_FALSE(reader.ReadTerminatedText());
  EXPECT_EQ(reader.Position(), 3u);
}

TEST(ByteReader, SeeksUpToTheEnd) {
  ByteReader reader(std::string_view("abc"));
  EXPECT_TRUE(reader.Seek(3));
  EXPECT_FALSE(reader.Seek(4));
  EXPECT_TRUE(reader.AtEnd());
}

}  // namespace
}  // namespace tare
