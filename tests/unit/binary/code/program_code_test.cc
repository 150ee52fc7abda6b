// program_code_test.cc: tests the call graph of programs with known calls.
#include "binary/code/program_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::code {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kProgramSource = R"(
extern "C" {
int puts(const char*);
void qsort(void*, unsigned long, unsigned long, int (*)(const void*, const void*));
}
struct Base {
  virtual int Value(int) = 0;
  virtual int Other(int x) { return x; }
};
struct Left : Base { int Value(int x) override; };
struct Right : Base { int Value(int x) override; int Other(int) override; };
int Left::Value(int x) { return x + 1; }
int Right::Value(int x) { return x * 3; }
int Right::Other(int) { return 7; }
#define KEPT __attribute__((noinline, noclone))
volatile int sink;
extern "C" {
KEPT int leaf(int x) { sink = x; return x * 5; }
KEPT int tail(int x) { sink = 2; return leaf(x + 1); }
KEPT int plain(int x) { return leaf(x) + leaf(x + 1) + 1; }
KEPT int speaks(int x) { puts("x"); return x + 1; }
KEPT int virtual_call(Base* base, int x) { return base->Value(x) + 1; }
KEPT int virtual_tail(Base* base, int x) { return base->Other(x); }
KEPT int through_pointer(int (*f)(int), int x) { return f(x) + 1; }
int (*const kTable[])(int) = {leaf, tail, plain};
KEPT int by_table(unsigned i) { return kTable[i](3) + 1; }
KEPT int compare(const void* a, const void* b) { return *(const char*)a - *(const char*)b; }
KEPT void sorts(char* text, int n) { qsort(text, n, 1, compare); sink = 1; }
KEPT int even(int n);
KEPT int odd(int n) { sink = n; return n == 0 ? 0 : even(n - 1) + 1; }
KEPT int even(int n) { sink = n; return n == 0 ? 1 : odd(n - 1) + 2; }
KEPT int chooses(int x) {
  switch (x) {
    case 0: return leaf(1) + 1;
    case 1: sink = 4; return 37 - sink;
    case 2: sink = 7; return 74 * sink;
    case 3: sink = 12; return 10 / sink;
    case 4: sink = 19; return 47 + sink;
    case 5: sink = 28; return 84 - sink;
    case 6: sink = 39; return 20 * sink;
    case 7: sink = 52; return 57 / sink;
    case 8: sink = 67; return 94 + sink;
    case 9: sink = 84; return 30 - sink;
    case 10: sink = 103; return 67 * sink;
    case 11: sink = 124; return 3 / sink;
    case 12: sink = 147; return 40 + sink;
    case 13: sink = 172; return 77 - sink;
    case 14: sink = 199; return 13 * sink;
    case 15: sink = 228; return 50 / sink;
    case 16: sink = 259; return 87 + sink;
    case 17: sink = 292; return 23 - sink;
    case 18: sink = 327; return 60 * sink;
    case 19: sink = 364; return 97 / sink;
    case 20: sink = 403; return 33 + sink;
    case 21: sink = 444; return 70 - sink;
    case 22: sink = 487; return 6 * sink;
    case 23: sink = 532; return 43 / sink;
    default: return -1;
  }
}
KEPT int unused(int x) { return plain(x) + 1; }
}
int main(int argc, char** argv) {
  Left left;
  Right right;
  Base* base = argc > 1 ? static_cast<Base*>(&left) : &right;
  sorts(argv[0], 1);
  return plain(argc) + tail(argc) + speaks(argc) + virtual_call(base, argc) +
         virtual_tail(base, argc) + through_pointer(leaf, argc) + by_table(argc) + odd(argc) +
         chooses(argc);
}
)";

using Build = std::tuple<decode::Architecture, std::string>;

// A program that is built and read once for all tests.
struct Built {
  std::unique_ptr<elf::ElfImage> image;
  std::unique_ptr<ProgramCode> code;
  std::string why_not;
};

Built Make(const Build& build) {
  const auto& [architecture, command] = build;
  Built built;
  const BuildDirectory directory;
  directory.Write("program.cc", kProgramSource);
  const std::string compile = CommandFor(architecture, command);
  if (!directory.Runs(compile + " program.cc -o program")) {
    built.why_not = "cannot build with " + compile;
    return built;
  }
  auto image = elf::OpenElf(directory / "program");
  EXPECT_TRUE(image) << image.error().message;
  if (!image) return built;
  EXPECT_EQ(image->architecture(), architecture);
  built.image = std::make_unique<elf::ElfImage>(std::move(*image));
  auto code = ProgramCode::Read(*built.image, 2, NoProgress);
  EXPECT_TRUE(code) << code.error().message;
  if (code) built.code = std::make_unique<ProgramCode>(std::move(*code));
  return built;
}

class CallGraph : public ::testing::TestWithParam<Build> {
 protected:
  void SetUp() override {
    static std::map<Build, Built> all;
    const auto [known, is_new] = all.try_emplace(GetParam());
    if (is_new) known->second = Make(GetParam());
    if (!known->second.why_not.empty()) GTEST_SKIP() << known->second.why_not;
    image_ = known->second.image.get();
    code_ = known->second.code.get();
    ASSERT_NE(code_, nullptr);
  }

  std::uint32_t Index(const std::string& name) const {
    const auto function = image_->FindFunction(name);
    EXPECT_TRUE(function) << name;
    return function ? code_->targets().FunctionStartingAt(function->start) : 0;
  }
  std::string NameOf(std::uint64_t function) const { return image_->functions()[function].name; }

  const elf::ElfImage* image_ = nullptr;
  const ProgramCode* code_ = nullptr;
};

TEST_P(CallGraph, DirectCallsAreFound) {
  std::multiset<std::string> called;
  for (const auto& site : code_->CallsOf(Index("plain"))) {
    EXPECT_EQ(site.to, TargetKind::kFunction);
    EXPECT_EQ(site.kind, SiteKind::kCall);
    called.insert(NameOf(site.target));
  }
  EXPECT_THAT(called, UnorderedElementsAre("leaf", "leaf"));
}

TEST_P(CallGraph, JumpsToOtherFunctionsAreTailCalls) {
  const auto sites = code_->CallsOf(Index("tail"));
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].kind, SiteKind::kTailCall);
  EXPECT_EQ(NameOf(sites[0].target), "leaf");
}

TEST_P(CallGraph, CallsOfOtherLibrariesHaveNames) {
  const auto sites = code_->CallsOf(Index("speaks"));
  ASSERT_EQ(sites.size(), 1U);
  ASSERT_EQ(sites[0].to, TargetKind::kImport);
  EXPECT_EQ(code_->targets().imports()[sites[0].target], "puts");
}

TEST_P(CallGraph, VirtualCallsHaveTheCandidatesOfTheirSlot) {
  const auto sites = code_->CallsOf(Index("virtual_call"));
  ASSERT_EQ(sites.size(), 1U);
  ASSERT_EQ(sites[0].to, TargetKind::kVirtual);
  EXPECT_EQ(sites[0].target, 0U);
  std::set<std::string> names;
  for (const auto function : code_->CandidatesOf(sites[0]).functions)
    names.insert(NameOf(function));
  EXPECT_THAT(names, UnorderedElementsAre("_ZN4Left5ValueEi", "_ZN5Right5ValueEi"));
}

TEST_P(CallGraph, VirtualTailCallsToo) {
  const auto sites = code_->CallsOf(Index("virtual_tail"));
  ASSERT_EQ(sites.size(), 1U);
  ASSERT_EQ(sites[0].to, TargetKind::kVirtual);
  EXPECT_EQ(sites[0].target, 1U);
  EXPECT_EQ(sites[0].kind, SiteKind::kTailCall);
}

TEST_P(CallGraph, APointerFromOutsideStaysUnknown) {
  const auto sites = code_->CallsOf(Index("through_pointer"));
  ASSERT_EQ(sites.size(), 1U);
  EXPECT_EQ(sites[0].to, TargetKind::kUnknown);
}

TEST_P(CallGraph, TablesOfPointersNameTheirFunctions) {
  const auto sites = code_->CallsOf(Index("by_table"));
  ASSERT_EQ(sites.size(), 1U);
  ASSERT_EQ(sites[0].to, TargetKind::kTable);
  std::set<std::string> names;
  for (const auto function : code_->CandidatesOf(sites[0]).functions)
    names.insert(NameOf(function));
  EXPECT_THAT(names, IsSupersetOf({"leaf", "tail", "plain"}));
}

TEST_P(CallGraph, JumpTablesAreNoCalls) {
  const auto chooses = Index("chooses");
  std::vector<std::string> called;
  for (const auto& site : code_->CallsOf(chooses)) {
    ASSERT_EQ(site.to, TargetKind::kFunction);
    // gcc may move the path to the default to chooses.cold; a stripped file has no such name.
    if (site.kind == SiteKind::kPart) {
      EXPECT_EQ(NameOf(site.target), "chooses.cold");
    } else if (!NameOf(site.target).starts_with("sub_")) {
      called.push_back(NameOf(site.target));
    }
  }
  EXPECT_THAT(called, UnorderedElementsAre("leaf"));
  EXPECT_EQ(code_->functions()[chooses].jump_tables, 1U);
}

TEST_P(CallGraph, AddressesThatCodeMakesAreKept) {
  const auto taken = code_->TakenBy(Index("sorts"));
  EXPECT_THAT(std::vector<std::uint32_t>(taken.begin(), taken.end()), Contains(Index("compare")));
}

TEST_P(CallGraph, CyclesEnd) {
  const auto reached = ReachableFrom(*code_, Index("odd"), Edges::kCertain);
  std::set<std::string> names;
  for (const auto function : reached) names.insert(NameOf(function));
  EXPECT_THAT(names, UnorderedElementsAre("odd", "even"));
}

TEST_P(CallGraph, PossibleEdgesReachMore) {
  const auto main = Index("main");
  const auto certain = ReachableFrom(*code_, main, Edges::kCertain);
  const auto possible = ReachableFrom(*code_, main, Edges::kPossible);
  const auto unused = Index("unused");
  EXPECT_THAT(certain, Contains(Index("leaf")));
  EXPECT_THAT(certain, ::testing::Not(Contains(Index("compare"))));
  EXPECT_THAT(possible, IsSupersetOf(certain));
  EXPECT_THAT(possible, Contains(Index("compare")));
  EXPECT_THAT(possible, Contains(Index("_ZN5Right5ValueEi")));
  EXPECT_THAT(possible, ::testing::Not(Contains(unused)));
}

TEST_P(CallGraph, OneThreadFindsTheSame) {
  const auto alone = ProgramCode::Read(*image_, 1, NoProgress);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->total(), code_->total());
  for (std::uint32_t i = 0; i < image_->functions().size(); ++i) {
    EXPECT_EQ(alone->functions()[i].mix, code_->functions()[i].mix);
    EXPECT_TRUE(std::ranges::equal(alone->CallsOf(i), code_->CallsOf(i)));
  }
}

TEST_P(CallGraph, BytesAddUp) {
  std::uint64_t bytes = code_->padding_bytes() + code_->data_bytes();
  for (const auto& function : image_->functions()) {
    decode::Decoder decoder(image_->architecture());
    FunctionWalk walk(*image_, function, decoder, code_->literals());
    while (walk.Next())
      if (walk.piece().kind == PieceKind::kInstruction) bytes += walk.piece().bytes;
  }
  EXPECT_EQ(bytes, code_->code_bytes());
}

// No compiler reliably generates one.
TEST(ConditionalTailCall, IsATailCallToo) {
  BuildDirectory directory;
  const std::string start = ".globl f\n.type f, @function\nf:\n";
  const std::string end = "\n.size f, .-f\n.globl g\n.type g, @function\ng: ret\n.size g, .-g\n";
  for (const auto& [target, jump] :
       {std::pair{"x86_64", "test %edi,%edi\nje g\nret"}, std::pair{"aarch64", "cbz x0, g\nret"}}) {
    directory.Write("f.s", start + jump + end);
    if (!directory.Runs(std::string("clang-19 --target=") + target + "-linux-gnu -c f.s -o f.o"))
      GTEST_SKIP() << "there is no clang-19 for " << target;
    const auto image = elf::OpenElf(directory / "f.o");
    ASSERT_TRUE(image);
    const auto code = ProgramCode::Read(*image, 1, NoProgress);
    ASSERT_TRUE(code);
    const auto function = image->FindFunction("f");
    ASSERT_TRUE(function);
    const auto sites = code->CallsOf(code->targets().FunctionStartingAt(function->start));
    ASSERT_EQ(sites.size(), 1U) << target;
    EXPECT_EQ(sites[0].kind, SiteKind::kTailCall);
    EXPECT_TRUE(sites[0].conditional);
    ASSERT_EQ(sites[0].to, TargetKind::kFunction);
    EXPECT_EQ(image->functions()[sites[0].target].name, "g");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, CallGraph,
    ::testing::Combine(::testing::ValuesIn(kArchitectures),
                       ::testing::Values("g++ -O2", "g++ -O2 -fPIE", "g++ -O2 -fno-pie -no-pie",
                                         "g++ -O2 -fno-plt", "g++ -Os", "g++ -O2 -rdynamic -s",
                                         "g++ -Os -rdynamic -s", "clang++-19 -O2",
                                         "clang++-19 -O2 -fno-pie -no-pie",
                                         "clang++-19 -O1 -fno-plt", "g++ -O2 -c",
                                         // These need no cross compiler.
                                         "clang++-19 -O2 -c", "clang++-19 -O2 -fPIC -c")));

// With landing pads for indirect branches (CET, BTI).
INSTANTIATE_TEST_SUITE_P(Protected, CallGraph,
                         ::testing::Values(Build{decode::Architecture::kX86_64,
                                                 "g++ -O2 -fcf-protection -fno-pie -no-pie"},
                                           Build{decode::Architecture::kAArch64,
                                                 "g++ -O2 -mbranch-protection=standard"}));

}  // namespace
}  // namespace tare::code
