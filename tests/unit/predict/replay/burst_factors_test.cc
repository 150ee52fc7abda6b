// burst_factors_test.cc: tests the ratios of single bursts from their counters.
#include "predict/replay/burst_factors.h"

#include <gtest/gtest.h>

namespace tare::replay {
namespace {

using testing::Test;

class BurstFactorsTest : public Test {
 protected:
  BurstFactorsTest() {
    trace_.ranks.resize(1);
    rank().modules.push_back({10, 2, "program"});
    prices_["program"] = {{1, 1}, {0.5, 0.25}};  // twice and four times as fast
    Add(TARE_MPI_F_Init, 0, {});
  }

  format::MpiRank& rank() { return trace_.ranks[0]; }

  void Add(format::MpiFunction function, std::uint64_t cpu_ns,
           const std::vector<format::MpiCounterDelta>& counters, std::uint16_t thread = 0) {
    format::MpiEvent event;
    event.function = function;
    event.operation = format::OperationOf(function);
    event.thread = thread;
    event.burst_cpu_ns = cpu_ns;
    event.counters = {static_cast<std::uint32_t>(rank().counters.size()),
                      static_cast<std::uint32_t>(counters.size())};
    rank().counters.insert(rank().counters.end(), counters.begin(), counters.end());
    rank().events.push_back(event);
  }

  BurstFactors Factors() const { return FactorsOf(trace_, prices_, 3); }

  format::MpiTrace trace_;
  std::map<std::string, ModulePrices> prices_;
};

TEST_F(BurstFactorsTest, EachBurstHasTheRatioOfItsCode) {
  Add(TARE_MPI_F_Barrier, 1000, {{10, 5}});
  Add(TARE_MPI_F_Barrier, 3000, {{11, 5}});
  Add(TARE_MPI_F_Barrier, 3000, {{10, 3}, {11, 3}});  // 6 against 2.25
  const auto factors = Factors();
  ASSERT_EQ(factors.factors.size(), 1U);
  ASSERT_EQ(factors.factors[0].size(), 4U);
  EXPECT_DOUBLE_EQ(factors.factors[0][0], 1);
  EXPECT_DOUBLE_EQ(factors.factors[0][1], 3.0 / 2);
  EXPECT_DOUBLE_EQ(factors.factors[0][2], 3.0 / 4);
  EXPECT_DOUBLE_EQ(factors.factors[0][3], 3 / (6 / 2.25));
  EXPECT_DOUBLE_EQ(factors.counted, 7000e-9);
  EXPECT_DOUBLE_EQ(factors.uncounted, 0);
  EXPECT_DOUBLE_EQ(factors.slowest, 2);
  EXPECT_DOUBLE_EQ(factors.fastest, 4);
}

TEST_F(BurstFactorsTest, ShortBurstsHaveTheCountersOfTheNext) {
  Add(TARE_MPI_F_Barrier, 10, {});
  Add(TARE_MPI_F_Barrier, 10, {{11, 5}}, 1);  // another thread
  Add(TARE_MPI_F_Barrier, 1000, {{10, 5}});
  Add(TARE_MPI_F_Barrier, 10, {});  // nothing follows
  const auto factors = Factors();
  EXPECT_EQ(factors.factors[0], (std::vector<double>{1, 1.5, 1, 1.5, 1}));
  EXPECT_DOUBLE_EQ(factors.counted, 1010e-9);
  EXPECT_DOUBLE_EQ(factors.uncounted, 10e-9);
}

TEST_F(BurstFactorsTest, WithoutUsablePricesTheProgramsRatioHolds) {
  Add(TARE_MPI_F_Barrier, 1000, {{10, 5}});
  EXPECT_TRUE(FactorsOf(trace_, {}, 3).factors[0].empty());
  prices_["program"].recorded.push_back(1);  // another number of slots: another file
  EXPECT_TRUE(Factors().factors[0].empty());
  prices_["program"] = {{-1, 1}, {0.5, 0.25}};  // less than nothing
  EXPECT_TRUE(Factors().factors[0].empty());
  prices_["program"] = {{1, 1}, {0.5, 0.25}};
  rank().counters[0].slot = 12;  // of no module
  EXPECT_TRUE(Factors().factors[0].empty());
  EXPECT_DOUBLE_EQ(Factors().uncounted, 1000e-9);
}

}  // namespace
}  // namespace tare::replay
