// leaf_caller_test.cc: tests where call frame information says that a return address is, in a
// function of this program, and what follows for a sample.
#include "measure/profile/leaf_caller.h"

#include <gtest/gtest.h>
#include <link.h>

#include <cstring>

#include "measure/profile/sampled_registers.h"
#include "measure/profile/stack_unwinder.h"

// A function with a frame, and labels between its instructions.
extern "C" {
extern const char tare_test_entry[];
extern const char tare_test_saved[];
extern const char tare_test_framed[];
extern const char tare_test_restored[];
}
#if defined(__aarch64__)
__asm__(
    ".text\n.globl tare_test_entry, tare_test_saved, tare_test_framed, tare_test_restored\n"
    "tare_test_entry:\n.cfi_startproc\n"
    "stp x29, x30, [sp, -32]!\n.cfi_def_cfa_offset 32\n.cfi_offset 29, -32\n.cfi_offset 30, -24\n"
    "tare_test_saved:\nmov x29, sp\n"
    "tare_test_framed:\nnop\n"
    "ldp x29, x30, [sp], 32\n.cfi_restore 30\n.cfi_restore 29\n.cfi_def_cfa_offset 0\n"
    "tare_test_restored:\nret\n.cfi_endproc\n");
#elif defined(__x86_64__)
__asm__(
    ".text\n.globl tare_test_entry, tare_test_saved, tare_test_framed, tare_test_restored\n"
    "tare_test_entry:\n.cfi_startproc\n"
    "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset 6, -16\n"
    "tare_test_saved:\nmovq %rsp, %rbp\n.cfi_def_cfa_register 6\n"
    "tare_test_framed:\nnop\n"
    "popq %rbp\n.cfi_restore 6\n.cfi_def_cfa 7, 8\n"
    "tare_test_restored:\nret\n.cfi_endproc\n");
#endif

namespace tare::profile {
namespace {

using Known = LeafCaller::Known;
using Where = ReturnRule::Where;

struct Found {
  std::uint64_t address;
  std::uint64_t offset;
};

int FindOffset(dl_phdr_info* info, std::size_t, void* argument) {
  auto& found = *static_cast<Found*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || found.address < start ||
        found.address - start >= segment.p_filesz)
      continue;
    found.offset = found.address - start + segment.p_offset;
    return 1;
  }
  return 0;
}

ReturnRule RuleAt(const char* label) {
  static ReturnRules rules("/proc/self/exe");
  Found found{reinterpret_cast<std::uint64_t>(label), 0};
  EXPECT_EQ(dl_iterate_phdr(FindOffset, &found), 1);
  return rules.At(found.offset);
}

class LeafRules : public testing::Test {
 protected:
  void SetUp() override {
    if (!MakeUnwinder()) GTEST_SKIP() << "built without libdw";
  }
};

TEST_F(LeafRules, FollowTheFrame) {
  if (HasLinkRegister()) {
    EXPECT_EQ(RuleAt(tare_test_entry).where, Where::kLinkRegister);
    EXPECT_EQ(RuleAt(tare_test_saved), (ReturnRule{Where::kStack, 8, true}));
    EXPECT_EQ(RuleAt(tare_test_framed), (ReturnRule{Where::kStack, 8, false}));
    EXPECT_EQ(RuleAt(tare_test_restored).where, Where::kLinkRegister);
  } else {
    EXPECT_EQ(RuleAt(tare_test_entry), (ReturnRule{Where::kStack, 0, false}));
    EXPECT_EQ(RuleAt(tare_test_saved), (ReturnRule{Where::kStack, 8, false}));
    EXPECT_EQ(RuleAt(tare_test_framed).where, Where::kFrame);
    EXPECT_EQ(RuleAt(tare_test_restored), (ReturnRule{Where::kStack, 0, false}));
  }
  // The same from what was kept.
  EXPECT_EQ(RuleAt(tare_test_entry), RuleAt(tare_test_entry));
}

TEST_F(LeafRules, AreUnknownOutsideOfTheFileAndInOtherFiles) {
  ReturnRules own("/proc/self/exe");
  EXPECT_EQ(own.At(std::uint64_t{1} << 40).where, Where::kUnknown);
  ReturnRules none("/nonexistent");
  EXPECT_EQ(none.At(0).where, Where::kUnknown);
  ReturnRules no_elf("/proc/self/status");
  EXPECT_EQ(no_elf.At(0).where, Where::kUnknown);
}

PerfRecord SampleOf(std::uint64_t value) {
  PerfRecord sample;
  sample.registers = {value};
  sample.stack.assign(16, '\0');
  const std::uint64_t return_address = 0x401234;
  std::memcpy(sample.stack.data() + 8, &return_address, sizeof return_address);
  return sample;
}

TEST(ApplyRule, TakesTheLinkRegisterOnlyWhereItHasTheReturnAddress) {
  if (!HasLinkRegister()) GTEST_SKIP() << "this architecture has no link register";
  const PerfRecord sample = SampleOf(0x405678);
  const LeafCaller leaf = ApplyRule({Where::kLinkRegister}, sample);
  EXPECT_EQ(leaf.known, Known::kYes);
  EXPECT_EQ(leaf.address, 0x405678);
  EXPECT_EQ(ApplyRule({Where::kStack, 8, true}, sample).known, Known::kYes);
  EXPECT_EQ(ApplyRule({Where::kStack, 8, false}, sample).known, Known::kInChain);
  // Without the signature of pointer authentication.
  EXPECT_EQ(ApplyRule({Where::kLinkRegister}, SampleOf(0x002a'0000'0040'5678)).address, 0x405678);
}

TEST(ApplyRule, ReadsTheCopiedStack) {
  if (HasLinkRegister()) GTEST_SKIP() << "return addresses are in the link register";
  const PerfRecord sample = SampleOf(0x7fff0000);
  const LeafCaller leaf = ApplyRule({Where::kStack, 8}, sample);
  EXPECT_EQ(leaf.known, Known::kYes);
  EXPECT_EQ(leaf.address, 0x401234);
  // Beyond what was copied, and below the stack pointer.
  EXPECT_EQ(ApplyRule({Where::kStack, 16}, sample).known, Known::kNo);
  EXPECT_EQ(ApplyRule({Where::kStack, -8}, sample).known, Known::kNo);
}

TEST(ApplyRule, LeavesTheChainAloneWhereThereIsAFrameOrNoCaller) {
  const PerfRecord sample = SampleOf(0x405678);
  EXPECT_EQ(ApplyRule({Where::kFrame}, sample).known, Known::kInChain);
  EXPECT_EQ(ApplyRule({Where::kNowhere}, sample).known, Known::kInChain);
  EXPECT_EQ(ApplyRule({}, sample).known, Known::kNo);
}

}  // namespace
}  // namespace tare::profile
