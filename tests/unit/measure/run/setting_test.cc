// setting_test.cc: tests environments of an exact size, fixed library dispatch, and padded paths.
#include "measure/run/setting.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/run/program.h"

namespace tare::run {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::StartsWith;

using Entries = std::vector<std::string>;

Entries Build(const Environment& wanted, const Entries& inherited = {}) {
  const auto built = MakeEnvironment(wanted, inherited, std::nullopt);
  EXPECT_TRUE(built) << built.error().message;
  return built.value_or(Entries{});
}

TEST(MakeEnvironment, InheritsSorted) {
  EXPECT_THAT(Build({}, {"B=2", "A=1", "C="}), ElementsAre("A=1", "B=2", "C="));
  Environment unsorted;
  unsorted.sorted = false;
  EXPECT_THAT(Build(unsorted, {"B=2", "A=1"}), ElementsAre("B=2", "A=1"));
}

TEST(MakeEnvironment, OfTwoEqualNamesTheFirstStaysFirst) {
  EXPECT_THAT(Build({}, {"B=2", "A=9", "A=1"}), ElementsAre("A=9", "A=1", "B=2"));
}

TEST(MakeEnvironment, CanBeEmptyOrGiven) {
  Environment wanted;
  wanted.from = Environment::From::kEmpty;
  EXPECT_THAT(Build(wanted, {"A=1"}), IsEmpty());
  wanted.from = Environment::From::kGiven;
  wanted.given = {"X=1"};
  EXPECT_THAT(Build(wanted, {"A=1"}), ElementsAre("X=1"));
}

TEST(MakeEnvironment, SetsAndUnsets) {
  Environment wanted;
  wanted.set = {{"B", "new"}, {"D", "a=b"}};
  wanted.unset = {"A", "missing"};
  EXPECT_THAT(Build(wanted, {"A=1", "AB=1", "B=old"}), ElementsAre("AB=1", "B=new", "D=a=b"));
}

TEST(MakeEnvironment, EverySizeFromTheLeastOnIsMetExactly) {
  const Entries inherited = {"A=1", "PATH=/bin"};
  const std::size_t least = BlockBytes(inherited) + BlockBytes({"TARE_PAD="});
  for (std::size_t bytes = least; bytes < least + 40; ++bytes) {
    Environment wanted;
    wanted.bytes = bytes;
    const Entries built = Build(wanted, inherited);
    EXPECT_EQ(BlockBytes(built), bytes);
    EXPECT_EQ(built.size(), 3U);
  }
  Environment small;
  small.bytes = least - 1;
  const auto failed = MakeEnvironment(small, inherited, std::nullopt);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(failed.error().message, HasSubstr(std::to_string(least)));
}

TEST(MakeEnvironment, AnInheritedPadIsReplaced) {
  Environment wanted;
  wanted.bytes = 30;
  EXPECT_THAT(Build(wanted, {"TARE_PAD=" + std::string(100, 'x')}),
              ElementsAre("TARE_PAD=" + std::string(20, 'x')));
}

TEST(MakeEnvironment, PinnedDispatchKeepsOtherTunables) {
  Environment wanted;
  wanted.pin_dispatch = true;
  const Entries built =
      Build(wanted, {"GLIBC_TUNABLES=glibc.malloc.check=1:glibc.cpu.name=x:glibc.cpu.hwcaps=y"});
#if defined(__x86_64__)
  EXPECT_THAT(built,
              Contains(StartsWith("GLIBC_TUNABLES=glibc.malloc.check=1:glibc.cpu.name=x:glibc.cpu."
                                  "hwcaps=-AVX2,-AVX512F,")));
  // The bits that OPENSSL_ia32cap(3) names for PCLMULQDQ and AES-NI are among them.
  EXPECT_THAT(built, Contains("OPENSSL_ia32cap=~0x7e581a0200000000:0"));
#else
  EXPECT_THAT(built, Contains("GLIBC_TUNABLES=glibc.malloc.check=1:glibc.cpu.hwcaps=y:glibc.cpu."
                              "name=generic:glibc.pthread.rseq=0"));
  EXPECT_THAT(built, Contains("OPENSSL_armcap=1"));
#endif
}

TEST(MakeEnvironment, AStaticPieOnAArch64KeepsItsTunables) {
  Environment wanted;
  wanted.pin_dispatch = true;
  wanted.bind_now = true;
  ResolvedProgram program;
  program.machine = EM_AARCH64;
  program.static_pie = true;
  const Environment tolerated = ForProgram(program, wanted);
  EXPECT_FALSE(tolerated.PinsTunables());
  const Entries built = Build(tolerated, {"GLIBC_TUNABLES=glibc.malloc.check=1"});
  EXPECT_THAT(built, Contains("GLIBC_TUNABLES=glibc.malloc.check=1"));
  EXPECT_THAT(built, Contains(StartsWith("OPENSSL_")));
  EXPECT_THAT(built, Contains("LD_BIND_NOW=1"));
  EXPECT_THAT(Build(tolerated), Not(Contains(StartsWith("GLIBC_TUNABLES"))));
}

TEST(MakeEnvironment, OtherProgramsTolerateTunables) {
  Environment wanted;
  wanted.pin_dispatch = true;
  for (const auto& [machine, static_pie] :
       {std::pair<std::uint16_t, bool>{EM_AARCH64, false}, {EM_X86_64, true}, {EM_X86_64, false}}) {
    ResolvedProgram program;
    program.machine = machine;
    program.static_pie = static_pie;
    EXPECT_TRUE(ToleratesTunables(program));
    EXPECT_THAT(Build(ForProgram(program, wanted)), Contains(StartsWith("GLIBC_TUNABLES=")));
  }
}

TEST(MakeEnvironment, WithoutControlItIsTheInheritedOne) {
  Environment wanted;
  wanted.pin_dispatch = true;
  wanted.bind_now = true;
  wanted.pin_seeds = true;
  wanted.uncontrolled = true;
  EXPECT_THAT(Build(wanted, {"A=1", "GLIBC_TUNABLES=glibc.malloc.check=1"}),
              ElementsAre("A=1", "GLIBC_TUNABLES=glibc.malloc.check=1"));
}

TEST(MakeEnvironment, AGivenPadStaysAndVariablesKeepTheirPlaces) {
  Environment given;
  given.from = Environment::From::kGiven;
  given.given = {"Z=1", "TARE_PAD=xxx", "PWD=/old", "A=2"};
  given.sorted = false;
  const auto built = MakeEnvironment(given, {}, "/new");
  ASSERT_TRUE(built);
  EXPECT_THAT(*built, ElementsAre("Z=1", "TARE_PAD=xxx", "PWD=/new", "A=2"));
}

TEST(MakeEnvironment, TunablesAreAddedToThoseThatAreThere) {
  Environment wanted;
  wanted.tunables = {{"glibc.malloc.hugetlb", "1"}};
  EXPECT_THAT(Build(wanted), ElementsAre("GLIBC_TUNABLES=glibc.malloc.hugetlb=1"));
  EXPECT_THAT(Build(wanted, {"GLIBC_TUNABLES=glibc.malloc.hugetlb=2:glibc.malloc.check=1"}),
              ElementsAre("GLIBC_TUNABLES=glibc.malloc.check=1:glibc.malloc.hugetlb=1"));
}

TEST(MakeEnvironment, EachPinIsIndependent) {
  Environment bound;
  bound.bind_now = true;
  EXPECT_THAT(Build(bound), ElementsAre("LD_BIND_NOW=1"));
  Environment seeded;
  seeded.pin_seeds = true;
  EXPECT_THAT(Build(seeded, {"PYTHONHASHSEED=random"}),
              ElementsAre("PERL_HASH_SEED=0", "PERL_PERTURB_KEYS=0", "PYTHONHASHSEED=0"));
}

TEST(MakeEnvironment, WhatTheCallerSetsWins) {
  Environment wanted;
  wanted.pin_seeds = true;
  wanted.set = {{"PYTHONHASHSEED", "7"}};
  EXPECT_THAT(Build(wanted), Contains("PYTHONHASHSEED=7"));
  EXPECT_THAT(Build(wanted), Not(Contains("PYTHONHASHSEED=0")));
}

TEST(MakeEnvironment, ImpossibleNamesAreRefused) {
  for (const std::string& name : {std::string(), std::string("A=B"), std::string("A\0B", 3)}) {
    Environment set;
    set.set = {{name, "x"}};
    EXPECT_FALSE(MakeEnvironment(set, {}, std::nullopt)) << name;
    Environment unset;
    unset.unset = {name};
    EXPECT_FALSE(MakeEnvironment(unset, {}, std::nullopt)) << name;
  }
  Environment zero;
  zero.set = {{"A", std::string("x\0y", 3)}};
  EXPECT_FALSE(MakeEnvironment(zero, {}, std::nullopt));
}

TEST(PaddedPath, HasEveryLengthAndNamesTheSameFile) {
  const std::string path = "/bin/sh";
  for (std::size_t bytes = path.size(); bytes < 60; ++bytes) {
    const auto padded = PaddedPath(path, bytes);
    ASSERT_TRUE(padded);
    EXPECT_EQ(padded->size(), bytes);
    EXPECT_TRUE(std::filesystem::equivalent(*padded, path)) << *padded;
  }
  EXPECT_FALSE(PaddedPath(path, path.size() - 1));
  EXPECT_TRUE(PaddedPath(path, 4095));
  EXPECT_FALSE(PaddedPath(path, 4096));
}

TEST(Describe, NamesWhatIsFixed) {
  Setting setting;
  setting.environment.bytes = 4096;
  setting.environment.set = {{"A", "\x1b[31m"}};
  setting.core = 3;
  setting.argv0_length = 64;
  const auto pairs = Describe(setting);
  EXPECT_THAT(pairs, Contains(Pair("address randomization", "off")));
  EXPECT_THAT(pairs, Contains(Pair("environment", "inherited, sorted, 4096 bytes")));
  EXPECT_THAT(pairs, Contains(Pair("core", "3")));
  EXPECT_THAT(pairs, Contains(Pair("length of argv[0]", "64 bytes")));
  EXPECT_THAT(pairs, Contains(Pair("variable set", "A=\\x1b[31m")));
  setting.randomize_addresses = true;
  EXPECT_THAT(Describe(setting), Contains(Pair("address randomization", "on")));
  setting.layout = {.stack_bytes = 16, .heap_bytes = 32, .mapping_bytes = 4096};
  setting.process_id = 99;
  setting.cwd_length = 100;
  setting.huge_pages = false;
  const auto more = Describe(setting);
  EXPECT_THAT(more, Contains(Pair("stack offset", "16 bytes")));
  EXPECT_THAT(more, Contains(Pair("heap offset", "32 bytes")));
  EXPECT_THAT(more, Contains(Pair("mapping offset", "4096 bytes")));
  EXPECT_THAT(more, Contains(Pair("process id", "99")));
  EXPECT_THAT(more, Contains(Pair("length of the directory", "100 bytes")));
  EXPECT_THAT(more, Contains(Pair("huge pages", "none")));
}

}  // namespace
}  // namespace tare::run
