// command_groups_test.cc: tests commands of two words, and the groups made from their rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/help.h"

namespace tare::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Named Find(const std::vector<std::string>& words) { return FindNamed(words); }

TEST(FindNamed, TakesOneWordOrTwo) {
  EXPECT_EQ(Find({"timer", "--json"}).command, FindCommand("timer"));
  EXPECT_EQ(Find({"timer", "--json"}).words, 1u);
  const Named show = Find({"machine", "show", "x"});
  EXPECT_EQ(show.command, FindCommand("machine show"));
  EXPECT_EQ(show.words, 2u);
}

TEST(FindNamed, KnowsAGroupWithoutACommandOfIt) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"machine"}, {"machine", "dance"}, {"machine", "--help"}}) {
    const Named named = Find(words);
    EXPECT_EQ(named.command, nullptr);
    ASSERT_NE(named.group, nullptr);
    EXPECT_EQ(named.group->name, "machine");
    EXPECT_EQ(named.words, 1u);
  }
}

TEST(FindNamed, PrefixesOfNamesAreNotFound) {
  EXPECT_EQ(Find({"show"}).words, 0u);
  EXPECT_EQ(Find({"machine show"}).group, nullptr);
  EXPECT_EQ(Find({}).words, 0u);
}

TEST(TopNames, HaveARowForEachGroup) {
  int rows = 0;
  for (const TopName& top : TopNames()) {
    EXPECT_THAT(std::string(top.name), Not(HasSubstr(" ")));
    rows += top.name == "machine" ? 1 : 0;
  }
  EXPECT_EQ(rows, 1);
}

TEST(GroupHelp, ListsItsCommandsWithAnExampleOfEach) {
  const CommandGroup& group = *Find({"machine"}).group;
  const std::string help = GroupHelp(group);
  for (const Command* command : CommandsOf(group)) {
    EXPECT_THAT(help, HasSubstr(std::string("\n  ") + std::string(NameInGroup(*command)) + " "));
    EXPECT_THAT(help, HasSubstr(std::string(command->text.examples.front().command)));
  }
  EXPECT_EQ(ManualName("machine show"), "tare-machine-show");
  EXPECT_THAT(GroupManual(group), HasSubstr("tare\\-machine\\-show"));
}

TEST(Completion, KnowsTheSecondWord) {
  EXPECT_THAT(BashCompletion(), HasSubstr("'machine show')"));
  EXPECT_THAT(BashCompletion(), HasSubstr("names='measure show compare list edit project --help'"));
  EXPECT_THAT(ZshCompletion(), HasSubstr("'machine show') _arguments"));
}

}  // namespace
}  // namespace tare::cli
