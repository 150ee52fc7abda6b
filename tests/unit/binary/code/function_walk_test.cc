// function_walk_test.cc: tests finding the parts of a function that are not instructions.
#include "binary/code/function_walk.h"

#include <gtest/gtest.h>

#include "binary/code/program_code.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::code {
namespace {

struct Sums {
  std::uint32_t instructions = 0;
  std::uint32_t padding = 0;  // bytes
  std::uint32_t data = 0;     // bytes
};

class Walks : public ::testing::Test {
 protected:
  // Assembles the text and reads the function `f`.
  Sums Read(const std::string& target, const std::string& text) {
    directory_.Write("f.s", text);
    Sums sums;
    if (!directory_.Runs("clang-19 --target=" + target + " -c f.s -o f.o")) {
      skipped_ = true;
      return sums;
    }
    const auto image = elf::OpenElf(directory_ / "f.o");
    EXPECT_TRUE(image);
    const auto code = ProgramCode::Read(*image, 1, NoProgress);
    EXPECT_TRUE(code);
    const auto function = image->FindFunction("f");
    EXPECT_TRUE(function);
    const auto& read = code->functions()[code->targets().FunctionStartingAt(function->start)];
    sums.instructions = static_cast<std::uint32_t>(read.mix.Instructions());
    sums.padding = read.padding_bytes;
    sums.data = read.data_bytes;
    return sums;
  }

  BuildDirectory directory_;
  bool skipped_ = false;
};

const std::string kX86 = "x86_64-linux-gnu";
const std::string kWalkedA64 = "aarch64-linux-gnu";
const std::string kBegin = ".text\n.globl f\n.type f, @function\nf:\n";
const std::string kEnd = "\n.size f, .-f\n";

#define SKIP_WITHOUT_ASSEMBLER() \
  if (skipped_) GTEST_SKIP() << "there is no clang-19 for this target"

TEST_F(Walks, NopsAfterAReturnArePadding) {
  const auto sums = Read(kX86, kBegin +
                                   "xor %eax,%eax\nret\nnopw 0(%rax,%rax)\nint3\n"
                                   "1: inc %eax\nret" +
                                   kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 4U);
  EXPECT_EQ(sums.padding, 6U);  // nopw takes 5, int3 one
  EXPECT_EQ(sums.data, 0U);
}

TEST_F(Walks, NopsThatAreFallenIntoAreInstructions) {
  const auto sums = Read(kX86, kBegin + "nop\nxor %eax,%eax\nnop\nret" + kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 4U);
  EXPECT_EQ(sums.padding, 0U);
}

TEST_F(Walks, LandingPadsAreNoPadding) {
  const auto sums = Read(kX86, kBegin + "ret\nendbr64\nret" + kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 3U);
  EXPECT_EQ(sums.padding, 0U);
}

TEST_F(Walks, RunsOfZerosArePadding) {
  const auto sums = Read(kX86, kBegin + "ret\n.zero 12\ninc %eax\nret\n.zero 3" + kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 3U);
  EXPECT_EQ(sums.data, 0U);
  EXPECT_EQ(sums.padding, 15U);
}

TEST_F(Walks, BytesThatDoNotDecodeAreData) {
  const auto sums = Read(kX86, kBegin + "ret\n.byte 0x06, 0x07, 0x0e\ninc %eax\nret" + kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 3U);
  EXPECT_EQ(sums.data, 3U);
}

TEST_F(Walks, ObjectsInCodeAreData) {
  const auto sums = Read(kX86, kBegin +
                                   "ret\n.type t, @object\nt: .byte 0x90, 0x90, 0xc3, 0x90\n"
                                   ".size t, 4\ninc %eax\nret" +
                                   kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 3U);
  EXPECT_EQ(sums.data, 4U);
}

TEST_F(Walks, LiteralPoolsOfAArch64AreData) {
  const auto sums =
      Read(kWalkedA64, kBegin + "ldr x0, 1f\nret\n1: .xword 0x1122334455667788" + kEnd);
  SKIP_WITHOUT_ASSEMBLER();
  EXPECT_EQ(sums.instructions, 2U);
  EXPECT_EQ(sums.data, 8U);
}

// Without symbols, only the instruction that reads it shows that it is data.
TEST_F(Walks, WhatCodeReadsIsDataInStrippedFilesToo) {
  directory_.Write("f.s",
                   ".text\n.globl _start\n.type _start, %function\n_start:\n.cfi_startproc\n"
                   "ldr x0, 1f\nret\n1: .xword 0xd65f03c0d65f03c0\nmov x0, #1\nret\n"
                   ".cfi_endproc\n.size _start, .-_start\n");
  constexpr auto kTarget = decode::Architecture::kAArch64;
  if (!directory_.Runs(CommandFor(kTarget, "gcc -nostdlib -static f.s -o f")) ||
      !directory_.Runs(CommandFor(kTarget, "strip f")))
    GTEST_SKIP() << "no linker for AArch64 here";
  const auto image = elf::OpenElf(directory_ / "f");
  ASSERT_TRUE(image);
  const auto code = ProgramCode::Read(*image, 1, NoProgress);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->total().Instructions(), 4U);
  EXPECT_EQ(code->data_bytes(), 8U);
}

// Newer compilers also mark data in debug sections; there the value is not an address.
TEST_F(Walks, MarksInSectionsThatAreNotLoadedMeanNothing) {
  directory_.Write(
      "f.s",
      ".text\n.globl f\n.type f, %function\nf: mov x0, #1\nadd x0, x0, x0\nret\n"
      ".size f, .-f\n.section .debug_more,\"\",%progbits\n.zero 0x804\n\"$d.7\": .zero 8\n");
  if (!directory_.Runs(CommandFor(decode::Architecture::kAArch64,
                                  "gcc -nostdlib -static -Wl,-Ttext=0x800,-e,f f.s -o f")))
    GTEST_SKIP() << "no linker for AArch64 here";
  const auto image = elf::OpenElf(directory_ / "f");
  ASSERT_TRUE(image);
  ASSERT_EQ(image->entry(), 0x800U);
  EXPECT_TRUE(image->data_in_code().empty());
}

}  // namespace
}  // namespace tare::code
