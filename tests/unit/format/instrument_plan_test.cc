// instrument_plan_test.cc: tests that plans and candidates survive a round trip as text.
#include "format/instrument_plan.h"

#include <gtest/gtest.h>

namespace tare::format {
namespace {

InstrumentPlan Everything() {
  InstrumentPlan plan;
  plan.metrics.push_back({.name = "tab\t, line\n and \\t",
                          .event = MetricEvent::kVirtual,
                          .match = NameMatch::kRegex,
                          .what = "a\\.b",
                          .file = "*.c",
                          .value = ValueOf{.argument = ValueOf::kReturn,
                                           .is_signed = true,
                                           .sum = true,
                                           .minimum = true,
                                           .maximum = false,
                                           .histogram = true}});
  plan.metrics.push_back({.name = "plain",
                          .event = MetricEvent::kBlock,
                          .match = NameMatch::kExact,
                          .what = "f:3",
                          .file = "",
                          .value = {}});
  plan.functions = FunctionSelection{.names = {"a*", ""},
                                     .not_names = {"b"},
                                     .files = {"x\ty"},
                                     .not_files = {},
                                     .min_instructions = 12,
                                     .skip_inline = true,
                                     .too_often = {"hot"}};
  plan.blocks = plan.atomic = true;
  plan.stream = StreamContent::kBlocks;
  plan.names = false;
  plan.placement = 77;
  plan.strip_debug = StripDebug::kToLines;
  plan.list = "/tmp/list";
  return plan;
}

TEST(PlanText, IsReadAsItWasWritten) {
  for (const InstrumentPlan& plan : {Everything(), InstrumentPlan{}}) {
    const std::string text = PlanText(plan);
    const auto again = ParsePlanText(text);
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(PlanText(*again), text);
  }
  const auto plan = ParsePlanText(PlanText(Everything()));
  EXPECT_EQ(plan->metrics[0].name, "tab\t, line\n and \\t");
  EXPECT_EQ(plan->metrics[0].value->argument, ValueOf::kReturn);
  EXPECT_TRUE(plan->metrics[0].value->minimum);
  EXPECT_FALSE(plan->metrics[0].value->maximum);
  EXPECT_EQ(plan->functions->files[0], "x\ty");
  EXPECT_TRUE(plan->functions->skip_inline);
  EXPECT_EQ(plan->strip_debug, StripDebug::kToLines);
  EXPECT_EQ(plan->placement, 77U);
}

TEST(PlanText, CutAnywhereButAtALineItIsRefused) {
  const std::string text = PlanText(Everything());
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    const bool whole_lines = bytes >= 12 && text[bytes - 1] == '\n';
    EXPECT_EQ(ParsePlanText(text.substr(0, bytes)).has_value(), whole_lines) << bytes;
  }
}

TEST(PlanText, OtherVersionsAndUnknownLinesAreRefused) {
  EXPECT_FALSE(ParsePlanText("tare-plan\t2\n"));
  EXPECT_FALSE(ParsePlanText("tare-plan\t1\noption\tfast\n"));
  EXPECT_FALSE(ParsePlanText("tare-plan\t1\nmetric\tn\tcall\texact\n"));
  EXPECT_FALSE(ParsePlanText("tare-plan\t1\nfunction-names\ta\n"));
  EXPECT_FALSE(ParsePlanText("tare-plan\t1\nlist\ta\\x\n"));
}

TEST(CandidateLine, IsReadAsItWasWritten) {
  const Candidate candidate{.kind = CandidateKind::kMember,
                            .name = "A<'\t'>::b",
                            .file = "dir/a.cc",
                            .line = 12,
                            .detail = "const"};
  const auto again = ParseCandidateLine(CandidateLine(candidate));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kind, candidate.kind);
  EXPECT_EQ(again->name, candidate.name);
  EXPECT_EQ(again->file, candidate.file);
  EXPECT_EQ(again->line, candidate.line);
  EXPECT_EQ(again->detail, candidate.detail);
}

TEST(CandidateLine, OtherLinesAreRefused) {
  for (const std::string_view line :
       {"", "member\ta\tb\tc\td", "thing\ta\tb\t1\td", "member\ta\tb\t1", "member\ta\\\tb\t1\td"}) {
    EXPECT_FALSE(ParseCandidateLine(line)) << line;
  }
}

}  // namespace
}  // namespace tare::format
