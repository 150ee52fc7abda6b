// recording_files_test.cc: tests recordings in a directory, created and mapped as engines do it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "format/recording.h"
#include "format/wire_writer.h"
#include "synthetic_recording.h"

namespace tare::format {
namespace {

using testing::HasSubstr;

class RecordingDirectory : public testing::Test {
 protected:
  RecordingDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "trace-test-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) directory_ = name;
  }
  ~RecordingDirectory() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
  }
  std::vector<Recording> Read() const {
    auto recordings = ReadRecordings(directory_);
    EXPECT_TRUE(recordings) << (recordings ? "" : recordings.error().message);
    return recordings ? *recordings : std::vector<Recording>{};
  }

  std::filesystem::path directory_;
};

tare_wire_header PlanOf(std::uint64_t process, std::uint64_t generation = 0) {
  tare_wire_header plan = SmallPlan();
  plan.process = process;
  plan.generation = generation;
  return plan;
}

TEST_F(RecordingDirectory, GivesNothingWhenItIsEmpty) { EXPECT_TRUE(Read().empty()); }

TEST_F(RecordingDirectory, IsReadInTheOrderOfProcessAndGeneration) {
  for (const auto& [process, generation] :
       {std::pair{20, 1}, std::pair{9, 0}, std::pair{20, 0}, std::pair{100, 0}}) {
    Write(std::to_string(process) + "." + std::to_string(generation),
          SyntheticRecording(
              PlanOf(static_cast<std::uint64_t>(process), static_cast<std::uint64_t>(generation)))
              .Bytes());
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
  for (const Recording& recording : Read()) {
    order.emplace_back(recording.process, recording.generation);
  }
  EXPECT_THAT(order, testing::ElementsAre(std::pair(9u, 0u), std::pair(20u, 0u), std::pair(20u, 1u),
                                          std::pair(100u, 0u)));
}

TEST_F(RecordingDirectory, PassesOverOtherFilesAndThoseNeverBegun) {
  Write("notes", "text");
  Write("5.x", "text");
  Write("6.0", "");
  Write("7.0", std::string(16384, '\0'));
  Write("8.0", SyntheticRecording(PlanOf(8)).Bytes());
  const auto recordings = Read();
  ASSERT_EQ(recordings.size(), 1u);
  EXPECT_EQ(recordings[0].process, 8u);
}

TEST_F(RecordingDirectory, JoinsChildrenToTheirAncestors) {
  SyntheticRecording parent(PlanOf(30, 2));
  parent.AddBlock(0x1000, {1}, 1);
  SyntheticRecording child = parent.Forked(31);
  child.header().generation = 0;
  child.AddBlock(0x2000, {2}, 1);
  SyntheticRecording grandchild = child.Forked(29);
  for (std::uint64_t block = 0; block < 2; ++block) grandchild.Run(block, 6 + block);
  Write("30.2", parent.Bytes());
  Write("31.0", child.Bytes());
  Write("29.0", grandchild.Bytes());
  const auto recordings = Read();
  ASSERT_EQ(recordings.size(), 3u);
  ASSERT_EQ(recordings[0].blocks.size(), 2u);
  EXPECT_EQ(recordings[0].blocks[0].address, 0x1000u);
  EXPECT_EQ(recordings[0].blocks[0].executions, 6u);
  EXPECT_EQ(recordings[0].blocks[1].executions, 7u);
}

TEST_F(RecordingDirectory, WithoutTheParentIsAnError) {
  SyntheticRecording parent(PlanOf(30));
  parent.AddBlock(0x1000, {1}, 1);
  Write("31.0", parent.Forked(31).Bytes());
  const auto recordings = ReadRecordings(directory_);
  ASSERT_FALSE(recordings);
  EXPECT_THAT(recordings.error().message, HasSubstr("parent"));
}

TEST_F(RecordingDirectory, WithTwoThatCallEachOtherParentIsAnError) {
  SyntheticRecording first(PlanOf(30));
  first.AddBlock(0x1000, {1}, 1);
  SyntheticRecording second = first.Forked(31);
  SyntheticRecording third = second.Forked(30);
  Write("30.0", third.Bytes());
  Write("31.0", second.Bytes());
  EXPECT_FALSE(ReadRecordings(directory_));
}

TEST_F(RecordingDirectory, ThatIsNotThereIsAnError) {
  EXPECT_FALSE(ReadRecordings(directory_ / "nowhere"));
}

// The sizes that engines use: 1 GiB for records and 64 MiB for each bank, nearly all of it sparse.
TEST_F(RecordingDirectory, ReadsSparseFilesOfFullSize) {
  tare_wire_header plan = tare_wire_plan(4);
  plan.engine = TARE_WIRE_QEMU;
  plan.architecture = TARE_WIRE_AARCH64;
  plan.process = 50;
  plan.banks_used = 4;
  const std::uint64_t bytes = tare_wire_file_bytes(&plan);
  const int file = open((directory_ / "50.0").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    GTEST_SKIP() << "the directory of temporary files takes no file of " << bytes << " bytes";
  }
  void* const base =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  ASSERT_NE(base, MAP_FAILED);
  tare_wire_writer writer;
  tare_wire_begin(&writer, static_cast<std::uint8_t*>(base), &plan);
  constexpr std::uint64_t kBlocks = 5000;
  for (std::uint64_t i = 0; i < kBlocks; ++i) {
    tare_wire_block block{};
    block.address = 0x1000 + 4 * i;
    block.code_bytes = 4;
    block.instructions = 1;
    const std::uint8_t code[4] = {1, 2, 3, 4};
    ASSERT_EQ(tare_wire_add_block(&writer, &block, code), i);
  }
  tare_wire_bank(&writer, 0)[0].executions = 1;
  tare_wire_bank(&writer, 3)[kBlocks - 1].executions = 2;
  munmap(base, bytes);
  struct stat status;
  ASSERT_EQ(fstat(file, &status), 0);
  close(file);
  EXPECT_LT(static_cast<std::uint64_t>(status.st_blocks) * 512, std::uint64_t{16} << 20);
  const auto recordings = Read();
  ASSERT_EQ(recordings.size(), 1u);
  ASSERT_EQ(recordings[0].blocks.size(), 2u);
  EXPECT_EQ(recordings[0].blocks[1].address, 0x1000 + 4 * (kBlocks - 1));
  EXPECT_EQ(recordings[0].blocks[1].executions, 2u);
}

}  // namespace
}  // namespace tare::format
