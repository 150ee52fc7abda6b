// private_directory_test.cc: it is there, ours alone, and gone afterwards.
#include "base/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

namespace tare {
namespace {

TEST(PrivateFolder, IsForNobodyElse) {
  const auto folder = PrivateFolder::Make();
  ASSERT_TRUE(folder) << folder.error().message;
  struct stat status;
  ASSERT_EQ(stat(folder->path().c_str(), &status), 0);
  EXPECT_TRUE(S_ISDIR(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(PrivateFolder, GoesAwayWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const auto folder = PrivateFolder::Make();
    ASSERT_TRUE(folder) << folder.error().message;
    path = folder->path();
    std::filesystem::create_directory(path / "inner");
    std::ofstream(path / "inner" / "file") << "text";
  }
  EXPECT_FALSE(path.empty());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateFolder, OnDiskLiesWithTheTemporaryFiles) {
  const auto folder = PrivateFolder::MakeOnDisk();
  ASSERT_TRUE(folder) << folder.error().message;
  EXPECT_EQ(folder->path().parent_path(), std::filesystem::temp_directory_path());
}

TEST(PrivateFolder, MovesWithItsOwner) {
  auto made = PrivateFolder::Make();
  ASSERT_TRUE(made) << made.error().message;
  const auto path = made->path();
  std::optional<PrivateFolder> moved(std::move(*made));
  made = Fail(ErrorKind::kIo, "the first owner is gone");
  EXPECT_TRUE(std::filesystem::exists(path));
  moved.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateFolder, HasAnotherNameEachTime) {
  const auto first = PrivateFolder::Make();
  const auto second = PrivateFolder::Make();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path(), second->path());
}

}  // namespace
}  // namespace tare
