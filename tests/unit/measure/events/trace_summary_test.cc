// trace_summary_test.cc: totals, corrected spans and coarse clocks of traces whose events are
// known.
#include "measure/events/trace_summary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "format/event_writer.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::events {
namespace {

using format::TimedKind;

class SummaryOf : public testing::Test {
 protected:
  // Writes a trace by `fill` and reads it.
  TraceSummary Of(const format::EventTraceHead& head, const auto& fill) const {
    const std::string path = directory_.Path("x.events");
    auto writer = format::EventTraceWriter::Create(path, head);
    EXPECT_TRUE(writer);
    writer->tables().threads = {{7, 7, 0}};
    writer->tables().sites = {{format::SiteKind::kSpan, "outer", "a.c", 1},
                              {format::SiteKind::kSpan, "inner", "a.c", 2},
                              {format::SiteKind::kEvent, "hit", "a.c", 3}};
    fill(*writer);
    EXPECT_TRUE(writer->Close({}));
    auto summary = Summarize(path, 0.95);
    EXPECT_TRUE(summary);
    return std::move(*summary);
  }

  run::TemporaryDirectory directory_;
};

const SiteTotals& Named(const TraceSummary& summary, std::string_view name) {
  return *std::ranges::find(summary.sites, name, &SiteTotals::name);
}

void AddSpan(format::EventTraceWriter& writer, std::uint32_t site, std::uint64_t begin,
             std::uint64_t end, const auto& inside) {
  writer.AddTimed({TimedKind::kBegin, true, site, 0, begin, 0});
  inside();
  writer.AddTimed({TimedKind::kEnd, true, site, 0, end, 0});
}

// One span of 1,001 ns and nine of 1 ns: mean 101 ns, standard error 100 ns, Student's t 2.26.
TEST_F(SummaryOf, MeanDurationsHaveNoIntervalBelowZero) {
  const auto summary = Of({}, [](format::EventTraceWriter& writer) {
    for (std::uint64_t i = 0; i < 10; ++i)
      AddSpan(writer, 0, 2'000 * i, 2'000 * i + (i == 4 ? 1'001 : 1), [] {});
  });
  const Measured& mean = Named(summary, "outer").mean;
  EXPECT_NEAR(mean.Value(), 101e-9, 1e-15);
  EXPECT_EQ(mean.Low(), 0);
  EXPECT_NEAR(mean.High(), 327.2e-9, 0.1e-9);
}

TEST_F(SummaryOf, NestedSpansHasTheirCostTakenOut) {
  format::EventTraceHead head;
  head.event_cost = {10, 9, 11};
  head.span_cost = {100, 90, 120};
  head.inner_cost = {40, 36, 48};
  const auto summary = Of(head, [](format::EventTraceWriter& writer) {
    AddSpan(writer, 0, 1'000, 11'000, [&] {
      for (std::uint64_t i = 0; i < 5; ++i) {
        AddSpan(writer, 1, 2'000 + 1'000 * i, 2'500 + 1'000 * i,
                [&] { writer.AddTimed({TimedKind::kEvent, false, 2, 0, 2'000, 0}); });
      }
    });
  });
  const SiteTotals& outer = Named(summary, "outer");
  EXPECT_DOUBLE_EQ(outer.seconds, 10'000e-9);
  EXPECT_DOUBLE_EQ(outer.own_seconds, 7'500e-9);
  // 10,000 ns less the inside of itself (40), five spans (100 each) and five events (10 each).
  EXPECT_NEAR(outer.corrected.Value(), 9'410e-9, 1e-15);
  // The calibration is uncertain by 20 %.
  EXPECT_NEAR(outer.corrected.High() - outer.corrected.Value(), 0.2 * 590e-9, 1e-15);
  const SiteTotals& inner = Named(summary, "inner");
  EXPECT_EQ(inner.events, 5u);
  EXPECT_NEAR(inner.corrected.Value(), 450e-9, 1e-15);
}

TEST_F(SummaryOf, UncalibratedSpansHasNoCorrection) {
  const auto summary =
      Of({}, [](format::EventTraceWriter& writer) { AddSpan(writer, 0, 1'000, 2'000, [] {}); });
  EXPECT_FALSE(Named(summary, "outer").corrected.value.has_value());
}

// 20 of 100 spans saw the clock advance by a tick of 4 ms: the mean is 0.8 ms.
TEST_F(SummaryOf, SpansShorterThanATickHasAMeanFromTheAdvances) {
  format::EventTraceHead head;
  head.clock = "coarse";
  head.tick_ns = 4'000'000;
  const auto summary = Of(head, [](format::EventTraceWriter& writer) {
    for (std::uint64_t i = 0; i < 100; ++i) {
      const std::uint64_t begin = 20'000'000 * i;
      AddSpan(writer, 0, begin, begin + (i % 5 == 0 ? 4'000'000 : 0), [] {});
    }
  });
  const Measured& mean = Named(summary, "outer").mean;
  EXPECT_NEAR(mean.Value(), 0.8e-3, 1e-9);
  // Wilson's interval of 20 of 100: 13.3 to 28.9 %.
  EXPECT_NEAR(mean.Low(), 0.133 * 4e-3, 0.08e-3);
  EXPECT_NEAR(mean.High(), 0.289 * 4e-3, 0.08e-3);
}

// What a long trace has stored of its blocks is taken instead of them. The totals here are wrong on
// purpose: they show which of both was read.
TEST_F(SummaryOf, ALongTraceIsThatOfItsTotals) {
  for (const bool has_totals : {false, true}) {
    const auto summary = Of({}, [&](format::EventTraceWriter& writer) {
      for (std::uint32_t i = 0; i < 40; ++i) {
        format::TraceBlock block;
        block.address = 0x1000 + 16 * i;
        block.code_bytes = 16;
        block.instructions = 1 + i;
        writer.tables().blocks.push_back(block);
      }
      writer.AddMark(format::MarkKind::kThread, 0);
      std::uint64_t random = 1;
      for (int i = 0; i < 100'000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        writer.AddBlock(static_cast<std::uint32_t>((random >> 33) % 40), {});
      }
      if (has_totals) writer.SetTotals({{99'999, 1}, 3});
    });
    EXPECT_TRUE(summary.outcome.complete) << summary.outcome.reason;
    EXPECT_EQ(summary.blocks, 100'000u);
    EXPECT_EQ(summary.different_blocks, has_totals ? 2u : 40u);
    EXPECT_EQ(summary.signals, has_totals ? 3u : 0u);
    if (has_totals) {
      EXPECT_EQ(summary.instructions, 99'999u + 2);
    }
    EXPECT_EQ(summary.raw_bytes, 400'000u);
  }
}

// Two functions of equal blocks; each sample of 10 blocks holds 6 or 8 of the first.
TEST_F(SummaryOf, ASampleHasSharesWithIntervals) {
  format::EventTraceHead head;
  head.sample_kept = 10;
  head.sample_period = 100;
  const auto summary = Of(head, [](format::EventTraceWriter& writer) {
    format::TraceBlock block;
    block.code_bytes = 16;
    block.instructions = 4;
    for (const std::uint64_t address : {0x1000u, 0x2000u, 0x3000u}) {
      block.address = address;
      writer.tables().blocks.push_back(block);
    }
    writer.tables().functions = {{"first", "x"}, {"second", "x"}, {"rare", "x"}};
    writer.tables().block_functions = {0, 1, 2};
    for (int sample = 0; sample < 40; ++sample) {
      writer.AddMark(format::MarkKind::kThread, 0);
      const int first = sample % 2 == 0 ? 6 : 8;
      for (int i = 0; i < 10; ++i) {
        const bool rare = sample == 7 && i == 9;
        writer.AddBlock(rare ? 2 : i < first ? 0 : 1, {});
      }
      writer.AddMark(format::MarkKind::kGap, 90);
    }
  });
  EXPECT_EQ(summary.skipped, 3'600u);
  ASSERT_EQ(summary.functions.size(), 3u);
  const Measured& first = summary.functions[0].share;
  EXPECT_DOUBLE_EQ(first.Value(), 0.7);
  // The standard error of 40 shares of 0.6 or 0.8 is 0.1013 / sqrt(40) = 0.016; t(39) = 2.023.
  EXPECT_NEAR(first.High() - first.Low(), 2 * 2.023 * 0.01601, 1e-4);
  const Measured& rare = summary.functions[2].share;
  EXPECT_DOUBLE_EQ(rare.Value(), 1.0 / 400);
  EXPECT_EQ(rare.Low(), 0);
  EXPECT_NEAR(rare.High(), 0.0025 + 2.023 * 0.0025, 1e-4);
}

}  // namespace
}  // namespace tare::events
