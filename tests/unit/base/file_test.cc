// file_test.cc: tests reading of whole files, and that failed writes leave no partial file.
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sys/resource.h>
#include <csignal>

#include <fstream>
#include <thread>

#include "base/special_file.h"
#include "base/stop.h"

namespace tare {
namespace {

namespace fs = std::filesystem;

class Directory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tare-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  void TearDown() override { fs::remove_all(path_); }

  std::size_t Entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

  fs::path path_;
};

using WriteFileAtomicallyTest = Directory;
using ReadFileTest = Directory;

TEST_F(WriteFileAtomicallyTest, WhatIsWrittenIsRead) {
  const std::string bytes("a\0b\n\xff", 5);
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", bytes));
  EXPECT_EQ(*ReadFile(path_ / "x", 100), bytes);
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(WriteFileAtomicallyTest, ReplacesAndKeepsThePermissions) {
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "old"));
  ASSERT_EQ(::chmod((path_ / "x").c_str(), 0640), 0);
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "new"));
  EXPECT_EQ(*ReadFile(path_ / "x", 100), "new");
  struct stat status{};
  ASSERT_EQ(::stat((path_ / "x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(WriteFileAtomicallyTest, ALinkStaysALink) {
  ASSERT_TRUE(WriteFileAtomically(path_ / "target", "old"));
  fs::create_symlink("target", path_ / "link");
  ASSERT_TRUE(WriteFileAtomically(path_ / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(path_ / "link"));
  EXPECT_EQ(*ReadFile(path_ / "target", 100), "new");
}

TEST_F(WriteFileAtomicallyTest, AFailureLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "old"));
  // A limit on file sizes simulates a full disk: write fails with EFBIG half-way.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = WriteFileAtomically(path_ / "x", std::string(5000, 'n'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind, ErrorKind::kIo);
  EXPECT_EQ(*ReadFile(path_ / "x", 100), "old");
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(WriteFileAtomicallyTest, ADirectoryOrAMissingDirectoryIsRefused) {
  fs::create_directory(path_ / "directory");
  EXPECT_FALSE(WriteFileAtomically(path_ / "directory", "x"));
  EXPECT_FALSE(WriteFileAtomically(path_ / "missing" / "x", "x"));
  EXPECT_EQ(Entries(), 1u);
}

TEST_F(WriteFileAtomicallyTest, AFullDeviceIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this machine has no /dev/full";
  const auto written = WriteFileAtomically("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_NE(written.error().message.find("No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(WriteFileAtomicallyTest, ALinkOfAnotherUserIsReplaced) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a link of another user";
  ASSERT_TRUE(WriteFileAtomically(path_ / "precious", "kept"));
  ASSERT_EQ(::chmod(path_.c_str(), 01777), 0);
  ASSERT_EQ(::symlink("precious", (path_ / "x").c_str()), 0);
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "through"));
  EXPECT_EQ(*ReadFile(path_ / "precious", 100), "through") << "one's own link is followed";
  ASSERT_EQ(::lchown((path_ / "x").c_str(), 65534, 65534), 0);
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "new"));
  EXPECT_EQ(*ReadFile(path_ / "precious", 100), "through");
  EXPECT_EQ(*ReadFile(path_ / "x", 100), "new");
  EXPECT_FALSE(fs::is_symlink(path_ / "x"));
}

TEST_F(ReadFileTest, RefusesMoreThanAllowed) {
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", std::string(101, 'x')));
  EXPECT_FALSE(ReadFile(path_ / "x", 100));
  EXPECT_TRUE(ReadFile(path_ / "x", 101));
}

TEST_F(ReadFileTest, ReadsFilesThatClaimNoSize) {
  const auto status = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("VmSize"), std::string::npos);
  const auto pipe = path_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string sent(300'000, 'x');
  std::thread writer([&] { std::ofstream(pipe) << sent; });
  const auto read = ReadFile(pipe, 1 << 20);
  writer.join();
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, sent);
}

TEST_F(ReadFileTest, TheUserCanStopWaitingForAPipe) {
  const auto pipe = path_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto wait = [&] {
    WatchForStop();
    ::raise(SIGINT);
    const auto read = ReadFile(pipe, 100);
    ::_exit(read ? 0 : ExitStatus(read.error().kind));
  };
  EXPECT_EXIT(wait(), testing::ExitedWithCode(130), "");
}

TEST_F(ReadFileTest, TheStartIsThatOfARegularFile) {
  ASSERT_TRUE(WriteFileAtomically(path_ / "x", "abc"));
  EXPECT_EQ(StartOfFile(path_ / "x", 2), "ab");
  EXPECT_EQ(StartOfFile(path_ / "x", 8), "abc");
  ASSERT_EQ(::mkfifo((path_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(StartOfFile(path_ / "pipe", 2), "");
  EXPECT_EQ(StartOfFile("/dev/zero", 2), "");
  EXPECT_EQ(StartOfFile(path_ / "missing", 2), "");
}

TEST_F(WriteFileAtomicallyTest, TheUserCanStopWaitingForTheReaderOfAPipe) {
  const auto pipe = path_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto write = [&] {
    WatchForStop();
    ::raise(SIGINT);
    const auto written = WriteFileAtomically(pipe, "x");
    ::_exit(written ? 0 : ExitStatus(written.error().kind));
  };
  EXPECT_EXIT(write(), testing::ExitedWithCode(130), "");
}

TEST_F(WriteFileAtomicallyTest, TheUserCanStopWaitingForRoomInAPipe) {
  const auto pipe = path_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  const auto write = [&] {
    WatchForStop();
    ::raise(SIGINT);
    const auto written = WriteFileAtomically(pipe, std::string(1 << 22, 'x'));
    ::_exit(written ? 0 : ExitStatus(written.error().kind));
  };
  EXPECT_EXIT(write(), testing::ExitedWithCode(130), "");
}

TEST_F(WriteFileAtomicallyTest, ASlowReaderOfAPipeGetsEverything) {
  const auto pipe = path_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = ReadFile(pipe, 1 << 23).value_or(""); });
  const std::string bytes(1 << 22, 'x');
  EXPECT_TRUE(WriteFileAtomically(pipe, bytes));
  reader.join();
  EXPECT_EQ(read, bytes);
}

TEST_F(ReadFileTest, SaysWhatIsMissingWithoutActingOnTheTerminal) {
  const auto read = ReadFile(path_ / "no\x1b[31m", 100);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message.find('\x1b'), std::string::npos);
  EXPECT_NE(read.error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(ReadFile(path_, 100));
}

}  // namespace
}  // namespace tare
