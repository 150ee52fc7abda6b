// counted_module_test.cc: tests reading a module's descriptions of its counters, valid and damaged.
#include "compiler/wrapper/counted_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/wrapper/listing.h"
#include "tests/programs/build_directory.h"

namespace tare::wrapper {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Two units as the plugin emits them, with padding between, and names.
constexpr std::string_view kUnits = R"(
asm(".section tare_units,\"a\"\n"
    ".quad 40 + 48, 1, 0, 2, 35\n"
    ".ascii \"metric\\tone\\tcount\\t0\\nfunction\\tf\\t1\\n\\n\\n\"\n .balign 8\n .zero 8\n"
    ".zero 16\n"
    ".quad 40 + 16, 2, 0, 1, 15\n"
    ".ascii \"metric\\ttwo\\tsum\\t0\"\n .zero 1\n"
    ".section .tare_names,\"\"\n"
    ".ascii \"function\\tf\\ta.c\\t3\\t\\n\"\n"
    ".zero 3\n"
    ".ascii \"member\\tS::m\\ta.c\\t1\\tint\\nnonsense\\nfunction\\tf\\ta.c\\t3\\t\\n\"\n"
    ".text\n");
)";

class ModuleTest : public testing::Test {
 protected:
  CountedModule Build(std::string_view source, const std::string& command) {
    directory_.Write("a.c", source);
    EXPECT_TRUE(directory_.Runs(command + " a.c -o out"));
    const auto module = ReadCountedModule(directory_ / "out");
    EXPECT_TRUE(module);
    return module.value_or(CountedModule{});
  }

  BuildDirectory directory_;
};

using CountedModuleTest = ModuleTest;

TEST_F(CountedModuleTest, UnitsAndNamesOfALibrary) {
  const auto module = Build(kUnits, "g++ -x c -shared -fPIC");
  EXPECT_TRUE(module.is_library);
  EXPECT_TRUE(module.has_names);
  EXPECT_THAT(module.metrics, ElementsAre("one", "two"));
  ASSERT_THAT(module.candidates, SizeIs(2));
  EXPECT_EQ(module.candidates[0].name, "f");
  EXPECT_EQ(module.candidates[1].name, "S::m");
}

TEST_F(CountedModuleTest, ProgramsOfEveryKindAreNoLibraries) {
  for (const char* options : {"", "-no-pie", "-static", "-static-pie"}) {
    const auto module = Build("int main(void) { return 0; }", std::string("g++ -x c ") + options);
    EXPECT_FALSE(module.is_library) << options;
    EXPECT_FALSE(module.has_names);
    EXPECT_THAT(module.metrics, IsEmpty());
  }
}

TEST_F(CountedModuleTest, UnitsWithImpossibleSizesArePassedOver) {
  const auto module = Build(R"(
asm(".section tare_units,\"a\"\n"
    ".quad -8, 1, 0, 2, 8\n .ascii \"metric\\ta\"\n"
    ".quad 48, 1, 0, 2, -1\n .ascii \"metric\\tb\"\n .text\n");
)",
                            "g++ -x c -shared -fPIC");
  EXPECT_THAT(module.metrics, ElementsAre("a"));
}

TEST(CountedModule, NonProgramsAreRefused) {
  const std::string text = "#!/bin/sh\n";
  EXPECT_FALSE(ParseCountedModule(std::as_bytes(std::span(text))));
}

TEST(Listing, IsMadeOfLinesForTheFile) {
  const std::string text =
      "function\tcompress\ta.c\t3\tstatic\n"
      "function\tf\ta.c\t30\t\n"
      "library\tmalloc\t\t0\t\n"
      "member\tS::m\ta.c\t1\t\n"
      "line\ta.c:3\ta.c\t3\t\nline\ta.c:4\ta.c\t4\t\nline\ta.c:12\ta.c\t12\t\n"
      "loop\ta.c:9\ta.c\t9\tin f\n"
      "block\tf:0\ta.c\t9\t\nblock\tf:10\ta.c\t8\t\nblock\tf:2\ta.c\t7\t\n";
  EXPECT_EQ(ListingOf(ParseCandidates(text)),
            R"(# functions defined here (2)
call = "compress"  # a.c:3, static
call = "f"         # a.c:30

# functions called here and defined elsewhere (1)
call = "malloc"

# members (1)
update = "S::m"  # a.c:1

# lines with code, the first and the last of each file (2)
line = "a.c:3"
line = "a.c:12"

# loops (1)
loop = "a.c:9"  # in f

# basic blocks, the first and the last of each function (2)
block = "f:0"   # a.c:9
block = "f:10"  # a.c:8
)");
}

}  // namespace
}  // namespace tare::wrapper
