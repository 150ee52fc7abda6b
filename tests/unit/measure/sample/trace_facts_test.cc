// trace_facts_test.cc: tests that facts survive a round trip, and that invalid ones do no harm.
#include "measure/sample/trace_facts.h"

#include <gtest/gtest.h>

namespace tare::sample {
namespace {

TEST(TraceFacts, ComeBackAsTheyWere) {
  StartFacts start{.program = "sort words",
                   .sampler = "signal",
                   .machine = "zen2",
                   .children = true,
                   .automatic = true};
  const StartFacts started = StartFactsOf(ToFacts(start));
  EXPECT_EQ(started.program, "sort words");
  EXPECT_EQ(started.sampler, "signal");
  EXPECT_EQ(started.machine, "zen2");
  EXPECT_TRUE(started.children);
  EXPECT_TRUE(started.automatic);

  EndFacts end;
  end.signal = 9;
  end.interrupted = true;
  end.wall_ns = 17;
  end.handler_ns = 0;
  end.lost_samples = 3;
  end.lost_threads = 4;
  end.histograms["sizes of malloc"].resize(kHistogramBuckets);
  end.histograms["sizes of malloc"][64] = 12;
  end.histograms["sizes of malloc"][0] = 1;
  end.absent = {{"cycles", "hardware", "there is no such counter"}};
  const EndFacts ended = EndFactsOf(ToFacts(end));
  EXPECT_EQ(ended.signal, 9);
  EXPECT_EQ(ended.exit_status, std::nullopt);
  EXPECT_TRUE(ended.interrupted);
  EXPECT_FALSE(ended.timed_out);
  EXPECT_EQ(ended.wall_ns, 17U);
  EXPECT_EQ(ended.handler_ns, 0U)
      << "nothing was measured, and that is not the same as not measured";
  EXPECT_EQ(ended.observer_cpu_ns, std::nullopt);
  EXPECT_EQ(ended.lost_samples, 3U);
  EXPECT_EQ(ended.lost_threads, 4U);
  EXPECT_EQ(ended.histograms, end.histograms);
  ASSERT_EQ(ended.absent.size(), 1U);
  EXPECT_EQ(ended.absent[0].name, "cycles");
  EXPECT_EQ(ended.absent[0].group, "hardware");
  EXPECT_EQ(ended.absent[0].reason, "there is no such counter");
}

TEST(TraceFacts, ThatAreNoneArePassedOver) {
  const std::vector<format::SeriesFact> facts = {{"exit status", "many"},
                                                 {"wall ns", "-1"},
                                                 {"histogram x", "99:1 a:b 3: :4 7:8"},
                                                 {"absent without a tab", ""},
                                                 {"something else", "text"},
                                                 {"lost threads", ""}};
  const EndFacts end = EndFactsOf(facts);
  EXPECT_EQ(end.exit_status, std::nullopt);
  EXPECT_EQ(end.wall_ns, std::nullopt);
  EXPECT_EQ(end.lost_threads, 0U);
  EXPECT_TRUE(end.absent.empty());
  Histogram one(kHistogramBuckets);
  one[7] = 8;
  EXPECT_EQ(end.histograms.at("x"), one);
}

}  // namespace
}  // namespace tare::sample
