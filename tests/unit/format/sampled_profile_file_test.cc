// sampled_profile_file_test.cc: profiles that are whole, cut, damaged or of another version.
#include "format/sampled_profile_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/unit/measure/profile/synthetic_profile.h"

namespace tare::format {
namespace {

TEST(ProfileFile, IsReadBackEqual) {
  SampledProfile profile = profile::ProfileOf({{"x", 12}, {"_ZN1a1bEv", 88}});
  profile.facts.sample_cost_ns = 1234.5;
  profile.facts.lost = 7;
  profile.threads[0].command = "odd \x1b[31m\xff name";
  const auto read = ParseProfile(PackProfile(profile));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, profile);
}

TEST(ProfileFile, OfNoSamplesIsReadBackEqual) {
  const auto read = ParseProfile(PackProfile(SampledProfile{}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, SampledProfile{});
}

TEST(ProfileFile, CutAtAnyByteIsRefusedOrIncomplete) {
  const SampledProfile profile = profile::ProfileOf({{"x", 100}, {"y", 50}});
  const std::string file = PackProfile(profile);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto read = ParseProfile(std::string_view(file).substr(0, size));
    if (!read) {
      EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
      continue;
    }
    EXPECT_FALSE(read->incomplete.empty());
  }
}

TEST(ProfileFile, WithoutItsLastChunkHasTheSamplesBefore) {
  const SampledProfile profile = profile::ProfileOf({{"x", 70'000}});  // two chunks of samples
  std::string file = PackProfile(profile);
  file.resize(file.size() - 100);
  const auto read = ParseProfile(file);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->samples.size(), 65536);
  EXPECT_FALSE(read->incomplete.empty());
}

TEST(ProfileFile, AFlippedBitIsNeverAccepted) {
  const SampledProfile profile = profile::ProfileOf({{"x", 100}, {"y", 50}});
  const std::string file = PackProfile(profile);
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto read = ParseProfile(damaged);
    if (read) {
      EXPECT_FALSE(read->incomplete.empty()) << bit;
    }
  }
}

TEST(ProfileFile, OfAnotherVersionIsRefusedByName) {
  std::string file = PackProfile(profile::ProfileOf({{"x", 1}}));
  const std::uint32_t version = 2;
  std::memcpy(file.data() + 8, &version, sizeof version);
  const auto read = ParseProfile(file);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("version 2; this tare reads version 1"), std::string::npos);
}

TEST(ProfileFile, OtherFilesAreRefused) {
  EXPECT_FALSE(ParseProfile(""));
  EXPECT_FALSE(ParseProfile("{\"version\": 1}"));
  EXPECT_FALSE(IsProfile("/proc/self/exe"));
}

}  // namespace
}  // namespace tare::format
