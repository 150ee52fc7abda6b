// profile_catalogue_test.cc: tests finding profiles by name.
#include "machine/profile/profile_catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "machine/profile/profile_file.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::machine_profile {
namespace {

namespace fs = std::filesystem;

class Catalogue : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_ / "mine");
    fs::create_directories(root_ / "shipped/directory.json");
    directories_ = {root_ / "mine", root_ / "missing", root_ / "shipped"};
    Keep("mine", "laptop");
    Keep("shipped", "laptop");
    Keep("shipped", "power3");
    Write("shipped/broken.json", "{");
    Write("shipped/notes.txt", "no profile");
  }
  void TearDown() override { fs::remove_all(root_); }

  void Keep(const char* directory, const std::string& name) {
    Profile profile = ExampleProfile();
    profile.name = name;
    profile.source = directory;
    ASSERT_TRUE(WriteProfile(root_ / directory / (name + ".json"), profile));
  }
  void Write(const char* name, std::string_view text) {
    ASSERT_TRUE(WriteFileAtomically(root_ / name, text));
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "tare_catalogue_test";
  std::vector<fs::path> directories_;
};

TEST_F(Catalogue, ListsEarlierDirectoriesFirstAndBrokenFilesWithTheirReason) {
  const auto list = List(directories_);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].name, "laptop");
  ASSERT_TRUE(list[0].profile);
  EXPECT_EQ(list[0].profile.value_or(Profile{}).source, "mine");
  EXPECT_EQ(list[1].name, "broken");
  EXPECT_FALSE(list[1].profile);
  EXPECT_THAT(list[1].reason, testing::HasSubstr("not a machine profile: line 1 is not JSON"));
  EXPECT_EQ(list[2].name, "power3");
  EXPECT_TRUE(list[2].profile);
}

TEST_F(Catalogue, FindsANameInTheFirstDirectoryThatHasIt) {
  const auto found = Find("laptop", directories_);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->profile.value_or(Profile{}).source, "mine");
  EXPECT_EQ(found->path, root_ / "mine/laptop.json");
}

TEST_F(Catalogue, TakesAPathAsItIs) {
  EXPECT_TRUE(IsPath("machines/laptop"));
  EXPECT_TRUE(IsPath("laptop.json"));
  EXPECT_FALSE(IsPath("laptop"));
  const auto found = Find((root_ / "shipped/laptop.json").string(), {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->profile.value_or(Profile{}).source, "shipped");
}

TEST_F(Catalogue, OffersTheNearestName) {
  const auto slip = Find("power2", directories_);
  ASSERT_FALSE(slip);
  EXPECT_EQ(slip.error().message, "there is no profile 'power2'; did you mean power3?");
  const auto unknown = Find("mainframe", directories_);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "there is no profile 'mainframe'; tare machine list shows the available ones");
}

TEST_F(Catalogue, SaysWhatIsWrongWithABrokenOne) {
  const auto broken = Find("broken", directories_);
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, testing::HasSubstr("line 1 is not JSON"));
}

TEST(ProfileName, IsAFileNameAndNoPath) {
  EXPECT_TRUE(RequireName("neoverse-v1_2.5GHz"));
  for (const char* name : {"", ".hidden", "-x", "a/b", "a b", "x.json", "\x1b"}) {
    EXPECT_FALSE(RequireName(name)) << name;
  }
}

}  // namespace
}  // namespace tare::machine_profile
