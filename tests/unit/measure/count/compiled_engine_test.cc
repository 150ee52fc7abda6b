// compiled_engine_test.cc: compares a program's own counts with those of an engine that sees every
// instruction.
#include "measure/engine/compiled_engine.h"

#include <gtest/gtest.h>

#include "compiled_program.h"
#include "measure/count/ledger.h"

namespace tare::count {
namespace {

std::uint64_t InstructionsOf(const Tally& tally, const FunctionKey& key) {
  const auto found = tally.functions.find(key);
  return found == tally.functions.end() ? 0 : found->second.metrics[Metric::kInstructions];
}

// Builds the program and compares its counts with Valgrind's, function by function.
void Compare(const std::string& source, bool cxx, bool exact, const std::string& level = "-O2") {
  CompiledProgram program;
  std::string why;
  if (!program.Build(source, cxx, false, why, level)) GTEST_SKIP() << why;
  const auto compiled = RunUnder(Engine::kCompiled, BuiltEngines(), program.Plan());
  ASSERT_TRUE(compiled) << compiled.error().message;
  ASSERT_TRUE(compiled->coverage);
  if (const std::string missing = WhyNot(Engine::kValgrind); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const auto valgrind = RunUnder(Engine::kValgrind, BuiltEngines(), program.Plan());
  ASSERT_TRUE(valgrind) << valgrind.error().message;
  EXPECT_EQ(compiled->finished.ended.ShellStatus(), valgrind->finished.ended.ShellStatus());
  EXPECT_EQ(compiled->finished.output, valgrind->finished.output);
  Images images;
  const auto ours = SumRecordings(compiled->recordings, RepConvention::kOnce, images);
  const auto theirs = SumRecordings(valgrind->recordings, RepConvention::kOnce, images);
  ASSERT_TRUE(ours && theirs);
  std::size_t ran = 0;
  std::uint64_t instructions = 0;
  std::uint64_t open = 0;
  for (const auto& [key, bounds] : compiled->coverage->functions) {
    const std::uint64_t count = InstructionsOf(*theirs, key);
    const Place* place =
        images.At(key.object, images.Open(key.object)->FileOffsetOf(key.start).value_or(0));
    const std::string name = place == nullptr ? "?" : place->function;
    if (count > 0) ++ran;
    instructions += count;
    open += bounds.high - bounds.low;
    EXPECT_LE(bounds.low, count) << name;
    EXPECT_GE(bounds.high, count) << name;
    if (exact) {
      EXPECT_EQ(InstructionsOf(*ours, key), count) << name;
    }
  }
  EXPECT_GT(ran, 0u);
  // Bounds that are far apart would be useless.
  EXPECT_LE(open, instructions / 4);
  Evidence evidence;
  evidence.coverage = &*compiled->coverage;
  EXPECT_EQ(Explain(*theirs, *ours, evidence).unexplained_moves, 0u);
}

TEST(CompiledEngine, RecursionLoopsAndAnExitInTheMiddle) {
  Compare(R"(#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void quit(int code) { printf("bye %d\n", code); exit(code); }
int main(void) {
  int sum = 0;
  for (int i = 0; i < 12; i++) sum += fib(i);
  printf("%d\n", sum);
  if (sum > 10) quit(3);
  return 0;
})",
          false, true);
}

TEST(CompiledEngine, ExceptionsGoToTheirLandingPads) {
  Compare(R"(#include <cstdio>
#include <stdexcept>
#include <string>
struct Guard { int* p; ~Guard() { ++*p; } };
__attribute__((noinline)) int Deep(int n) {
  if (n == 0) throw std::runtime_error("x");
  int c = 0;
  Guard g{&c};
  return Deep(n - 1) + c;
}
__attribute__((noinline)) int Plain(int n) { if (n % 5 == 0) throw n; return n * 2; }
__attribute__((noinline)) int Through(int n) { return Plain(n) + 1; }
int main() {
  int caught = 0, sum = 0;
  for (int i = 0; i < 100; i++) {
    try { sum += Through(i); } catch (int e) { caught += e; }
    try { if (i % 7 == 0) sum += Deep(i % 9 + 1); } catch (const std::exception&) { ++caught; }
    std::string text(static_cast<unsigned>(i), 'x');
    sum += static_cast<int>(text.size());
  }
  std::printf("%d %d\n", caught, sum);
  return sum & 1;
})",
          true, true);
}

TEST(CompiledEngine, LongJumpsAndThreads) {
  Compare(R"(#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf env;
static int tries;
__attribute__((noinline)) void thrower(int n) { if (n % 3 == 0) longjmp(env, n + 1); tries++; }
__attribute__((noinline)) int guarded(int n) {
  volatile int k = 0;
  if (setjmp(env)) { k += 10; return k; }
  for (int i = n; i < n + 5; i++) { thrower(i); k++; }
  return k;
}
static int cmp(const void* a, const void* b) { return *(int*)a - *(int*)b; }
static void* work(void* a) {
  long n = (long)a, s = 0;
  int x[50];
  for (int i = 0; i < 50; i++) x[i] = (int)((i * 37 + n) % 101);
  qsort(x, 50, 4, cmp);
  for (int i = 0; i < 50; i++) s += x[i] * i;
  if (n == 3) pthread_exit((void*)s);
  return (void*)s;
}
int main(void) {
  int s = 0;
  for (int i = 0; i < 20; i++) s += guarded(i);
  pthread_t t[8];
  for (long i = 0; i < 8; i++) pthread_create(&t[i], 0, work, (void*)i);
  for (int i = 0; i < 8; i++) { void* r; pthread_join(t[i], &r); s += (int)(long)r; }
  printf("%d %d\n", s, tries);
  exit(s & 7);
})",
          false, true);
}

TEST(CompiledEngine, SwitchesStayWithinTheirBounds) {
  Compare(R"(#include <stdio.h>
__attribute__((noinline)) int dense(int x, int y) {
  switch (x) {
    case 0: return y + 1;
    case 1: return y * 3;
    case 2: return y - 7;
    case 3: puts("three"); return 1;
    case 5: return y / 3;
    case 9: return y ^ 5;
    case 10: case 11: return 2 * y;
    default: return 0;
  }
}
__attribute__((noinline)) int sparse(int x) {
  switch (x) { case 10: return 1; case 1000: return 7; case 50000: return 3; case 77777: return 4; default: return 0; }
}
int main(void) {
  int s = 0;
  for (int i = 0; i < 40; i++) s += dense(i % 13, i) + sparse(i * 1000 % 77777);
  printf("%d\n", s);
  return 0;
})",
          false, false);
}

// Without optimisation the store of a counter becomes two instructions. With it, blocks that end in
// a computed goto are duplicated, and all copies share one counter.
class Levels : public ::testing::TestWithParam<const char*> {
 protected:
  // Optimising code generators may add branches that nothing counts; then the count has bounds.
  static bool IsExact() { return std::string_view(GetParam()) == "-O0"; }
};

TEST_P(Levels, OfC) {
  Compare(R"(#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int interpret(const unsigned char* code, int value) {
  static const void* const steps[] = {&&add, &&twice, &&less, &&end};
#define NEXT goto *steps[*code++]
  NEXT;
add: value += 3; NEXT;
twice: value *= 2; NEXT;
less: value -= 5; NEXT;
end: return value;
}
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(void) {
  static const unsigned char code[] = {0, 1, 0, 2, 2, 1, 0, 3};
  int numbers[40], sum = fib(9);
  for (int i = 0; i < 40; i++) numbers[i] = i * 37 % 41 + interpret(code + i % 4, i);
  qsort(numbers, 40, sizeof(int), compare);
  for (int i = 0; i < 40; i++) if (numbers[i] % 3 != 0) sum += numbers[i];
  printf("%d\n", sum);
  return sum & 63;
})",
          false, IsExact(), GetParam());
}

TEST_P(Levels, OfCxx) {
  Compare(R"(#include <cstdio>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual int Area() const = 0; };
struct Square : Shape { explicit Square(int s) : side(s) {} int Area() const override { return side * side; } int side; };
struct Line : Shape { int Area() const override { return 0; } };
__attribute__((noinline)) int Checked(int n) { if (n % 7 == 0) throw std::string("seven"); return n; }
int main() {
  std::vector<Shape*> shapes;
  for (int i = 0; i < 30; ++i) shapes.push_back(i % 3 == 0 ? static_cast<Shape*>(new Line) : new Square(i));
  int sum = 0, caught = 0;
  for (const Shape* shape : shapes) sum += shape->Area();
  for (int i = 0; i < 50; ++i) {
    try { sum += Checked(i); } catch (const std::string& text) { caught += static_cast<int>(text.size()); }
  }
  for (Shape* shape : shapes) delete shape;
  std::printf("%d %d\n", sum, caught);
  return caught & 63;
})",
          true, IsExact(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(CompiledEngine, Levels,
                         ::testing::Values("-O0", "-Og", "-O1", "-O2", "-O3", "-Os"),
                         [](const auto& level) { return std::string(level.param + 1); });

TEST(CompiledEngine, AProgramWithoutCountersIsRefused) {
  EnginePlan plan;
  const auto resolved = run::Resolve({{"/bin/true"}});
  ASSERT_TRUE(resolved);
  plan.program = *resolved;
  plan.setting = run::Captured();
  const auto run = RunUnder(Engine::kCompiled, BuiltEngines(), plan);
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kUnsupported);
  EXPECT_NE(run.error().message.find("tare-cc"), std::string::npos) << run.error().message;
}

}  // namespace
}  // namespace tare::count
