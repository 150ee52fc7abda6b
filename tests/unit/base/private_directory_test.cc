// private_directory_test.cc: tests that the directory exists, is private, and is removed
// afterwards.
#include "base/private_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>

namespace tare {
namespace {

TEST(PrivateDirectory, IsAccessibleOnlyToItsOwner) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory) << directory.error().message;
  struct stat status;
  ASSERT_EQ(stat(directory->path().c_str(), &status), 0);
  EXPECT_TRUE(S_ISDIR(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST(PrivateDirectory, GoesAwayWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const auto directory = PrivateDirectory::Make();
    ASSERT_TRUE(directory) << directory.error().message;
    path = directory->path();
    std::filesystem::create_directory(path / "inner");
    std::ofstream(path / "inner" / "file") << "text";
  }
  EXPECT_FALSE(path.empty());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateDirectory, OnDiskIsInTheTemporaryDirectory) {
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_EQ(directory->path().parent_path(), std::filesystem::temp_directory_path());
}

TEST(PrivateDirectory, MovesWithItsOwner) {
  auto made = PrivateDirectory::Make();
  ASSERT_TRUE(made) << made.error().message;
  const auto path = made->path();
  std::optional<PrivateDirectory> moved(std::move(*made));
  made = Fail(ErrorKind::kIo, "the first owner is gone");
  EXPECT_TRUE(std::filesystem::exists(path));
  moved.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(PrivateDirectory, HasAnotherNameEachTime) {
  const auto first = PrivateDirectory::Make();
  const auto second = PrivateDirectory::Make();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->path(), second->path());
}

}  // namespace
}  // namespace tare
