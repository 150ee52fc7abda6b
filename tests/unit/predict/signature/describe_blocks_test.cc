// describe_blocks_test.cc: tests loops, dependences and work of small functions in C, compiled for
// both architectures. What each loop needs follows from its source.
#include "predict/signature/describe_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiled_loops.h"

namespace tare::signature {
namespace {

using decode::Architecture;
using testing::EndsWith;

// Of 1000 iterations, a few begin or end a loop.
constexpr double kSlack = 0.005;

double Of(const WorkCounts& counts, Work work) { return counts[static_cast<std::size_t>(work)]; }

// Sums over the blocks of a loop, per iteration.
struct LoopSums {
  WorkCounts work = {};
  WorkCounts chain = {};
  LoadsByAddress loads;
  double flops = 0;
};

LoopSums SumsOf(const DescribedCode& code, std::uint32_t loop) {
  LoopSums sums;
  const auto iterations = static_cast<double>(code.loops[loop].iterations);
  for (const Block& block : code.blocks) {
    if (block.loop != loop) continue;
    const double times = static_cast<double>(block.executions) / iterations;
    for (std::size_t i = 0; i < kWorkKinds; ++i) {
      sums.work[i] += times * block.work[i];
      sums.chain[i] += times * block.chain[i];
    }
    sums.loads.independent += times * block.loads_by_address.independent;
    sums.loads.indirect += times * block.loads_by_address.indirect;
    sums.loads.chained += times * block.loads_by_address.chained;
    for (const FloatWork& work : block.floats) sums.flops += times * work.operations;
  }
  return sums;
}

class DescribedLoops : public testing::TestWithParam<Architecture> {
 protected:
  DescribedCode Described(const std::string& source, const std::string& options = "-O1") {
    CompiledLoops loops(GetParam(), source, options);
    EXPECT_TRUE(loops.Compiled());
    assembly_ = loops.Assembly();
    return loops.Describe();
  }

  // Of a function with one loop.
  LoopSums OnlyLoop(const std::string& source, const std::string& options = "-O1") {
    const DescribedCode code = Described(source, options);
    EXPECT_EQ(code.loops.size(), 1u) << assembly_;
    if (code.loops.size() != 1) return {};
    return SumsOf(code, 0);
  }

  std::string assembly_;
};

constexpr const char* kList =
    "struct node { struct node* next; long pad[9]; long value; };\n"
    "long walk(struct node* p) {\n"
    "  long sum = 0;\n"
    "  while (p) {\n"
    "    sum += p->value;\n"
    "    p = p->next;\n"
    "  }\n"
    "  return sum;\n"
    "}\n";

TEST_P(DescribedLoops, AListIsAChainOfItsLoads) {
  const LoopSums sums = OnlyLoop(kList);
  EXPECT_NEAR(sums.loads.chained, 1, kSlack) << assembly_;   // next
  EXPECT_NEAR(sums.loads.indirect, 1, kSlack) << assembly_;  // value
  EXPECT_NEAR(sums.loads.independent, 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kInteger), 0, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AListIsAChainWithoutOptimisationToo) {
  const LoopSums sums = OnlyLoop(kList, "-O0");
  EXPECT_NEAR(sums.loads.chained, 1, kSlack) << assembly_;
  // next, and the pointer that passes through the stack.
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 2, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kStore), 1, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AListOfSeveralLoadsAndArithmeticIsChained) {
  const LoopSums sums = OnlyLoop(
      "struct node { long pad; struct node** next; };\n"
      "long walk(struct node* p, long n) {\n"
      "  long steps = 0;\n"
      "  while (p) { p = p->next[steps & 3]; steps++; }\n"
      "  return steps;\n"
      "}\n");
  EXPECT_NEAR(sums.loads.chained, 2, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 2, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AnIndexFromMemoryMakesTheLoadIndirect) {
  const LoopSums sums = OnlyLoop(
      "double gather(const double* a, const int* b, long n) {\n"
      "  double sum = 0;\n"
      "  for (long i = 0; i < n; ++i) sum += a[b[i]];\n"
      "  return sum;\n"
      "}\n");
  EXPECT_NEAR(sums.loads.independent, 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.loads.indirect, 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.loads.chained, 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatAdd), 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.flops, 1, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AReductionIsAChainOfItsAdditions) {
  const LoopSums sums = OnlyLoop(
      "double sum(const double* a, long n) {\n"
      "  double sum = 0;\n"
      "  for (long i = 0; i < n; ++i) sum += a[i];\n"
      "  return sum;\n"
      "}\n");
  EXPECT_NEAR(sums.loads.independent, 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatAdd), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kInteger), 0, kSlack) << assembly_;
}

// The loops make 1,000 iterations each, the inner one within those of the outer one.
constexpr const char* kRows =
    "double rows(const double* a, double* y, long n, long m) {\n"
    "  double SUM_OUTSIDE\n"
    "  for (long i = 0; i < n; ++i) {\n"
    "    double SUM_INSIDE\n"
    "    for (long j = 0; j < m; ++j) sum += a[i * m + j];\n"
    "    y[i] = sum;\n"
    "  }\n"
    "  return 0;\n"
    "}\n";

TEST_P(DescribedLoops, ASumOfARowStartsAnewWithEachRow) {
  const DescribedCode code =
      Described(kRows, "-O1 -DSUM_OUTSIDE='unused;' -DSUM_INSIDE='sum = 0;'");
  ASSERT_EQ(code.loops.size(), 2U) << assembly_;
  const Loop& inner = code.loops[0].parent == kNoLoop ? code.loops[1] : code.loops[0];
  EXPECT_GT(inner.chain_span, 3) << assembly_;
  EXPECT_LT(inner.chain_span, 100) << assembly_;
}

TEST_P(DescribedLoops, ASumOfAllRowsStartsAnewWithEachCall) {
  const DescribedCode code =
      Described(kRows, "-O1 -DSUM_OUTSIDE='sum = 0;' -DSUM_INSIDE='unused;'");
  ASSERT_EQ(code.loops.size(), 2U) << assembly_;
  const Loop& inner = code.loops[0].parent == kNoLoop ? code.loops[1] : code.loops[0];
  EXPECT_GT(inner.chain_span, 1000) << assembly_;
}

TEST_P(DescribedLoops, FourAccumulatorsAreChainsBesideEachOther) {
  const LoopSums sums = OnlyLoop(
      "double sum(const double* a, long n) {\n"
      "  double s = 0, t = 0, u = 0, v = 0;\n"
      "  for (long i = 0; i < n; i += 4) {\n"
      "    s += a[i]; t += a[i + 1]; u += a[i + 2]; v += a[i + 3];\n"
      "  }\n"
      "  return s + t + u + v;\n"
      "}\n");
  EXPECT_NEAR(Of(sums.work, Work::kFloatAdd), 4, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatAdd), 1, kSlack) << assembly_;
}

TEST_P(DescribedLoops, IterationsOfATriadNeedOnlyTheIndex) {
  const LoopSums sums = OnlyLoop(
      "void triad(double* restrict a, const double* b, const double* c, double s, long n) {\n"
      "  for (long i = 0; i < n; ++i) a[i] = b[i] + s * c[i];\n"
      "}\n");
  EXPECT_NEAR(sums.loads.independent, 2, kSlack) << assembly_;
  EXPECT_NEAR(sums.loads.indirect, 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.work, Work::kStore), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.work, Work::kFloatAdd), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.work, Work::kFloatMultiply), 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.flops, 2, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatAdd), 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kInteger), 1, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AFusedMultiplyAddIsTwoOperations) {
  const LoopSums sums = OnlyLoop(
      "double dot(const double* a, const double* b, long n) {\n"
      "  double sum = 0;\n"
      "  for (long i = 0; i < n; ++i) sum = __builtin_fma(a[i], b[i], sum);\n"
      "  return sum;\n"
      "}\n",
      GetParam() == Architecture::kX86_64 ? "-O1 -mfma" : "-O1");
  EXPECT_NEAR(Of(sums.work, Work::kFloatFused), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatFused), 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.flops, 2, kSlack) << assembly_;
}

TEST_P(DescribedLoops, ACounterInMemoryIsForwardedFromStoreToLoad) {
  const LoopSums sums = OnlyLoop(
      "void count(volatile long* total, const long* x, long n) {\n"
      "  for (long i = 0; i < n; ++i) *total += x[i];\n"
      "}\n");
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kInteger), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kStore), 1, kSlack) << assembly_;
  EXPECT_NEAR(sums.loads.independent, 2, kSlack) << assembly_;
}

TEST_P(DescribedLoops, TheChainOfAHornerSchemeHasBothOperations) {
  const LoopSums sums = OnlyLoop(
      "double horner(const double* a, double x, long n) {\n"
      "  double sum = 0;\n"
      "  for (long i = 0; i < n; ++i) sum = sum * x + a[i];\n"
      "  return sum;\n"
      "}\n");
  EXPECT_NEAR(Of(sums.chain, Work::kFloatMultiply), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatAdd), 1, kSlack) << assembly_;
}

TEST_P(DescribedLoops, AChainOverTwoIterationsCountsHalf) {
  const LoopSums sums = OnlyLoop(
      "double turns(double x, double y, double z, long n) {\n"
      "  for (long i = 0; i < n; ++i) { double t = x / z; x = y; y = t; }\n"
      "  return x - y;\n"
      "}\n");
  EXPECT_NEAR(Of(sums.work, Work::kFloatDivide), 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kFloatDivide), 0.5, kSlack) << assembly_;
}

TEST_P(DescribedLoops, CallsEndChains) {
  const LoopSums sums = OnlyLoop(
      "long other(long);\n"
      "long repeat(long x, long n) {\n"
      "  for (long i = 0; i < n; ++i) x = other(x);\n"
      "  return x;\n"
      "}\n");
  EXPECT_NEAR(Of(sums.chain, Work::kLoad), 0, kSlack) << assembly_;
  EXPECT_NEAR(Of(sums.chain, Work::kInteger), 1, kSlack) << assembly_;  // the index
}

TEST_P(DescribedLoops, ALookUpInAHashTableHasAChainInsideAndIndirectLoadsOutside) {
  const DescribedCode code = Described(
      "struct entry { struct entry* next; long pad[9]; long key; };\n"
      "long find(struct entry** table, const long* keys, long n) {\n"
      "  long found = 0;\n"
      "  for (long i = 0; i < n; ++i)\n"
      "    for (struct entry* p = table[keys[i] & 1023]; p; p = p->next)\n"
      "      found += p->key == 7;\n"
      "  return found;\n"
      "}\n");
  ASSERT_EQ(code.loops.size(), 2u) << assembly_;
  EXPECT_EQ(code.loops[0].parent, 1u);
  EXPECT_EQ(code.loops[1].parent, kNoLoop);
  EXPECT_GE(code.loops[0].line, 5u) << assembly_;
  EXPECT_LE(code.loops[0].line, 6u) << assembly_;
  EXPECT_GE(code.loops[1].line, 4u) << assembly_;
  EXPECT_LE(code.loops[1].line, 5u) << assembly_;
  const LoopSums inner = SumsOf(code, 0);
  EXPECT_NEAR(inner.loads.chained, 1, kSlack) << assembly_;
  EXPECT_NEAR(inner.loads.indirect, 1, kSlack) << assembly_;
  EXPECT_NEAR(Of(inner.chain, Work::kLoad), 1, kSlack) << assembly_;
  const LoopSums outer = SumsOf(code, 1);
  EXPECT_NEAR(outer.loads.independent, 1, kSlack) << assembly_;  // keys[i]
  EXPECT_NEAR(outer.loads.indirect, 1, kSlack) << assembly_;     // table[...]
  EXPECT_NEAR(outer.loads.chained, 0, kSlack) << assembly_;
}

TEST_P(DescribedLoops, BothSidesOfABranchHaveTheirChain) {
  const DescribedCode code = Described(
      "struct tree { struct tree* left; long pad[9]; struct tree* right; long key; };\n"
      "struct tree* find(struct tree* p, long key, long n) {\n"
      "  do {\n"
      "    if (key < p->key) { __asm__ volatile(\"\"); p = p->left; }\n"
      "    else { __asm__ volatile(\"nop\"); p = p->right; }\n"
      "  } while (--n);\n"
      "  return p;\n"
      "}\n");
  double chained = 0;
  double on_chain = 0;
  for (const Block& block : code.blocks) {
    chained += block.loads_by_address.chained * static_cast<double>(block.executions);
    on_chain += Of(block.chain, Work::kLoad) * static_cast<double>(block.executions);
  }
  double iterations = 0;
  for (const Loop& loop : code.loops)
    iterations = std::max(iterations, static_cast<double>(loop.iterations));
  // left in half of the iterations, right in the others.
  EXPECT_NEAR(chained, iterations, kSlack * iterations) << assembly_;
  EXPECT_NEAR(on_chain, iterations, kSlack * iterations) << assembly_;
}

TEST_P(DescribedLoops, BlocksHaveFunctionFileAndLine) {
  const DescribedCode code = Described(kList);
  ASSERT_FALSE(code.blocks.empty());
  for (const Block& block : code.blocks) EXPECT_EQ(block.function, "walk");
  ASSERT_EQ(code.loops.size(), 1u);
  EXPECT_EQ(code.loops[0].function, "walk");
  EXPECT_THAT(code.loops[0].file, EndsWith("loops.c"));
  EXPECT_GE(code.loops[0].line, 4u);
  EXPECT_LE(code.loops[0].line, 6u);
  EXPECT_EQ(code.loops[0].iterations, 1000u);
  EXPECT_EQ(code.loops[0].entries, 1u);
}

// A recorder starts a block wherever control enters: the first iteration is part of another block.
TEST_P(DescribedLoops, BlocksThatOverlapShareTheirLoop) {
  CompiledLoops loops(GetParam(),
                      "struct node { struct node* next; long pad[9]; long value; };\n"
                      "long walk(struct node* p) {\n"
                      "  long sum = 0;\n"
                      "  do { sum += p->value; p = p->next; } while (p);\n"
                      "  return sum;\n"
                      "}\n");
  ASSERT_TRUE(loops.Compiled());
  std::vector<Object> objects;
  count::Images images;
  format::Recording recording = loops.recording();
  // Joins the block before the loop with a first execution of the loop's block.
  std::size_t loop = 0;
  while (loop < recording.blocks.size() && recording.blocks[loop].executions != 1000) ++loop;
  ASSERT_LT(loop, recording.blocks.size());
  ASSERT_GT(loop, 0u);
  format::Block& body = recording.blocks[loop];
  format::Block& before = recording.blocks[loop - 1];
  ASSERT_EQ(before.address + before.code.size(), body.address);
  ASSERT_FALSE(before.conditional);
  before.code.insert(before.code.end(), body.code.begin(), body.code.end());
  before.instructions += body.instructions;
  before.conditional = true;
  before.second = 0;
  body.executions -= before.executions;
  const DescribedCode code = DescribeCode(recording, GetParam(), images, objects);
  ASSERT_EQ(code.loops.size(), 1u);
  EXPECT_EQ(code.loops[0].iterations, 1000u);
  EXPECT_EQ(code.loops[0].entries, 2u);
  EXPECT_EQ(code.blocks[loop].loop, 0u);
  EXPECT_EQ(code.blocks[loop - 1].loop, 0u);  // most of it is the first iteration
  EXPECT_DOUBLE_EQ(Of(code.blocks[loop].chain, Work::kLoad), 1);
}

TEST_P(DescribedLoops, CategoriesAndWorkAddUpToTheInstructions) {
  const DescribedCode code = Described(kList);
  for (const Block& block : code.blocks) {
    double categories = 0;
    for (const double count : block.categories) categories += count;
    EXPECT_DOUBLE_EQ(categories, block.instructions);
    const auto& loads = block.loads_by_address;
    EXPECT_DOUBLE_EQ(loads.independent + loads.indirect + loads.chained,
                     Of(block.work, Work::kLoad));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, DescribedLoops, testing::ValuesIn(kArchitectures),
                         [](const auto& info) { return std::string(decode::Name(info.param)); });

Collected OneBlock() {
  Collected collected;
  format::Recording recording;
  recording.machine = MachineOf(Architecture::kX86_64);
  format::Block block;
  block.number = 2;
  block.address = 0x1000;
  block.code = {std::byte{0x48}, std::byte{0x8b}, std::byte{0x07}, std::byte{0xc3}};
  block.instructions = 2;  // mov rax, [rdi]; ret
  block.executions = 5;
  recording.blocks.push_back(block);
  collected.recordings.push_back(recording);
  CollectedPart part;
  part.blocks.resize(3);
  part.blocks[2].executions = 5;
  part.blocks[2].loads = 10;
  part.blocks[2].load_bytes = 80;
  collected.parts.push_back(part);
  return collected;
}

TEST(Describe, JoinsCodeAndUseByBlockNumber) {
  count::Images images;
  const SignedRun run{{"program"}, "1.0", "2026-01-01T00:00:00Z", "host"};
  const auto signature = Describe(OneBlock(), run, images);
  ASSERT_TRUE(signature) << signature.error().message;
  EXPECT_EQ(signature->architecture, Architecture::kX86_64);
  EXPECT_EQ(signature->command, run.command);
  ASSERT_EQ(signature->parts.size(), 1u);
  ASSERT_EQ(signature->parts[0].blocks.size(), 1u);
  const Block& block = signature->parts[0].blocks[0];
  EXPECT_EQ(block.executions, 5u);
  EXPECT_EQ(block.loads, 10u);
  EXPECT_EQ(block.offset, 0x1000u);
  EXPECT_DOUBLE_EQ(block.instructions, 2);
  ASSERT_EQ(signature->objects.size(), 1u);
  EXPECT_EQ(signature->objects[0].path, "");
}

TEST(Describe, BlocksAreSortedByReferences) {
  Collected collected = OneBlock();
  format::Block second = collected.recordings[0].blocks[0];
  second.number = 0;
  second.address = 0x2000;
  collected.recordings[0].blocks.push_back(second);
  collected.parts[0].blocks[0].executions = 1;
  collected.parts[0].blocks[0].loads = 99;
  count::Images images;
  const auto signature = Describe(collected, {}, images);
  ASSERT_TRUE(signature);
  ASSERT_EQ(signature->parts[0].blocks.size(), 2u);
  EXPECT_EQ(signature->parts[0].blocks[0].offset, 0x2000u);
}

TEST(Describe, CodeThatCannotBeDecodedIsOtherWork) {
  Collected collected = OneBlock();
  format::Block& block = collected.recordings[0].blocks[0];
  block.code = {std::byte{0x06}, std::byte{0x06}};  // invalid in 64-bit mode
  count::Images images;
  const auto signature = Describe(collected, {}, images);
  ASSERT_TRUE(signature);
  EXPECT_DOUBLE_EQ(Of(signature->parts[0].blocks[0].work, Work::kOther), 2);
}

TEST(Describe, NothingCollectedIsAnError) {
  count::Images images;
  const auto signature = Describe({}, {}, images);
  ASSERT_FALSE(signature);
  EXPECT_EQ(signature.error().kind, ErrorKind::kUnsupported);
}

TEST(Describe, ProcessesOfTwoArchitecturesAreAnError) {
  Collected collected = OneBlock();
  collected.recordings.push_back(collected.recordings[0]);
  collected.recordings[1].machine = MachineOf(Architecture::kAArch64);
  collected.parts.push_back(collected.parts[0]);
  collected.parts[1].recording = 1;
  count::Images images;
  EXPECT_FALSE(Describe(collected, {}, images));
}

}  // namespace
}  // namespace tare::signature
