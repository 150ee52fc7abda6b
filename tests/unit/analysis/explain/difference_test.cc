// difference_test.cc: tests which programs and causes are considered for a difference.
#include "analysis/explain/difference.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tare::explain {
namespace {

// Three programs: y occurs twice for each x; z in one alone.
std::vector<Program> Three() {
  std::vector<Program> programs;
  for (int i = 1; i <= 3; ++i) {
    Program program{"p" + std::to_string(i), "", {}, {}};
    program.sources = {{"a", 100.0 * i}, {"b", 100.0 * i + 10 * i * i}};
    program.causes[{CauseKind::kOpcode, "x"}] = 10.0 * i * i;
    program.causes[{CauseKind::kOpcode, "y"}] = 20.0 * i * i;
    if (i == 2) program.causes[{CauseKind::kOpcode, "z"}] = 5;
    program.causes[{CauseKind::kEvent, "seconds"}] = 0.5 + i % 2;
    programs.push_back(std::move(program));
  }
  return programs;
}

const Candidate* Find(const Difference& difference, const std::string& name) {
  for (const Candidate& candidate : difference.candidates) {
    if (candidate.cause.name == name) return &candidate;
  }
  return nullptr;
}

TEST(DifferenceOf, IsSecondLessFirst) {
  const auto difference = DifferenceOf(Three(), std::nullopt);
  ASSERT_TRUE(difference) << difference.error().message;
  EXPECT_EQ(difference->first, "a");
  EXPECT_EQ(difference->amounts, (std::vector<double>{10, 40, 90}));
  const auto turned = DifferenceOf(Three(), std::pair<std::string, std::string>("b", "a"));
  EXPECT_EQ(turned->amounts, (std::vector<double>{-10, -40, -90}));
}

TEST(DifferenceOf, PutsCausesInProportionTogether) {
  const auto difference = DifferenceOf(Three(), std::nullopt);
  const Candidate* x = Find(*difference, "x");
  ASSERT_NE(x, nullptr);
  ASSERT_EQ(x->twins.size(), 1u);
  EXPECT_EQ(x->twins[0].cause.name, "y");
  EXPECT_DOUBLE_EQ(x->twins[0].factor, 0.5);
}

TEST(DifferenceOf, ListsRareCausesSeparately) {
  const auto difference = DifferenceOf(Three(), std::nullopt);
  ASSERT_EQ(difference->rare.size(), 1u);
  EXPECT_EQ(difference->rare[0].name, "z");
}

TEST(DifferenceOf, TakesNoEventThatAProgramLacks) {
  auto programs = Three();
  EXPECT_NE(Find(*DifferenceOf(programs, std::nullopt), "seconds"), nullptr);
  programs[1].causes.erase({CauseKind::kEvent, "seconds"});
  EXPECT_EQ(Find(*DifferenceOf(programs, std::nullopt), "seconds"), nullptr);
}

TEST(DifferenceOf, NamesProgramsThatLackASourceOrOpcodes) {
  auto programs = Three();
  programs[0].sources.erase("b");
  std::erase_if(programs[1].causes,
                [](const auto& entry) { return entry.first.kind == CauseKind::kOpcode; });
  const auto difference = DifferenceOf(programs, std::nullopt);
  EXPECT_EQ(difference->left_out, (std::vector<std::string>{"p1", "p2"}));
}

TEST(DifferenceOf, RefusesMoreThanCanBeSearched) {
  auto programs = Three();
  for (std::size_t i = 0; i <= kMaxCauses; ++i) {
    programs[0].causes[{CauseKind::kOpcode, "op" + std::to_string(i)}] = 1;
  }
  EXPECT_EQ(
      DifferenceOf(programs, std::nullopt).error().message,
      "3 programs with 4101 causes are too many to search; the maximum is 4096 causes and 200000 "
      "counts in total");
}

TEST(DifferenceOf, RequiresTwoSources) {
  using Pair = std::pair<std::string, std::string>;
  auto programs = Three();
  EXPECT_EQ(DifferenceOf(programs, Pair("a", "c")).error().message,
            "there is no source c; the files have a, b");
  EXPECT_EQ(DifferenceOf(programs, Pair("a", "a")).error().message,
            "both sources are a; give two different ones");
  programs[0].sources["c"] = 1;
  EXPECT_EQ(DifferenceOf(programs, std::nullopt).error().message,
            "the files have 3 sources: a, b, c; choose two with --sources FIRST,SECOND");
  for (Program& program : programs) program.sources = {{"a", 1}};
  EXPECT_EQ(DifferenceOf(programs, std::nullopt).error().message,
            "the files have only one source, a; a difference needs two");
}

}  // namespace
}  // namespace tare::explain
