// engines_test.cc: tests the detection of tools that are installed, incomplete and missing.
#include "machine/host/engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "synthetic_machine.h"

namespace tare::host {
namespace {

using testing::HasSubstr;

class Tools {
 public:
  Tools() : directory_(SyntheticFiles{{"/usr/bin/x", ""}}) {}
  void Add(std::string_view name, std::string_view body) const {
    const std::string path = "/usr/bin/" + std::string(name);
    directory_.Write(path, "#!/bin/sh\n" + std::string(body));
    ::chmod(directory_.Files().Place(path).c_str(), 0755);
  }
  void AddFile(std::string_view path) const { directory_.Write(path, ""); }
  EngineSearch Search() const {
    return {.search_path = directory_.Files().Place("/usr/bin").string(),
            .architecture = "x86_64",
            .library_directories = {directory_.Files().Place("/usr/lib")}};
  }

 private:
  SyntheticMachine directory_;
};

TEST(Engines, NothingInstalledIsSaidWithThePackage) {
  const Tools tools;
  const Engine valgrind = FindValgrind(tools.Search());
  EXPECT_FALSE(valgrind.found);
  EXPECT_EQ(valgrind.state, "valgrind is not installed");
  EXPECT_EQ(valgrind.advice, "install valgrind");
  EXPECT_EQ(FindQemu(tools.Search()).advice, "install qemu-user");
  EXPECT_EQ(FindCompiler(tools.Search()).advice, "install clang-19");
}

TEST(Engines, ValgrindNeedsItsStaticLibraries) {
  const Tools tools;
  tools.Add("valgrind", "echo valgrind-3.19.0\n");
  EXPECT_FALSE(FindValgrind(tools.Search()).found);
  tools.AddFile("/usr/lib/x86_64-linux-gnu/valgrind/libcoregrind-amd64-linux.a");
  const Engine engine = FindValgrind(tools.Search());
  EXPECT_TRUE(engine.found);
  EXPECT_EQ(engine.version, "3.19.0");
  EXPECT_EQ(engine.advice, "");
  EXPECT_THAT(engine.state, HasSubstr("found"));
}

TEST(Engines, QemuNeedsPlugins) {
  const Tools tools;
  tools.Add("qemu-x86_64", "echo 'qemu-x86_64 version 7.2.22'\n");
  EXPECT_THAT(FindQemu(tools.Search()).state, HasSubstr("without plugin support"));
  tools.Add("qemu-x86_64", "test $1 = -h && echo '-plugin F'; echo 'qemu-x86_64 version 7.2.22'\n");
  EXPECT_TRUE(FindQemu(tools.Search()).found);
}

TEST(Engines, TheStaticQemuWillNotDo) {
  const Tools tools;
  tools.Add("qemu-x86_64-static", "echo 'qemu-x86_64 version 7.2.22'\n");
  EXPECT_THAT(FindQemu(tools.Search()).state, HasSubstr("only the static qemu"));
}

TEST(Engines, AToolThatFailsIsNotFound) {
  const Tools tools;
  tools.Add("clang-19", "exit 1\n");
  const Engine engine = FindCompiler(tools.Search());
  EXPECT_FALSE(engine.found);
  EXPECT_THAT(engine.state, HasSubstr("status 1"));
  EXPECT_NE(engine.advice, "");
}

TEST(Engines, SteppingIsReportedAsItWasTried) {
  EXPECT_TRUE(StepEngine({.works = true, .reason = ""}).found);
  const Engine refused = StepEngine({.works = false, .reason = "ptrace fails"});
  EXPECT_FALSE(refused.found);
  EXPECT_EQ(refused.state, "ptrace fails");
}

}  // namespace
}  // namespace tare::host
