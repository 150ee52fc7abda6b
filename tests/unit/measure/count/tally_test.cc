// tally_test.cc: tests the totals of hand-assembled blocks; the numbers are instructions times
// executions.
#include "measure/count/tally.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "synthetic_blocks.h"

namespace tare::count {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

class Adding : public testing::Test {
 protected:
  Tally AddedUp(std::vector<format::Recording> recordings,
                RepConvention convention = RepConvention::kOnce) {
    const auto tally = SumRecordings(recordings, convention, images_);
    EXPECT_TRUE(tally) << (tally ? "" : tally.error().message);
    return tally ? *tally : Tally{};
  }

  Images images_;
};

// mov rax, [rbx]; mov [rbx], rax; lock add [rax], ecx; syscall; ret
TEST_F(Adding, AStraightBlockOfX86) {
  const auto tally = AddedUp({X86({SyntheticBlock(
      Bytes({0x48, 0x8b, 0x03, 0x48, 0x89, 0x03, 0xf0, 0x01, 0x08, 0x0f, 0x05, 0xc3}), 5, 10)})});
  EXPECT_EQ(tally.architecture, decode::Architecture::kX86_64);
  EXPECT_EQ(tally.total[Metric::kInstructions], 50u);
  EXPECT_EQ(tally.total[Metric::kLoads], 30u);
  EXPECT_EQ(tally.total[Metric::kLoadBytes], 10u * (8 + 4 + 8));
  EXPECT_EQ(tally.total[Metric::kStores], 20u);
  EXPECT_EQ(tally.total[Metric::kStoreBytes], 10u * (8 + 4));
  EXPECT_EQ(tally.total[Metric::kAtomics], 10u);
  EXPECT_EQ(tally.total[Metric::kSystemCalls], 10u);
  EXPECT_EQ(tally.total[Metric::kReturns], 10u);
  EXPECT_EQ(tally.total[Metric::kConditionalBranches], 0u);
  EXPECT_EQ(tally.undecoded, 0u);
  EXPECT_THAT(tally.opcodes, UnorderedElementsAre(Pair("mov", 20u), Pair("add", 10u),
                                                  Pair("syscall", 10u), Pair("ret", 10u)));
}

// ldr x0, [x1]; str x0, [x1]; ldxr x0, [x1]; svc #0; bl; ret
TEST_F(Adding, AStraightBlockOfAArch64) {
  const auto tally = AddedUp({Arm({SyntheticBlock(
      Words({0xf9400020, 0xf9000020, 0xc85f7c20, 0xd4000001, 0x94000002, 0xd65f03c0}), 6, 3)})});
  EXPECT_EQ(tally.architecture, decode::Architecture::kAArch64);
  EXPECT_EQ(tally.total[Metric::kInstructions], 18u);
  EXPECT_EQ(tally.total[Metric::kLoads], 6u);
  EXPECT_EQ(tally.total[Metric::kLoadBytes], 48u);
  EXPECT_EQ(tally.total[Metric::kStores], 3u);
  EXPECT_EQ(tally.total[Metric::kAtomics], 3u);
  EXPECT_EQ(tally.total[Metric::kSystemCalls], 3u);
  EXPECT_EQ(tally.total[Metric::kCalls], 3u);
  EXPECT_EQ(tally.total[Metric::kReturns], 3u);
}

// vaddps ymm0, ymm0, ymm0; addsd xmm0, xmm1; fadd st0, st1; fldcw [rax]; jmp
TEST_F(Adding, FloatingPointAndVectorsOfX86) {
  const auto tally = AddedUp({X86({SyntheticBlock(
      Bytes({0xc5, 0xfc, 0x58, 0xc0, 0xf2, 0x0f, 0x58, 0xc1, 0xd8, 0xc1, 0xd9, 0x28, 0xeb, 0x00}),
      5, 7)})});
  EXPECT_EQ(tally.total[Metric::kVector256], 7u);
  EXPECT_EQ(tally.total[Metric::kFloatingSingle], 7u * 8);
  EXPECT_EQ(tally.total[Metric::kFloatingDouble], 7u);
  EXPECT_EQ(tally.total[Metric::kFloatingExtended], 7u);
  EXPECT_EQ(tally.total[Metric::kX87], 14u);
  EXPECT_EQ(tally.total[Metric::kFldcw], 7u);
  EXPECT_EQ(tally.total[Metric::kUnconditionalBranches], 7u);
}

// fadd d0, d1, d2; add v0.4s, v1.4s, v2.4s; fadd v0.2s, v0.2s, v0.2s
TEST_F(Adding, FloatingPointAndVectorsOfAArch64) {
  const auto tally =
      AddedUp({Arm({SyntheticBlock(Words({0x1e622820, 0x4ea28420, 0x0e20d400}), 3, 2)})});
  EXPECT_EQ(tally.total[Metric::kFloatingDouble], 2u);
  EXPECT_EQ(tally.total[Metric::kVector128], 2u);
  EXPECT_EQ(tally.total[Metric::kVector64], 2u);
  EXPECT_EQ(tally.total[Metric::kFloatingSingle], 4u);
}

// dec rax; jnz - and subs x0, x0, #1; b.ne: the second counter counts how often it was not taken.
TEST_F(Adding, AConditionalBranchIsTakenWhereItDidNotGoOn) {
  const auto x86 = AddedUp(
      {X86({Conditional(SyntheticBlock(Bytes({0x48, 0xff, 0xc8, 0x75, 0xfb}), 2, 100), 1)})});
  EXPECT_EQ(x86.total[Metric::kConditionalBranches], 100u);
  EXPECT_EQ(x86.total[Metric::kTakenBranches], 99u);
  const auto arm =
      AddedUp({Arm({Conditional(SyntheticBlock(Words({0xf1000400, 0x54ffffe1}), 2, 100), 100)})});
  EXPECT_EQ(arm.total[Metric::kConditionalBranches], 100u);
  EXPECT_EQ(arm.total[Metric::kTakenBranches], 0u);
}

// A process that is killed between the two increments.
TEST_F(Adding, MoreWaysOnThanRunsAreNoNegativeNumber) {
  const auto tally = AddedUp({Arm({Conditional(SyntheticBlock(Words({0x54ffffe1}), 1, 1), 2)})});
  EXPECT_EQ(tally.total[Metric::kTakenBranches], 0u);
}

// rep movsb, reached 4 times, 1,000 iterations.
TEST_F(Adding, ARepeatedInstructionCountsOnceOrForEachIteration) {
  const auto recording = X86({Repeated(SyntheticBlock(Bytes({0xf3, 0xa4}), 1, 4), 1000)});
  const auto once = AddedUp({recording}, RepConvention::kOnce);
  EXPECT_EQ(once.total[Metric::kInstructions], 4u);
  const auto each = AddedUp({recording}, RepConvention::kPerIteration);
  EXPECT_EQ(each.total[Metric::kInstructions], 1000u);
  for (const Tally& tally : {once, each}) {
    EXPECT_EQ(tally.total[Metric::kRepeatedInstructions], 4u);
    EXPECT_EQ(tally.total[Metric::kRepeatIterations], 1000u);
    EXPECT_EQ(tally.total[Metric::kLoads], 1000u);
    EXPECT_EQ(tally.total[Metric::kStoreBytes], 1000u);
  }
}

// rep stosb with a count of 0 does nothing, but is still one instruction.
TEST_F(Adding, ARepeatedInstructionMayRepeatNothing) {
  const auto tally = AddedUp({X86({Repeated(SyntheticBlock(Bytes({0xf3, 0xaa}), 1, 5), 0)})});
  EXPECT_EQ(tally.total[Metric::kInstructions], 5u);
  EXPECT_EQ(tally.total[Metric::kStores], 0u);
}

// Reached twice in one block, iterating in another: still one instruction.
TEST_F(Adding, ARepeatedInstructionMayBeInTwoBlocks) {
  const auto tally = AddedUp({X86({Repeated(SyntheticBlock(Bytes({0xf3, 0xa4}), 1, 2), 2),
                                   Repeated(SyntheticBlock(Bytes({0xf3, 0xa4}), 1, 0), 98)})});
  EXPECT_EQ(tally.total[Metric::kInstructions], 2u);
  EXPECT_EQ(tally.total[Metric::kRepeatIterations], 100u);
  EXPECT_EQ(tally.total[Metric::kStores], 100u);
}

// nop; push es, which does not exist in 64-bit mode; the following bytes are unknown.
TEST_F(Adding, UndecodableBytesAreCountedAndSaid) {
  const auto tally = AddedUp({X86({SyntheticBlock(Bytes({0x90, 0x06, 0x90, 0x90}), 4, 10)})});
  EXPECT_EQ(tally.total[Metric::kInstructions], 40u);
  EXPECT_EQ(tally.undecoded, 30u);
  EXPECT_THAT(tally.opcodes, UnorderedElementsAre(Pair("nop", 10u)));
}

TEST_F(Adding, ABlockWithLessCodeThanInstructionsIsFullyCounted) {
  const auto tally = AddedUp({Arm({SyntheticBlock(Words({0xd503201f}), 3, 10)})});
  EXPECT_EQ(tally.total[Metric::kInstructions], 30u);
  EXPECT_EQ(tally.undecoded, 20u);
}

TEST_F(Adding, CodeWithoutAFileIsAnonymous) {
  auto recording =
      Arm({SyntheticBlock(Words({0xd503201f}), 1, 4), SyntheticBlock(Words({0xd65f03c0}), 1, 2),
           SyntheticBlock(Words({0xd65f03c0}), 1, 1)});
  recording.objects = {{0x1000, 0x2000, 0, 0, 0, ""}, {0x3000, 0x4000, 0, 0, 0, "[vdso]"}};
  recording.blocks[0].object = 0;
  recording.blocks[1].object = 1;
  const auto tally = AddedUp({recording});
  ASSERT_EQ(tally.functions.size(), 2u);
  EXPECT_EQ(tally.functions.at({"[anonymous]", 0}).metrics[Metric::kInstructions], 5u);
  EXPECT_EQ(tally.functions.at({"[vdso]", 0}).metrics[Metric::kInstructions], 2u);
  EXPECT_EQ(tally.functions.at({"[vdso]", 0}).place, nullptr);
  ASSERT_EQ(tally.blocks.size(), 3u);
  EXPECT_EQ(tally.blocks[0].object, "[anonymous]");
  EXPECT_EQ(tally.blocks[0].offset, 0x1000u);
  EXPECT_EQ(tally.blocks[0].executions, 4u);
}

// A block that spans two functions is split between them.
TEST_F(Adding, InstructionsBelongToTheirFunction) {
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&std::puts), &info), 0);
  const std::string libc = info.dli_fname;
  const elf::ElfImage* const image = images_.Open(libc);
  ASSERT_NE(image, nullptr);
  // Two adjacent functions.
  const auto& functions = image->functions();
  const auto pair = std::ranges::adjacent_find(
      functions, [](const auto& a, const auto& b) { return a.end == b.start && a.name != b.name; });
  ASSERT_NE(pair, functions.end());
  const auto second = std::next(pair);
  const std::uint64_t nop_bytes = image->architecture() == decode::Architecture::kAArch64 ? 4 : 1;
  format::Recording recording;
  if (nop_bytes == 4) {
    recording = Arm({SyntheticBlock(Words({0xd503201f, 0xd503201f, 0xd503201f}), 3, 10)});
  } else {
    recording = X86({SyntheticBlock(Bytes({0x90, 0x90, 0x90}), 3, 10)});
  }
  const auto offset = image->FileOffsetOf(second->start);
  ASSERT_TRUE(offset);
  const std::uint64_t base = 0x40000000;
  recording.objects = {{base, base + 0x10000000, 0, 8, 42, libc}};
  recording.blocks[0].object = 0;
  recording.blocks[0].address = base + *offset - nop_bytes;
  const auto tally = AddedUp({recording});
  ASSERT_EQ(tally.functions.size(), 2u);
  EXPECT_EQ(tally.functions.at({libc, pair->start}).metrics[Metric::kInstructions], 10u);
  EXPECT_EQ(tally.functions.at({libc, pair->start}).function, pair->name);
  EXPECT_EQ(tally.functions.at({libc, second->start}).metrics[Metric::kInstructions], 20u);
  EXPECT_EQ(tally.blocks.at(0).offset, *offset - nop_bytes);
  EXPECT_EQ(tally.blocks.at(0).function, pair->name);
}

TEST_F(Adding, ADeletedFileStillHasItsCounts) {
  auto recording = Arm({SyntheticBlock(Words({0xd503201f}), 1, 4)});
  recording.objects = {{0x1000, 0x2000, 0, 8, 42, "/nowhere/program"}};
  recording.blocks[0].object = 0;
  const auto tally = AddedUp({recording});
  EXPECT_EQ(tally.total[Metric::kInstructions], 4u);
  EXPECT_EQ(tally.functions.at({"/nowhere/program", 0}).metrics[Metric::kInstructions], 4u);
}

TEST_F(Adding, SeveralProcessesAddUp) {
  auto first = Arm({SyntheticBlock(Words({0xd503201f}), 1, 4)});
  first.threads = 3;
  first.region_entries = 2;
  auto second = Arm({SyntheticBlock(Words({0xd503201f}), 1, 5)});
  second.region_entries = 1;
  const auto tally = AddedUp({first, second});
  EXPECT_EQ(tally.total[Metric::kInstructions], 9u);
  EXPECT_EQ(tally.processes, 2u);
  EXPECT_EQ(tally.threads, 4u);
  EXPECT_EQ(tally.region_entries, 3u);
  EXPECT_EQ(tally.functions.size(), 1u);
}

TEST_F(Adding, ProcessesOfDifferentMachinesAreAnError) {
  const std::vector<format::Recording> mixed = {Arm({}), X86({})};
  const auto tally = SumRecordings(mixed, RepConvention::kOnce, images_);
  ASSERT_FALSE(tally);
  EXPECT_THAT(tally.error().message, HasSubstr("different architectures"));
}

TEST_F(Adding, AnUnknownMachineIsAnError) {
  const std::vector<format::Recording> strange = {SyntheticRecording(243, {})};
  const auto tally = SumRecordings(strange, RepConvention::kOnce, images_);
  ASSERT_FALSE(tally);
  EXPECT_THAT(tally.error().message, HasSubstr("243"));
}

TEST_F(Adding, NothingIsAnError) { EXPECT_FALSE(SumRecordings({}, RepConvention::kOnce, images_)); }

}  // namespace
}  // namespace tare::count
