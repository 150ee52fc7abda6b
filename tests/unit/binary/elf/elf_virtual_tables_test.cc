// elf_virtual_tables_test.cc: tests finding vtables of a small class hierarchy, with and without
// symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "binary/elf/elf_image.h"
#include "synthetic_program.h"
#include "tests/programs/toolchain.h"

namespace tare::elf {
namespace {

using ::testing::UnorderedElementsAre;

// "_ZTV1C 3": the name and the number of slots.
std::vector<std::string> Shown(const ElfImage& image) {
  std::vector<std::string> lines;
  for (const auto& table : image.virtual_tables())
    lines.push_back(std::string(table.name) + " " + std::to_string((table.end - table.start) / 8));
  return lines;
}

// A: two destructors, f, g. B: two destructors, h. C derives from A and B, V has A as a virtual
// base (its own g, z and two destructors, followed by the four of A), L derives from A and is local
// to the file.
const char* const kNamed[] = {"_ZTV1A 4",
                              "_ZTV1B 3",
                              "_ZTV1C 5",
                              "_ZTV1C 3",
                              "_ZTV1V 4",
                              "_ZTV1V 4",
                              "_ZTVN12_GLOBAL__N_11LE 4"};

TEST(VirtualTables, OfAnObjectFileAreSplitByBases) {
  const auto image = ElfImage::Parse(Sample("aarch64-virtual-tables-object"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_THAT(Shown(*image), ::testing::UnorderedElementsAreArray(kNamed));
}

TEST(VirtualTables, NeedNoTypeInformation) {
  const auto image = ElfImage::Parse(Sample("x86_64-virtual-tables-object"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_THAT(Shown(*image), ::testing::UnorderedElementsAreArray(kNamed));
}

TEST(VirtualTables, WithoutASymbolAreKnownByTheirTypeinfo) {
  for (const char* name : {"aarch64-virtual-tables", "x86_64-packed-relocations"}) {
    const auto image = ElfImage::Parse(Sample(name));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_TRUE(image->stripped());
    EXPECT_THAT(Shown(*image), UnorderedElementsAre("_ZTV1A 4", "_ZTV1B 3", "_ZTV1C 5", "_ZTV1C 3",
                                                    "_ZTV1V 4", "_ZTV1V 4", " 4"));
  }
}

TEST(VirtualTables, SlotsHoldFunctionsOrNamesOfOtherFiles) {
  for (const char* name : {"aarch64-virtual-tables", "x86_64-packed-relocations",
                           "aarch64-virtual-tables-object", "x86_64-virtual-tables-object"}) {
    const auto image = ElfImage::Parse(Sample(name));
    ASSERT_TRUE(image);
    for (const auto& table : image->virtual_tables()) {
      for (std::uint64_t slot = table.start; slot < table.end; slot += 8) {
        const Reference* reference = image->ReferenceAt(slot);
        // The destructor entries of an abstract class are 0.
        if (reference == nullptr) {
          EXPECT_EQ(table.name, "_ZTV1A");
          EXPECT_EQ(image->WordAt(slot), 0U);
        } else if (reference->target == 0) {
          EXPECT_EQ(reference->symbol, "__cxa_pure_virtual");
        } else {
          ASSERT_NE(image->FunctionAt(reference->target), nullptr);
          EXPECT_EQ(image->FunctionAt(reference->target)->start, reference->target);
        }
      }
    }
  }
}

class LinkedProgram
    : public ::testing::TestWithParam<std::tuple<decode::Architecture, const char*>> {};

TEST_P(LinkedProgram, HasTheSameTablesWithAndWithoutSymbols) {
  const auto& [architecture, options] = GetParam();
  if (const auto reason = WhyNoToolchain(architecture); !reason.empty()) GTEST_SKIP() << reason;
  const Directory directory;
  std::ofstream(directory / "p.cc") << "struct A { virtual ~A(); virtual int f(); };\n"
                                       "struct B : A { int f() override; };\n"
                                       "A::~A() {}\nint A::f() { return 1; }\n"
                                       "int B::f() { return 2; }\n"
                                       "A* Make(int i) { if (i) return new A; return new B; }\n"
                                       "int main(int c, char**) { return Make(c)->f(); }\n";
  const auto program = (directory / "p").string();
  if (!Runs(CommandFor(architecture, "g++ -O1 ") + options + " -o " + program + " " +
            (directory / "p.cc").string()))
    GTEST_SKIP() << "g++ " << options << " does not work here";
  const auto full = OpenElf(program);
  ASSERT_TRUE(full);
  if (!Runs(CommandFor(architecture, "strip ") + program)) GTEST_SKIP() << "there is no strip";
  const auto bare = OpenElf(program);
  ASSERT_TRUE(bare);
  for (const char* name : {"_ZTV1A", "_ZTV1B"}) {
    const auto named = std::ranges::find(full->virtual_tables(), name, &VirtualTable::name);
    ASSERT_NE(named, full->virtual_tables().end());
    EXPECT_EQ(named->end - named->start, 24U);
    const auto found =
        std::ranges::find(bare->virtual_tables(), named->start, &VirtualTable::start);
    ASSERT_NE(found, bare->virtual_tables().end()) << name;
    EXPECT_EQ(found->end, named->end);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, LinkedProgram,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values("-fPIE -pie", "-static",
                                                              "-static-pie", "-static-libstdc++")));

}  // namespace
}  // namespace tare::elf
