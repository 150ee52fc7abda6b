// separate_debug_file_test.cc: tests finding debug information that was split from a program.
#include "binary/dwarf/separate_debug_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "built_program.h"
#include "tests/programs/toolchain.h"

namespace tare::dwarf {
namespace {

namespace fs = std::filesystem;

class Stripped : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    WriteProgram(directory_);
    ASSERT_TRUE(Runs("g++ -O2 -g -Wl,--build-id program.cc -o whole"));
    ASSERT_TRUE(Runs("objcopy --only-keep-debug whole program.debug"));
    ASSERT_TRUE(Runs("objcopy --strip-debug --add-gnu-debuglink=program.debug whole program"));
    auto image = elf::OpenElf(directory_ / "program");
    ASSERT_TRUE(image) << image.error().message;
    image_.emplace(std::move(*image));
  }

  bool Runs(const std::string& command) const {
    return directory_.Runs(CommandFor(GetParam(), command));
  }
  fs::path Root() const { return directory_ / "root"; }
  Result<std::optional<fs::path>> Find() {
    return SeparateDebugFile(*image_, directory_ / "program", Root());
  }
  void ExpectTheMapOfTheWholeProgram() {
    const auto whole = elf::OpenElf(directory_ / "whole");
    ASSERT_TRUE(whole);
    const auto expected = SourceMap::Read(*whole);
    ASSERT_TRUE(expected);
    const auto map = FindSourceMap(*image_, directory_ / "program", Root());
    ASSERT_TRUE(map) << map.error().message;
    EXPECT_TRUE(map->complete());
    EXPECT_EQ(map->files(), expected->files());
    ASSERT_EQ(map->rows().size(), expected->rows().size());
    for (std::size_t i = 0; i < map->rows().size(); ++i) {
      EXPECT_EQ(map->rows()[i].start, expected->rows()[i].start);
      EXPECT_EQ(map->rows()[i].end, expected->rows()[i].end);
      EXPECT_EQ(map->rows()[i].source, expected->rows()[i].source);
    }
    EXPECT_EQ(map->inlined().size(), expected->inlined().size());
    EXPECT_GT(map->inlined().size(), 0u);
  }

  Directory directory_;
  std::optional<elf::ElfImage> image_;
};

TEST_P(Stripped, ItsFileIsFoundNextToIt) {
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->filename(), "program.debug");
  ExpectTheMapOfTheWholeProgram();
}

TEST_P(Stripped, ItsFileIsFoundInTheDirectoryForDebugFiles) {
  ASSERT_TRUE(directory_.Runs("mkdir .debug && mv program.debug .debug"));
  const auto found = Find();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->parent_path().filename(), ".debug");
  ExpectTheMapOfTheWholeProgram();
}

TEST_P(Stripped, ItsFileIsFoundUnderTheRootOfDebugFiles) {
  const auto place = Root() / fs::canonical(directory_.path()).relative_path();
  fs::create_directories(place);
  fs::rename(directory_ / "program.debug", place / "program.debug");
  const auto found = Find();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ(**found, place / "program.debug");
}

TEST_P(Stripped, ItsFileIsFoundByTheBuildId) {
  const std::string id = image_->build_id();
  ASSERT_EQ(id.size(), 40u);
  const auto place = Root() / ".build-id" / id.substr(0, 2);
  fs::create_directories(place);
  fs::rename(directory_ / "program.debug", place / (id.substr(2) + ".debug"));
  const auto found = Find();
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->parent_path(), place);
  ExpectTheMapOfTheWholeProgram();
}

TEST_P(Stripped, AFileOfAnotherBuildIsRefusedByName) {
  directory_.Write("program.debug", directory_.Contents("program.debug") + "x");
  const auto found = Find();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(found.error().message, ::testing::HasSubstr("program.debug"));
}

TEST_P(Stripped, NothingIsFoundWhereNothingIs) {
  fs::remove(directory_ / "program.debug");
  const auto found = Find();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(*found);
  const auto map = FindSourceMap(*image_, directory_ / "program", Root());
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().kind, ErrorKind::kNotFound);
}

TEST_P(Stripped, ALinkThatLeadsOutOfTheDirectoryIsNotFollowed) {
  auto bytes = directory_.Contents("program");
  const auto at = bytes.find("program.debug");
  ASSERT_NE(at, std::string::npos);
  // The name has room for 13 characters.
  bytes.replace(at, 13, "../../tmp/a.d");
  directory_.Write("program", bytes);
  const auto image = elf::OpenElf(directory_ / "program");
  ASSERT_TRUE(image);
  const auto found = SeparateDebugFile(*image, directory_ / "program", Root());
  ASSERT_TRUE(found);
  EXPECT_FALSE(*found);
}

TEST_P(Stripped, SegmentsMayClaimBytesThatTheFileDoesNotHold) {
  // As eu-strip leaves it: with the program headers of the complete program.
  auto bytes = directory_.Contents("program.debug");
  Elf64_Ehdr header;
  ASSERT_GE(bytes.size(), sizeof(header));
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    char* place = bytes.data() + header.e_phoff + i * sizeof(segment);
    std::memcpy(&segment, place, sizeof(segment));
    if (segment.p_type != PT_LOAD) continue;
    segment.p_filesz = segment.p_memsz;
    segment.p_offset = bytes.size();
    std::memcpy(place, &segment, sizeof(segment));
  }
  directory_.Write("program.debug", bytes);
  const auto map = SourceMap::ReadFile(directory_ / "program.debug");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_GT(map->inlined().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Machines, Stripped, ::testing::ValuesIn(kArchitectures));

}  // namespace
}  // namespace tare::dwarf
