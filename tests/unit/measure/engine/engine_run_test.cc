// engine_run_test.cc: tests names of engines, and the addresses where regions start.
#include "measure/engine/engine_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <string>

#include "binary/elf/elf_image.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::engine {
namespace {

using testing::HasSubstr;

TEST(EngineNames, AreReadBack) {
  for (const Engine engine : {Engine::kValgrind, Engine::kQemu, Engine::kStep}) {
    EXPECT_EQ(ParseEngine(Name(engine)), engine);
  }
  EXPECT_EQ(Name(Engine::kValgrind), "valgrind");
  EXPECT_EQ(Name(Engine::kQemu), "qemu");
  EXPECT_EQ(Name(Engine::kStep), "step");
  EXPECT_FALSE(ParseEngine("Valgrind"));
  EXPECT_FALSE(ParseEngine(""));
}

TEST(CommonHwcap, ShowsNothingThatTheProcessorLacks) {
#if defined(__aarch64__)
  EXPECT_EQ(CommonHwcap() & ~getauxval(AT_HWCAP), 0u);
#endif
  EXPECT_NE(CommonHwcap(), 0u);
}

run::ResolvedProgram AtPath(const std::string& path) {
  run::ResolvedProgram program;
  program.path = path;
  return program;
}

TEST(Region, IsAPlaceInTheProgramsFile) {
  const std::string path = run::ProgramPath("calls");
  for (const std::string function : {"fib", "main", "_start"}) {
    const auto region = FindRegion(AtPath(path), function);
    ASSERT_TRUE(region) << region.error().message;
    EXPECT_EQ(region->function, function);
    EXPECT_EQ(region->file, path);
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(region->device, status.st_dev);
    EXPECT_EQ(region->inode, status.st_ino);
    const auto image = elf::OpenElf(path);
    ASSERT_TRUE(image);
    const auto found = image->FindFunction(function);
    ASSERT_TRUE(found);
    EXPECT_EQ(image->FileOffsetOf(found->start), region->offset);
  }
}

TEST(Region, OfAnUnknownFunctionNamesANearMatch) {
  const auto region = FindRegion(AtPath(run::ProgramPath("calls")), "fibb");
  ASSERT_FALSE(region);
  EXPECT_THAT(region.error().message, HasSubstr("fibb"));
  EXPECT_THAT(region.error().message, HasSubstr("did you mean fib"));
}

TEST(Region, OfAScriptIsUnsupported) {
  const run::TemporaryDirectory directory;
  const auto region = FindRegion(AtPath(directory.Write("script", "#!/bin/sh\n", 0755)), "main");
  ASSERT_FALSE(region);
  EXPECT_EQ(region.error().kind, ErrorKind::kUnsupported);
}

TEST(Region, OfANonProgramIsAnError) {
  const run::TemporaryDirectory directory;
  EXPECT_FALSE(FindRegion(AtPath(directory.Write("text", "not a program\n", 0755)), "main"));
  EXPECT_FALSE(FindRegion(AtPath(directory.Path("nowhere")), "main"));
}

TEST(CanRun, SaysWhatIsMissing) {
  const host::EngineFiles none;
  for (const Engine engine : {Engine::kValgrind, Engine::kQemu}) {
    const auto can = CanRun(engine, none);
    ASSERT_FALSE(can);
    EXPECT_EQ(can.error().kind, ErrorKind::kUnsupported);
    EXPECT_FALSE(can.error().message.empty());
    const auto run = RunUnder(engine, none, {});
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().message, can.error().message);
  }
}

}  // namespace
}  // namespace tare::engine
