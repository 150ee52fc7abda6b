// flow_graph_test.cc: tests blocks and edges in small pieces of assembly.
#include "binary/code/flow_graph.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/programs/build_directory.h"

namespace tare::code {
namespace {

class FlowGraphs : public ::testing::Test {
 protected:
  // Links the text and reads the function `f`; returns false without a compiler for the target.
  bool Read(const std::string& target, const std::string& text, FlowHints hints = {}) {
    directory_.Write("f.s", text);
    const std::string compiler = "clang-19 --target=" + target + " -nostdlib -shared -fuse-ld=lld";
    if (!directory_.Runs(compiler + " f.s -o f.so")) {
      const std::string plain = "clang-19 --target=" + target + " -nostdlib -shared f.s -o f.so";
      if (!directory_.Runs(plain)) return false;
    }
    const auto image = elf::OpenElf(directory_ / "f.so");
    EXPECT_TRUE(image);
    const auto function = image->FindFunction("f");
    EXPECT_TRUE(function);
    decode::Decoder decoder(image->architecture());
    start_ = function->start;
    for (auto* places : {&hints.no_return, &hints.comes_back}) {
      std::set<std::uint64_t> moved;
      for (const std::uint64_t place : *places) moved.insert(start_ + place);
      *places = moved;
    }
    graph_ = ReadFlowGraph(*image, *function, decoder, hints);
    return true;
  }

  std::size_t Count(FlowKind kind) const {
    return static_cast<std::size_t>(std::ranges::count(graph_.edges, kind, &FlowEdge::kind));
  }
  bool Leads(std::uint64_t from, std::uint64_t to, FlowKind kind) const {
    return std::ranges::any_of(graph_.edges, [&](const FlowEdge& edge) {
      return edge.kind == kind && edge.from == graph_.BlockAt(start_ + from) &&
             edge.to == graph_.BlockAt(start_ + to);
    });
  }

  BuildDirectory directory_;
  FlowGraph graph_;
  std::uint64_t start_ = 0;
};

constexpr const char* kA64 = "aarch64-linux-gnu";
constexpr const char* kHead = ".globl f\n.type f,%function\nf:\n";
constexpr const char* kTail = ".size f,.-f\n";

TEST_F(FlowGraphs, BlocksEndAtBranchesAndBeforeTargets) {
  const std::string text = std::string(kHead) +
                           "  cbz x0, 1f\n"       // 0
                           "0: subs x0, x0, 1\n"  // 4
                           "  b.ne 0b\n"          // 8
                           "1: ret\n" +           // 12
                           kTail;
  if (!Read(kA64, text)) GTEST_SKIP() << "no linker for AArch64";
  ASSERT_EQ(graph_.blocks.size(), 3u);
  EXPECT_TRUE(graph_.blocks[0].conditional);
  EXPECT_EQ(graph_.blocks[1].instructions, 2u);
  EXPECT_TRUE(Leads(0, 12, FlowKind::kTaken));
  EXPECT_TRUE(Leads(4, 4, FlowKind::kTaken));
  EXPECT_TRUE(Leads(4, 12, FlowKind::kNext));
  EXPECT_EQ(Count(FlowKind::kReturn), 1u);
}

TEST_F(FlowGraphs, ATableLeadsToItsTargets) {
  const std::string text = std::string(kHead) +
                           "  cmp w0, #2\n"               // 0
                           "  b.hi 9f\n"                  // 4
                           "  adrp x9, table\n"           // 8
                           "  add x9, x9, :lo12:table\n"  // 12
                           "  adr x10, 5f\n"              // 16
                           "  ldrb w11, [x9, x0]\n"       // 20
                           "  add x10, x10, x11, lsl #2\n"
                           "  br x10\n"       // 28
                           "5: mov x0, #1\n"  // 32
                           "  ret\n"
                           "6: mov x0, #2\n"  // 40
                           "  ret\n"
                           "9: ret\n" +  // 48
                           kTail +
                           ".section .rodata\n"
                           "table: .byte 0\n .byte (6b - 5b) >> 2\n .byte 0\n"
                           " .byte 1\n .byte 1\n";
  if (!Read(kA64, text)) GTEST_SKIP() << "no linker for AArch64";
  EXPECT_TRUE(Leads(28, 32, FlowKind::kTable));
  EXPECT_TRUE(Leads(28, 40, FlowKind::kTable));
  EXPECT_EQ(Count(FlowKind::kTable), 2u);
}

TEST_F(FlowGraphs, CallsGoOnUnlessTheyAreKnownNotTo) {
  const std::string text = std::string(kHead) +
                           "  bl g\n"   // 0
                           "  nop\n"    // 4
                           "  bl g\n"   // 8
                           "  nop\n"    // 12
                           "  ret\n" +  // 16
                           kTail +
                           ".globl g\n.hidden g\ng: ret\n";
  if (!Read(kA64, text)) GTEST_SKIP() << "no linker for AArch64";
  EXPECT_EQ(graph_.blocks.size(), 1u);
  FlowHints hints;
  hints.no_return.insert(4);
  ASSERT_TRUE(Read(kA64, text, hints));
  EXPECT_EQ(Count(FlowKind::kStop), 1u);
  EXPECT_FALSE(Leads(8, 12, FlowKind::kNext));
  hints = {};
  hints.calls_may_not_return = true;
  ASSERT_TRUE(Read(kA64, text, hints));
  EXPECT_EQ(Count(FlowKind::kLost), 2u);
  EXPECT_TRUE(Leads(8, 12, FlowKind::kNext));
  hints = {};
  hints.comes_back.insert(12);
  ASSERT_TRUE(Read(kA64, text, hints));
  EXPECT_EQ(Count(FlowKind::kAgain), 1u);
}

TEST_F(FlowGraphs, OnX86TablesHoldDistancesFromThemselves) {
  const std::string text = std::string(".globl f\n.type f,@function\nf:\n") +
                           "  cmpl $1, %edi\n"
                           "  ja 9f\n"
                           "  leaq table(%rip), %rcx\n"
                           "  movslq (%rcx,%rdi,4), %rax\n"
                           "  addq %rcx, %rax\n"
                           "  jmpq *%rax\n"
                           "5: movl $1, %eax\n  ret\n"
                           "6: movl $2, %eax\n  ret\n"
                           "9: ret\n" +
                           ".size f,.-f\n.section .rodata\n"
                           "table: .long 5b-table\n .long 6b-table\n .long 12\n";
  if (!Read("x86_64-linux-gnu", text)) GTEST_SKIP() << "no linker for x86-64";
  EXPECT_EQ(Count(FlowKind::kTable), 2u);
  EXPECT_EQ(Count(FlowKind::kReturn), 3u);
}

}  // namespace
}  // namespace tare::code
