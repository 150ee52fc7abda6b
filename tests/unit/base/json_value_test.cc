// json_value_test.cc: tests that values are read by type, and that errors name the file and field.
#include "base/json_value.h"

#include <gtest/gtest.h>

#include <string>

namespace tare {
namespace {

std::string JsonRefusal(std::string_view text) {
  const auto file = JsonFile::Parse(text, "list of things");
  return file ? "accepted" : file.error().message;
}

TEST(JsonFile, SaysWhichLineIsNotJson) {
  EXPECT_EQ(JsonRefusal(""), "not a list of things: line 1 is not JSON");
  EXPECT_EQ(JsonRefusal("{\n\"a\": 1,\n}"), "not a list of things: line 3 is not JSON");
  EXPECT_EQ(JsonRefusal("[1] [2]"), "not a list of things: line 1 is not JSON");
  EXPECT_EQ(JsonRefusal("\"\xff\""), "not a list of things: line 1 is not JSON");
}

TEST(JsonFile, RefusesNumbersThatNoDoubleHolds) {
  EXPECT_EQ(JsonRefusal("[1e999]"), "not a list of things: a number is too large");
  EXPECT_EQ(JsonRefusal("[1e308]"), "accepted");
}

TEST(JsonFile, RefusesDeepNestingButNotBracketsInText) {
  const std::size_t limit = JsonFile::kMaxDepth;
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(JsonRefusal(nested(limit)), "accepted");
  EXPECT_EQ(JsonRefusal(nested(limit + 1)), "not a list of things: nested deeper than 32 levels");
  EXPECT_EQ(JsonRefusal("\"\\\"" + std::string(100, '[') + "\""), "accepted");
  EXPECT_TRUE(JsonFile::Parse(nested(100), "list of things", 100));
}

TEST(JsonFile, KeepsItsValuesWhenItIsMoved) {
  auto file = JsonFile::Parse("{\"a\": \"x\"}", "list of things");
  ASSERT_TRUE(file);
  const JsonFile moved = std::move(*file);
  EXPECT_EQ(moved.Root().TextField("a").value(), "x");
}

TEST(JsonValue, NamesThePathOfTheWrongField) {
  const auto file = JsonFile::Parse("{\"rows\": [{\"n\": 1}, {\"n\": \"x\"}]}", "list of things");
  ASSERT_TRUE(file);
  const JsonValue root = file->Root();
  const auto numbers =
      root.ListField("rows", [](const JsonValue& row) { return row.WholeField("n"); });
  ASSERT_FALSE(numbers);
  EXPECT_EQ(numbers.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(numbers.error().message,
            "not a list of things: rows[1].n is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(root.TextField("name").error().message,
            "not a list of things: the top-level value has no field 'name'");
}

TEST(JsonValue, VisitsItemsUntilOneIsRefused) {
  const auto file = JsonFile::Parse("[1, 2, \"x\", 4]", "list of things");
  ASSERT_TRUE(file);
  double sum = 0;
  const auto added = file->Root().ForEach([&](const JsonValue& item) -> Result<void> {
    TRY(const double value, item.Real());
    sum += value;
    return {};
  });
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "not a list of things: [2] is not a number");
  EXPECT_EQ(sum, 3);
}

TEST(JsonValue, HasTextComparesTheWholeText) {
  const auto file = JsonFile::Parse("{\"kind\": \"thing\", \"n\": 3}", "list of things");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->Root().HasText("kind", "thing"));
  EXPECT_FALSE(file->Root().HasText("kind", "thin"));
  EXPECT_FALSE(file->Root().HasText("n", "3"));
  EXPECT_FALSE(file->Root().HasText("name", ""));
}

TEST(JsonValue, RefusesAnotherFormatAndNamesBoth) {
  const auto refusal = [](std::string_view text) {
    const auto file = JsonFile::Parse(text, "list of things");
    const auto checked = file->Root().RequireFormat(3);
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_EQ(refusal("{\"format\": 3}"), "accepted");
  EXPECT_EQ(refusal("{\"format\": 4}"),
            "the list of things has format 4, and this tare reads format 3");
  EXPECT_EQ(refusal("{\"format\": \"3\"}"),
            "not a list of things: format is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(refusal("[]"), "not a list of things: the top-level value is not an object");
}

}  // namespace
}  // namespace tare
