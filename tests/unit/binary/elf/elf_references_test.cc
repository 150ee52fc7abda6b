// elf_references_test.cc: tests relocations of object files and libraries, for both architectures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "binary/decode/instruction.h"
#include "binary/elf/elf_image.h"
#include "synthetic_program.h"

namespace tare::elf {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class ObjectFile : public ::testing::TestWithParam<const char*> {
 protected:
  // Returns nothing where the compiler is missing.
  std::optional<ElfImage> Compile(const std::string& name, const std::string& source) {
    std::ofstream(directory_ / name.c_str()) << source;
    const auto object = (directory_ / "o.o").string();
    if (!Runs(std::string("clang-19 -O1 -ffunction-sections --target=") + GetParam() +
              "-linux-gnu -c -o " + object + " " + (directory_ / name.c_str()).string()))
      return std::nullopt;
    auto image = OpenElf(object);
    EXPECT_TRUE(image) << image.error().message;
    if (!image) return std::nullopt;
    return std::move(*image);
  }
  const Directory directory_;
};

TEST_P(ObjectFile, ReferencesLeadToWhatCallsReach) {
  const auto image =
      Compile("o.c",
              "extern int far_away(int);\n"
              "__attribute__((noinline)) static int near_by(int a) { return a * 3; }\n"
              "int f(int a) { return far_away(a) + near_by(a); }\n"
              "int (*slot)(int) = near_by;\n");
  if (!image) GTEST_SKIP() << "there is no clang-19 for " << GetParam();
  const auto f = image->FindFunction("f");
  const auto near_by = image->FindFunction("near_by");
  ASSERT_TRUE(f && near_by);
  std::vector<std::string> reached;
  for (std::uint64_t at = f->start; at < f->end;) {
    const auto instruction =
        decode::Decode(image->architecture(), image->Code(at, f->end - at), at);
    ASSERT_TRUE(instruction);
    const Reference* reference = image->FirstReferenceIn(at, at + instruction->length);
    at += instruction->length;
    if (reference == nullptr) continue;
    EXPECT_FALSE(reference->whole_word);
    if (instruction->branch != decode::BranchKind::kCall &&
        instruction->branch != decode::BranchKind::kJump)
      continue;
    reached.emplace_back(reference->target == near_by->start ? "near_by" : reference->symbol);
    if (reference->symbol == "far_away") {
      EXPECT_EQ(reference->target, 0U);
    }
  }
  EXPECT_THAT(reached, ::testing::UnorderedElementsAre("far_away", "near_by"));

  const auto slot = std::ranges::find_if(image->references(), &Reference::whole_word);
  ASSERT_NE(slot, image->references().end());
  EXPECT_EQ(slot->target, near_by->start);
  EXPECT_EQ(image->WordAt(slot->address), near_by->start);
  EXPECT_EQ(image->ReferenceAt(slot->address), &*slot);
  EXPECT_EQ(image->ReferenceAt(slot->address + 1), nullptr);
}

TEST_P(ObjectFile, DataInCodeIsMarked) {
  const bool x86 = std::string(GetParam()) == "x86_64";
  const auto image =
      Compile("o.s", std::string(".text\n.globl f\n.type f,%function\nf: nop\n nop\n") +
                         (x86 ? ".type table,@object\n.size table,16\ntable:" : "") +
                         " .quad 1\n .quad 2\n" + "g: ret\n");
  if (!image) GTEST_SKIP() << "there is no clang-19 for " << GetParam();
  const auto f = image->FindFunction("f");
  ASSERT_TRUE(f);
  const std::uint64_t start = f->start + (x86 ? 2 : 8);
  ASSERT_THAT(image->data_in_code(), SizeIs(1));
  EXPECT_EQ(image->data_in_code()[0].start, start);
  EXPECT_EQ(image->data_in_code()[0].end, start + 16);
}

TEST_P(ObjectFile, CodeThatNothingDescribesIsSplitWhereCallsReach) {
  const bool x86 = std::string(GetParam()) == "x86_64";
  const std::string call = x86 ? " call " : " bl ";
  const auto image = Compile("o.s", ".text\nfirst: nop\n" + call + "second\n" + call +
                                        "third\n ret\nsecond: nop\n ret\nthird: nop\n ret\n");
  if (!image) GTEST_SKIP() << "there is no clang-19 for " << GetParam();
  const std::uint64_t base = image->functions().at(0).start - (x86 ? 1 : 4);  // the nop is padding
  std::vector<std::uint64_t> starts;
  for (const auto& function : image->functions()) {
    starts.push_back(function.start - base);
    EXPECT_EQ(function.source, FunctionSource::kGuessed);
    EXPECT_TRUE(function.end_guessed);
  }
  if (x86) {
    EXPECT_THAT(starts, ::testing::ElementsAre(1, 12, 14));
  } else {
    EXPECT_THAT(starts, ::testing::ElementsAre(4, 16, 24));
  }
}

TEST_P(ObjectFile, PaddingBelongsToNoFunctionButALandingPadDoes) {
  const bool x86 = std::string(GetParam()) == "x86_64";
  const auto image = Compile(
      "o.s", std::string(".text\n nop\n nop\n") + (x86 ? " endbr64" : " bti c") + "\n ret\n");
  if (!image) GTEST_SKIP() << "there is no clang-19 for " << GetParam();
  ASSERT_THAT(image->functions(), SizeIs(1));
  const Function& function = image->functions()[0];
  EXPECT_EQ(function.end - function.start, x86 ? 5U : 8U);
}

INSTANTIATE_TEST_SUITE_P(Machines, ObjectFile, ::testing::Values("x86_64", "aarch64"));

// Numbers from readelf -r of the same file.
TEST(References, PackedOnesAreThereToo) {
  const auto image = ElfImage::Parse(Sample("x86_64-packed-relocations"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_THAT(image->references(), SizeIs(57));
  const Reference* slot = image->ReferenceAt(0x2d20);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->target, 0xf06U);
  EXPECT_THAT(slot->symbol, IsEmpty());
  EXPECT_EQ(image->WordAt(0x2d20), 0xf06U);
  const Reference* named = image->ReferenceAt(0x2d68);
  ASSERT_NE(named, nullptr);
  EXPECT_EQ(named->symbol, "__cxa_pure_virtual");
  EXPECT_EQ(named->target, 0U);
  EXPECT_EQ(image->FirstReferenceIn(0x2d69, 0x2d78), nullptr);
  EXPECT_EQ(image->FirstReferenceIn(0x2d69, 0x2d79)->symbol, "_ZTI1B");
}

TEST(References, AStubOfTwoHalvesIsOneFunction) {
  const auto image = ElfImage::Parse(Sample("x86_64-packed-relocations"));
  ASSERT_TRUE(image);
  const auto stub = image->FindFunction("far_away@plt");
  ASSERT_TRUE(stub);
  EXPECT_EQ(stub->start, 0xe60U);
  EXPECT_EQ(stub->end, 0xe70U);
}

}  // namespace
}  // namespace tare::elf
