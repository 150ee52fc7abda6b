// json_checksum_test.cc: tests that a changed file is noticed, and an indented one is not.
#include "base/json_checksum.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json_value.h"

namespace tare {
namespace {

const std::string kNumbers = "{\"name\": \"a \\\" b\", \"counts\": [1, 23,  456]}\n";

std::string ReadBack(std::string_view text) {
  const auto file = JsonFile::Parse(text, "list of counts");
  return file ? "read" : file.error().message;
}

TEST(JsonChecksum, OneChangedCharacterAnywhereIsNoticed) {
  const std::string written = WithChecksum(kNumbers);
  ASSERT_EQ(ReadBack(written), "read");
  int noticed = 0;
  for (std::size_t i = 0; i < written.find("checksum"); ++i) {
    std::string changed = written;
    if (std::string_view(" \n").contains(changed[i])) continue;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_NE(ReadBack(changed), "read") << changed;
    ++noticed;
  }
  EXPECT_GT(noticed, 30);
}

TEST(JsonChecksum, BlanksCountInsideOfStringsOnly) {
  std::string written = WithChecksum(kNumbers);
  std::string other = written;
  other.replace(other.find("a \\\""), 2, "a  ");
  EXPECT_TRUE(ReadBack(other).starts_with("the list of counts is not as tare wrote it"));
  other = written;
  other.replace(other.find(",  456"), 3, ",\n\t");
  EXPECT_EQ(ReadBack(other), "read");
}

TEST(JsonChecksum, FileWithoutChecksumIsRead) { EXPECT_EQ(ReadBack(kNumbers), "read"); }

TEST(JsonChecksum, ChecksumMustStandAtTheEnd) {
  EXPECT_NE(ReadBack("{\"checksum\": \"sha256:00\", \"counts\": []}"), "read");
  EXPECT_NE(ReadBack("{\"checksum\": 1}"), "read");
}

}  // namespace
}  // namespace tare
