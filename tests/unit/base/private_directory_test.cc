// private_directory_test.cc: tests that the directory exists, is private, and is removed
// afterwards.
#include "base/private_directory.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

TEST(PrivateDirectory, ALiveOrForeignOrYoungOneIsNotAbandoned) {
  const auto mine = PrivateDirectory::Make();
  ASSERT_TRUE(mine) << mine.error().message;
  EXPECT_FALSE(IsAbandoned(mine->path(), 01700)) << "locked by its owner";
  const auto young = mine->path() / "tare-abcdef";
  std::filesystem::create_directory(young);
  ASSERT_EQ(chmod(young.c_str(), 01700), 0);
  EXPECT_FALSE(IsAbandoned(young, 01700)) << "less than a minute old";
  EXPECT_FALSE(IsAbandoned(mine->path() / "missing", 01700));
  RemoveAbandoned(mine->path());
  EXPECT_TRUE(std::filesystem::exists(young));
}

TEST(PrivateDirectory, WhatKilledProcessesLeftIsRemoved) {
  const auto mine = PrivateDirectory::Make();
  ASSERT_TRUE(mine) << mine.error().message;
  const auto make = [&](const char* name, mode_t mode) {
    const auto made = mine->path() / name;
    std::filesystem::create_directory(made);
    std::ofstream(made / "file") << "text";
    EXPECT_EQ(chmod(made.c_str(), mode), 0);
    return made;
  };
  const auto left = make("tare-abcdef", 01700);
  const auto locked = make("tare-ghijkl", 01700);
  const auto lock = LockDirectory(locked);
  const auto users = make("tare-backup", 0700);
  const auto named = make("tare-results", 01700);
  RemoveAbandoned(mine->path(), time(nullptr) + 3600);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(locked / "file"));
  EXPECT_TRUE(std::filesystem::exists(users / "file"));
  EXPECT_TRUE(std::filesystem::exists(named / "file"));
}

TEST(PrivateDirectory, TheLockEndsWithTheOwner) {
  const auto mine = PrivateDirectory::Make();
  ASSERT_TRUE(mine) << mine.error().message;
  const auto inner = mine->path() / "inner";
  std::filesystem::create_directory(inner);
  {
    const auto lock = LockDirectory(inner);
    EXPECT_TRUE(lock.IsOpen());
    EXPECT_FALSE(LockDirectory(inner).IsOpen());
  }
  EXPECT_TRUE(LockDirectory(inner).IsOpen());
  std::filesystem::create_symlink(inner, mine->path() / "link");
  EXPECT_FALSE(LockDirectory(mine->path() / "link").IsOpen()) << "links are not followed";
}

// A file system of 256 KiB, which only a child of its own sees.
TEST(PrivateDirectory, NeedsRoom) {
  constexpr int kCannotMount = 77;
  const auto place = PrivateDirectory::Make();
  ASSERT_TRUE(place);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const char* const path = place->path().c_str();
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", path, "tmpfs", 0, "size=256k") != 0) {
      ::_exit(kCannotMount);
    }
    ::setenv("TMPDIR", path, 1);
    const auto inside = PrivateDirectory::MakeOnDisk();
    const std::string message = inside ? "made" : inside.error().message;
    const bool right = message.starts_with("no room in " + place->path().string() +
                                           ": 256 KiB are free, 16384 KiB are needed") &&
                       std::filesystem::is_empty(place->path());
    if (!right) std::fprintf(stderr, "%s\n", message.c_str());
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotMount) {
    GTEST_SKIP() << "this process may not mount file systems";
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tare
