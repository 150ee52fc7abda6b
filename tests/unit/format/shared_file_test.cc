// shared_file_test.cc: files that a program replaces, and mappings that it cuts short.
#include "format/shared_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tare::format {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kBytes = 1 << 16;

class SharedFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "shared-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(SharedFile, ThatWasReplacedIsRefusedAtOnce) {
  const auto fifo = directory_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  for (const bool writable : {true, false}) {
    const auto opened = OpenShared(fifo, writable);
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("the program replaced this file"));
  }
  std::filesystem::create_symlink("/etc/passwd", directory_ / "link");
  EXPECT_FALSE(OpenShared(directory_ / "link", false));
  std::filesystem::create_directory(directory_ / "directory");
  EXPECT_FALSE(OpenShared(directory_ / "directory", false));
}

TEST_F(SharedFile, ThatWasCutReadsAsZeros) {
  const auto path = directory_ / "file";
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::ftruncate(file.Number(), kBytes), 0);
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.Number(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const bytes = static_cast<volatile char*>(memory);
  {
    const CutGuard guard(memory, kBytes);
    bytes[0] = 'a';
    bytes[kBytes - 1] = 'z';
    EXPECT_FALSE(guard.WasCut());
    ASSERT_EQ(::truncate(path.c_str(), 1), 0);
    EXPECT_EQ(bytes[0], 'a');
    EXPECT_FALSE(guard.WasCut());
    EXPECT_EQ(bytes[kBytes - 1], '\0');
    EXPECT_TRUE(guard.WasCut());
    bytes[kBytes - 1] = 'y';
    EXPECT_EQ(bytes[kBytes - 1], 'y');
  }
  ::munmap(memory, kBytes);
  EXPECT_EQ(std::filesystem::file_size(path), 1U);
}

TEST_F(SharedFile, OtherMappingsStillRaiseTheSignal) {
  const auto path = directory_ / "file";
  const auto die = [&] {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    char other = 0;
    const CutGuard guard(&other, sizeof other);
    void* const memory = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file.Number(), 0);
    other = *static_cast<volatile char*>(memory);
  };
  EXPECT_DEATH(die(), "");
}

}  // namespace
}  // namespace tare::format
