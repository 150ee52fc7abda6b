// sources_test.cc: tests that the numbers of every command have a source.
#include "cli/sources.h"

#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/table_ids.h"

namespace tare::cli {
namespace {

TEST(SourceOf, EveryTableOfEveryCommandHasOne) {
  for (const Command& command : Commands()) {
    EXPECT_NE(SourceOf(command.text.name, "any"), "") << command.text.name;
    for (const TableId& table : TableIds(command.text.name)) {
      EXPECT_NE(SourceOf(command.text.name, table.id), "") << command.text.name << " " << table.id;
    }
  }
}

TEST(SourceOf, TheFirstRowThatFitsIsTaken) {
  EXPECT_EQ(SourceOf("machine measure", "rates"), "microbenchmarks on this machine");
  EXPECT_EQ(SourceOf("machine show", "rates"), "machine profile");
  EXPECT_EQ(SourceOf("machines", "rates"), "");
}

TEST(AddSources, KeepsTheSourceThatABlockStates) {
  report::Document document;
  document.command = "timer";
  document.blocks = {report::Table{"clocks", "", {{"a"}}, {}}, report::Text{"answer", ""}};
  document.blocks.emplace_back(document.blocks.front());
  std::get<report::Table>(document.blocks[2]).source = "its own";
  AddSources(document);
  EXPECT_EQ(std::get<report::Table>(document.blocks[0]).source, "readings of the clock in a loop");
  EXPECT_EQ(std::get<report::Table>(document.blocks[2]).source, "its own");
}

}  // namespace
}  // namespace tare::cli
