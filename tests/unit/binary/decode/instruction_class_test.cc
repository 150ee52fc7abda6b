// instruction_class_test.cc: tests names of categories, classes and types, and sets of classes.
#include "binary/decode/instruction_class.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace tare::decode {
namespace {

TEST(Category, IsSpelledAsInThePaperThatNamedThem) {
  EXPECT_EQ(CategoryName(Category::kArith), "Arith");
  EXPECT_EQ(CategoryName(Category::kUnconditionalBranches), "Unconditional Branches");
  EXPECT_EQ(CategoryName(Category::kStackOps), "Stack Ops");
  EXPECT_EQ(CategoryName(Category::kUnclassified), "Unclassified");
}

TEST(InstructionClass, HasAnIdOfItsOwnAndAMeaning) {
  std::set<std::string_view> ids;
  for (std::size_t at = 0; at < kInstructionClasses; ++at) {
    const ClassText& text = TextOf(static_cast<InstructionClass>(at));
    EXPECT_TRUE(ids.insert(text.id).second) << text.id;
    EXPECT_FALSE(text.meaning.empty()) << text.id;
  }
  EXPECT_EQ(TextOf(InstructionClass::kReadModifyWrite).id, "read-modify-write");
  EXPECT_EQ(TextOf(InstructionClass::kVector512).id, "vector-512");
  EXPECT_EQ(TextOf(InstructionClass::kIndirect).id, "indirect");
}

TEST(OperandType, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t at = 0; at < kOperandTypes; ++at)
    EXPECT_TRUE(names.insert(OperandTypeName(static_cast<OperandType>(at))).second) << at;
  EXPECT_EQ(OperandTypeName(OperandType::kFloat80), "float 80");
  EXPECT_EQ(OperandTypeName(OperandType::kVectorFloat64), "vector float 64");
}

TEST(ClassSet, VisitsItsClassesInOrder) {
  ClassSet set = {InstructionClass::kIndirect, InstructionClass::kLoad};
  set.AddIf(InstructionClass::kStore, true);
  set.AddIf(InstructionClass::kMove, false);
  std::vector<InstructionClass> seen;
  set.ForEach([&](InstructionClass one) { seen.push_back(one); });
  EXPECT_EQ(seen, (std::vector{InstructionClass::kLoad, InstructionClass::kStore,
                               InstructionClass::kIndirect}));
}

TEST(ClassSet, KnowsItsMembers) {
  ClassSet set = {InstructionClass::kLoad, InstructionClass::kInteger};
  EXPECT_TRUE(set.Contains(InstructionClass::kLoad));
  EXPECT_FALSE(set.Contains(InstructionClass::kStore));
  EXPECT_TRUE(set.ContainsAll({InstructionClass::kInteger}));
  EXPECT_FALSE(set.ContainsAll({InstructionClass::kInteger, InstructionClass::kStore}));
  set.Remove(InstructionClass::kLoad);
  EXPECT_EQ(set, ClassSet({InstructionClass::kInteger}));
  EXPECT_TRUE(ClassSet().IsEmpty());
}

}  // namespace
}  // namespace tare::decode
