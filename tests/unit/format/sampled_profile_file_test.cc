// sampled_profile_file_test.cc: profiles that are whole, cut, damaged or of another version.
#include "format/sampled_profile_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
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

// Grows by the functions x, y, z in three calls.
class GrowingFileTest : public ::testing::Test {
 protected:
  std::string Grown() {
    const auto path = std::filesystem::path(testing::TempDir()) /
                      fmt::format("tare-growing-{}.profile", ::getpid());
    GrowingProfile file(path);
    for (const std::ptrdiff_t functions : {1, 2, 3}) {
      SampledProfile now = profile::ProfileOf({kFunctions.begin(), kFunctions.begin() + functions});
      all_ = now;
      now.samples.erase(now.samples.begin(),
                        now.samples.begin() + static_cast<std::ptrdiff_t>(written_));
      written_ += now.samples.size();
      EXPECT_TRUE(file.Add(now));
      EXPECT_TRUE(now.samples.empty());
      EXPECT_TRUE(file.Add(now));  // nothing new
    }
    const auto text = ReadFile(path, 1 << 20);
    std::filesystem::remove(path);
    EXPECT_TRUE(text);
    return text.value_or("");
  }

  const std::vector<std::pair<std::string, std::uint64_t>> kFunctions = {
      {"x", 100}, {"y", 50}, {"z", 10}};
  SampledProfile all_;
  std::size_t written_ = 0;
};

TEST_F(GrowingFileTest, HasAllThatWasAdded) {
  auto read = ParseProfile(Grown());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->incomplete, "its end is missing: tare was killed, or the file was cut");
  read->incomplete.clear();
  EXPECT_EQ(*read, all_);
}

TEST_F(GrowingFileTest, CutAtAnyByteHasABeginning) {
  const std::string file = Grown();
  std::set<std::size_t> samples;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto read = ParseProfile(std::string_view(file).substr(0, size));
    if (!read) continue;
    EXPECT_FALSE(read->incomplete.empty());
    samples.insert(read->samples.size());
    ASSERT_LE(read->samples.size(), all_.samples.size());
    EXPECT_TRUE(std::equal(read->samples.begin(), read->samples.end(), all_.samples.begin()));
  }
  EXPECT_EQ(samples, (std::set<std::size_t>{0, 100, 150}));
}

TEST_F(GrowingFileTest, AFlippedBitIsNeverAccepted) {
  const std::string file = Grown();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    std::string damaged = file;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    const auto read = ParseProfile(damaged);
    if (!read) continue;
    EXPECT_LT(read->samples.size(), all_.samples.size()) << bit;
    EXPECT_FALSE(read->incomplete.empty()) << bit;
  }
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
