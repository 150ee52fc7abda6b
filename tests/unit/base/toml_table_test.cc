// toml_table_test.cc: tests that tables are read by type, and that errors name line and column.
#include "base/toml_table.h"

#include <gtest/gtest.h>

#include <string>

namespace tare {
namespace {

TEST(TomlFile, SaysWhereTheMistakeIs) {
  const auto file = TomlFile::Parse("a = 1\nb = [2", "t.toml");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kFormat);
  EXPECT_TRUE(file.error().message.starts_with("t.toml:2:")) << file.error().message;
}

TEST(TomlTable, AnAbsentKeyIsNoMistake) {
  const auto file = TomlFile::Parse("", "t.toml");
  ASSERT_TRUE(file);
  const TomlTable root = file->Root();
  EXPECT_FALSE(root.Has("a"));
  EXPECT_FALSE(root.Real("a").value());
  EXPECT_FALSE(root.Table("a").value());
  EXPECT_TRUE(root.Tables("a").value().empty());
}

TEST(TomlTable, ReadsNumbersWithAndWithoutFraction) {
  const auto file = TomlFile::Parse("a = 2\nb = 2.5\nc = \"2\"", "t.toml");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->Root().Real("a").value(), 2.0);
  EXPECT_EQ(file->Root().Real("b").value(), 2.5);
  EXPECT_EQ(file->Root().Real("c").error().message, "t.toml:3:5: c must be a number, not text");
}

TEST(TomlTable, ReadsAListOfTables) {
  const auto file = TomlFile::Parse("x = [3]\n[[t]]\nn = 1\n[[t]]\nn = 2\n[u]", "t.toml");
  ASSERT_TRUE(file);
  const auto tables = file->Root().Tables("t");
  ASSERT_TRUE(tables);
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ((*tables)[1].Number("n", 0).value(), 2u);
  EXPECT_EQ(file->Root().Tables("x").error().message,
            "t.toml:1:6: each x must be a table, written as [[x]] with two brackets");
  EXPECT_FALSE(file->Root().Tables("u"));
}

TEST(TomlTable, PlacesAnErrorAtTheDeepestKeyThatExists) {
  const auto file = TomlFile::Parse("[a]\n[a.b]\nc = 7", "t.toml");
  ASSERT_TRUE(file);
  const auto message = [&](std::string_view field) {
    return file->Root().FailAtField(field, "x").error().message;
  };
  EXPECT_EQ(message("a.b.c"), "t.toml:3:5: x");
  EXPECT_EQ(message("a.b.d"), "t.toml:2:1: x");
  EXPECT_EQ(message("a.c.d"), "t.toml:1:1: x");
  EXPECT_EQ(message("z"), "t.toml:1:1: x");
}

}  // namespace
}  // namespace tare
