// names_test.cc: tests the stable names that scripts use to find values.
#include "report/names.h"

#include <gtest/gtest.h>

namespace tare::report {
namespace {

Document With(std::vector<Block> blocks) {
  Document document;
  document.blocks = std::move(blocks);
  return document;
}

TEST(NameFault, IsNothingForSoundNames) {
  EXPECT_EQ(NameFault(With({Table{"clocks", "", {{"clock"}, {"p99"}, {"good_from"}}, {}},
                            Text{"answer", ""}})),
            "");
  EXPECT_EQ(NameFault(Document{}), "");
}

TEST(NameFault, NamesWhatIsThereTwice) {
  EXPECT_EQ(NameFault(With({Text{"a", ""}, Series{"a", "", {}, false, {}}})),
            "there are two blocks 'a'");
  EXPECT_EQ(NameFault(With({Table{"t", "", {{"x"}, {"y"}, {"x"}}, {}}})),
            "'t' has two columns 'x'");
}

TEST(NameFault, NamesWhatIsNotWellNamed) {
  EXPECT_EQ(NameFault(With({Text{"", ""}})), "block '' is not well named");
  EXPECT_EQ(NameFault(With({Text{"load-over-time", ""}})),
            "block 'load-over-time' is not well named");
  EXPECT_EQ(NameFault(With({Tree{"t", "", {{"Total time"}}, {}}})),
            "column 'Total time' of 't' is not well named");
}

TEST(IdWord, IsSoundWhateverTheText) {
  EXPECT_EQ(IdWord("Neoverse-V1 (2.6 GHz)"), "neoverse_v1_2_6_ghz_");
  EXPECT_EQ(IdWord("\xc3\xa4"), "_");
  EXPECT_FALSE(IsIdWord(IdWord("")));
  for (const char* text : {"a b", "__", "\n", "\xff\xfe", "Z"}) {
    EXPECT_TRUE(IsIdWord(IdWord(text))) << text;
  }
}

}  // namespace
}  // namespace tare::report
