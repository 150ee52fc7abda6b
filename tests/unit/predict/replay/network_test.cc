// network_test.cc: network files, known networks, changes and the fit of a ping-pong.
#include "predict/replay/network.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "predict/replay/network_change.h"
#include "predict/replay/network_survey.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {
namespace {

constexpr std::string_view kFile = R"(format = 1
name = "cluster"
latency = ["1.5us", "1.4us", "1.8us"]
bandwidth = "100Gbit/s"
overhead = "0.3us"
eager_limit = "16KiB"
ranks_per_node = 4
buses = 2
[node]
latency = "0.4us"
bandwidth = "8GB/s"
cores = 4
hand_over = ["1.2us", "1us", "2us"]
shared_overhead = "0.5us"
time_slice = "4ms"
[topology]
kind = "fat-tree"
dimensions = "4x4"
parents = "1x2"
[collectives]
allreduce = "ring"
)";

TEST(NetworkFile, ReadsEveryField) {
  const auto network = ParseNetwork(kFile, "cluster.toml");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->name, "cluster");
  EXPECT_DOUBLE_EQ(network->between.latency.value, 1.5e-6);
  EXPECT_DOUBLE_EQ(network->between.latency.high, 1.8e-6);
  EXPECT_DOUBLE_EQ(network->between.bandwidth.value, 12.5e9);
  EXPECT_DOUBLE_EQ(network->within.overhead.value, 0.3e-6);  // as between nodes
  EXPECT_DOUBLE_EQ(network->within.bandwidth.value, 8e9);
  EXPECT_EQ(network->eager_limit, 16384U);
  EXPECT_EQ(network->ranks_per_node, 4U);
  EXPECT_EQ(network->cores, 4U);
  EXPECT_DOUBLE_EQ(network->hand_over.high, 2e-6);
  EXPECT_DOUBLE_EQ(network->shared_overhead.value, 0.5e-6);
  EXPECT_DOUBLE_EQ(network->time_slice, 4e-3);
  EXPECT_EQ(network->buses, 2U);
  EXPECT_EQ(network->topology.kind, TopologyKind::kFatTree);
  EXPECT_EQ(network->topology.parents, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(AlgorithmFor(*network, Collective::kAllreduce, 8, 8), Algorithm::kRing);
}

TEST(NetworkFile, WritesWhatItReads) {
  const auto network = ParseNetwork(kFile, "cluster.toml");
  ASSERT_TRUE(network);
  const auto again = ParseNetwork(FormatNetwork(*network), "again");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(FormatNetwork(*again), FormatNetwork(*network));
  // What is 0 within a node only would be that between nodes if it were left out.
  Network larger = *network;
  larger.between.gap = Certain(1e-6);
  larger.between.handshake = Certain(2e-6);
  const auto reread = ParseNetwork(FormatNetwork(larger), "larger");
  ASSERT_TRUE(reread) << reread.error().message;
  EXPECT_EQ(reread->within.gap.value, 0);
  EXPECT_EQ(reread->within.handshake.value, 0);
  Network quoted = *network;
  quoted.name = "a \"b\" \\ c";
  const auto back = ParseNetwork(FormatNetwork(quoted), "quoted");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->name, quoted.name);
}

TEST(NetworkFile, RefusesOtherVersionsAndNamesBoth) {
  const auto other = ParseNetwork("format = 2\n", "x.toml");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "x.toml:1:10: the network file has format 2; this tare reads format 1");
}

TEST(NetworkFile, RefusesImpossibleFiguresWithTheirPlace) {
  const auto refused = [](std::string_view line) {
    const std::string text =
        std::string("format = 1\nlatency = \"1us\"\nbandwidth = \"1GB/s\"\n") + std::string(line);
    return !ParseNetwork(text, "x.toml");
  };
  EXPECT_TRUE(refused("overhead = \"1year\"\n"));
  EXPECT_TRUE(refused("overhead = \"11s\"\n"));
  EXPECT_TRUE(refused("gap = [\"1us\", \"2us\", \"3us\"]\n"));
  EXPECT_TRUE(refused("buses = -1\n"));
  EXPECT_TRUE(refused("[node]\nhand_over = \"11s\"\n"));
  EXPECT_TRUE(refused("[node]\ntime_slice = \"often\"\n"));
  EXPECT_TRUE(refused("[node]\ntime_slice = \"1ns\"\n"));
  EXPECT_TRUE(refused("wires = 1\n"));
  EXPECT_TRUE(refused("[topology]\nkind = \"torus\"\n"));
  EXPECT_TRUE(refused("[topology]\nkind = \"hypercube\"\n"));
  EXPECT_TRUE(refused("[topology]\nkind = \"dragonfly\"\ndimensions = \"4x2x2x2\"\n"));
  EXPECT_TRUE(refused("[collectives]\nbarrier = \"ring\"\n"));
  EXPECT_FALSE(refused("buses = 1\n"));
}

TEST(KnownNetworks, AreSound) {
  for (const std::string_view name : KnownNetworks()) {
    const auto network = KnownNetwork(name);
    ASSERT_TRUE(network) << name;
    EXPECT_TRUE(CheckNetwork(*network)) << name;
    EXPECT_EQ(network->name, name);
  }
  EXPECT_FALSE(KnownNetwork("token-ring"));
}

TEST(ParseBandwidth, KnowsBitsAndBytes) {
  EXPECT_DOUBLE_EQ(ParseBandwidth("12.5GB/s").value_or(0), 12.5e9);
  EXPECT_DOUBLE_EQ(ParseBandwidth("100Gbit/s").value_or(0), 12.5e9);
  EXPECT_DOUBLE_EQ(ParseBandwidth("1MiB/s").value_or(0), 1048576);
  EXPECT_DOUBLE_EQ(ParseBandwidth("250").value_or(0), 250);
  for (const std::string_view wrong : {"", "fast", "1GB", "1XB/s", "-1GB/s", "infGB/s"}) {
    EXPECT_FALSE(ParseBandwidth(wrong)) << wrong;
  }
}

TEST(Changes, ApplyValuesAndFactors) {
  const Machine machine{RoundNetwork()};
  const auto series = ChangesOf("latency=5us,bandwidth=x2,cpu=x4,buses=3", machine);
  ASSERT_TRUE(series) << series.error().message;
  ASSERT_EQ(series->machines.size(), 1U);
  const Machine& changed = series->machines.front().machine;
  EXPECT_DOUBLE_EQ(changed.network.between.latency.value, 5e-6);
  EXPECT_DOUBLE_EQ(changed.network.between.bandwidth.value, 2e9);
  EXPECT_DOUBLE_EQ(changed.network.within.latency.value, 1e-6);
  EXPECT_DOUBLE_EQ(changed.cpu, 4);
  EXPECT_EQ(changed.network.buses, 3U);
  EXPECT_EQ(series->machines.front().text, "latency=5µs, bandwidth=x2, cpu=x4, buses=3");
}

TEST(Changes, OfOneNodeAreThoseWithinIt) {
  Machine machine{RoundNetwork()};
  machine.one_node = true;
  const auto series = ChangesOf("latency=5us", machine);
  ASSERT_TRUE(series);
  EXPECT_DOUBLE_EQ(series->machines.front().machine.network.within.latency.value, 5e-6);
}

TEST(Changes, ExpandARange) {
  const auto series = ChangesOf("latency=1us..100us,cpu=x2", {RoundNetwork()});
  ASSERT_TRUE(series);
  EXPECT_EQ(series->ranged, "latency");
  EXPECT_EQ(series->unit, "s");
  ASSERT_EQ(series->machines.size(), 9U);
  EXPECT_DOUBLE_EQ(series->machines.front().x, 1e-6);
  EXPECT_NEAR(series->machines[4].machine.network.between.latency.value, 10e-6, 1e-12);
  EXPECT_DOUBLE_EQ(series->machines.back().x, 100e-6);
}

TEST(Changes, KnowTopologiesAndNetworks) {
  const auto torus = ChangesOf("topology=torus:4x4", {RoundNetwork()});
  ASSERT_TRUE(torus) << torus.error().message;
  EXPECT_EQ(torus->machines.front().machine.network.topology.kind, TopologyKind::kTorus);
  const auto other = ChangesOf("network=ethernet-1g", {RoundNetwork()});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->machines.front().machine.network.name, "ethernet-1g");
}

TEST(Changes, OfAPartHoldWhereverTheNetworkIsNamed) {
  for (const std::string_view text : {"topology=torus:4x4,network=ethernet-1g,ranks_per_node=2",
                                      "network=ethernet-1g,ranks_per_node=2,topology=torus:4x4"}) {
    const auto series = ChangesOf(text, {RoundNetwork()});
    ASSERT_TRUE(series) << series.error().message;
    const Network& network = series->machines.front().machine.network;
    EXPECT_EQ(network.name, "ethernet-1g");
    EXPECT_EQ(network.topology.kind, TopologyKind::kTorus);
    EXPECT_EQ(network.ranks_per_node, 2U);
  }
}

TEST(Changes, BetweenNodesAreRefusedIfThereIsOneNode) {
  Machine machine{RoundNetwork()};
  machine.one_node = true;
  machine.network.nodes = 1;
  for (const std::string_view wrong : {"topology=torus:4x4", "buses=1", "cpu=x2,links_in=1..4"}) {
    const auto series = ChangesOf(wrong, machine);
    ASSERT_FALSE(series) << wrong;
    EXPECT_TRUE(series.error().message.contains("all ranks are on one node"));
  }
  EXPECT_TRUE(ChangesOf("network=ethernet-1g,topology=torus:4x4", machine));
  const auto spread = ChangesOf("ranks_per_node=1,topology=torus:4x4", machine);
  ASSERT_TRUE(spread) << spread.error().message;
  EXPECT_EQ(spread->machines.front().machine.network.nodes, 0U);
}

TEST(Changes, RejectNonsense) {
  for (const std::string_view wrong : {"",
                                       "latency",
                                       "latency=",
                                       "latency=fast",
                                       "speed=2",
                                       "latency=5us..1us",
                                       "cpu=x0",
                                       "latency=1us..2us,bandwidth=x1..x2",
                                       "latency=x1..2us",
                                       "bandwidth=0GB/s",
                                       "cores=1.5",
                                       "topology=cube",
                                       "topology=torus",
                                       "network=nowhere",
                                       "latency=1year",
                                       "cpu=x1e30",
                                       "buses=x1e30",
                                       "cores=1e9",
                                       "ranks_per_node=0",
                                       "buses=x2"}) {
    const auto series = ChangesOf(wrong, {RoundNetwork()});
    ASSERT_FALSE(series) << wrong;
    EXPECT_EQ(series.error().kind, ErrorKind::kUsage) << wrong;
  }
}

// One way of k bytes by known parameters, so that the fit must return them.
std::string PerfectSurvey(double latency, double overhead, double bandwidth, int eager) {
  std::string text = "ranks 2 nodes 2 cores 4\n";
  for (int bytes : {0, 1, 4, 1024, 65536, 1 << 20}) {
    const double time =
        2 * overhead + latency + (bytes > eager ? 2 * latency : 0) + bytes / bandwidth;
    text += fmt::format("between time {} {:.12e} {:.12e} {:.12e}\n", bytes, time, time, time);
  }
  return text + fmt::format("between overhead {:.12e} {:.12e}\nbetween eager {}\nend\n", overhead,
                            overhead, eager);
}

TEST(NetworkSurvey, FindsTheParametersOfAPerfectNetwork) {
  const auto survey = ParseSurvey(PerfectSurvey(2e-6, 0.5e-6, 1e9, 4096));
  ASSERT_TRUE(survey) << survey.error().message;
  const auto network = NetworkOf(*survey, "perfect");
  ASSERT_TRUE(network);
  EXPECT_NEAR(network->between.latency.value, 2e-6, 1e-10);
  EXPECT_NEAR(network->between.overhead.value, 0.5e-6, 1e-10);
  EXPECT_NEAR(network->between.bandwidth.value, 1e9, 1e5);
  EXPECT_EQ(network->eager_limit, 4096U);
  EXPECT_EQ(network->cores, 4U);
  EXPECT_EQ(network->nodes, 0U);
}

TEST(NetworkSurvey, WhatLargeMessagesTakeBeyondTheirLatenciesIsTheHandshake) {
  // Latency 1 us, no overhead, 1 ns per byte; above 1,000 bytes two latencies and 3 us more.
  std::string text = "ranks 2 nodes 2 cores 4\n";
  for (const int bytes : {0, 100, 1000, 4000, 16000, 64000, 1 << 20, 1 << 22}) {
    const double time = 1e-6 + (bytes > 1000 ? 5e-6 : 0) + bytes * 1e-9;
    text += fmt::format("between time {} {:.12e} {:.12e} {:.12e}\n", bytes, time, time, time);
  }
  const auto survey = ParseSurvey(text + "between overhead 0 0\nbetween eager 1000\nend\n");
  ASSERT_TRUE(survey) << survey.error().message;
  const LinkCosts costs = CostsOf(survey->between);
  EXPECT_NEAR(costs.bandwidth.value, 1e9, 1e6);
  EXPECT_NEAR(costs.handshake.value, 3e-6, 0.1e-6);
}

TEST(NetworkSurvey, ABurstThatAShaperLetsThroughDoesNotDecide) {
  constexpr double kFull = 2e9;
  constexpr double kShaped = 12.5e6;
  constexpr int kBucket = 32 << 10;
  std::string text = "ranks 2 nodes 2 cores 4\n";
  for (int bytes = 1; bytes <= 4 << 20; bytes *= 4) {
    const double time =
        20e-6 + std::min(bytes, kBucket) / kFull + std::max(bytes - kBucket, 0) / kShaped;
    text += fmt::format("between time {} {:.12e} {:.12e} {:.12e}\n", bytes, time, time, time);
  }
  const auto survey =
      ParseSurvey(text + "between overhead 1e-6 1e-6\nbetween eager 4194304\nend\n");
  ASSERT_TRUE(survey) << survey.error().message;
  EXPECT_NEAR(CostsOf(survey->between).bandwidth.value, kShaped, 0.05 * kShaped);
}

TEST(NetworkSurvey, AHandOverIsWhatAMessageWithinACoreTakesBeyondItsOverheads) {
  std::string text = PerfectSurvey(2e-6, 0.5e-6, 1e9, 4096);
  text.erase(text.find("end\n"));
  text += "within time 0 2e-6 2e-6 2e-6\nwithin overhead 4e-7 4e-7\nwithin eager 4096\n";
  text += "shared time 0 2.5e-6 2.4e-6 3e-6\nslice 4e-3\nend\n";
  const auto survey = ParseSurvey(text);
  ASSERT_TRUE(survey) << survey.error().message;
  const auto network = NetworkOf(*survey, "shared");
  ASSERT_TRUE(network);
  EXPECT_NEAR(network->hand_over.value, 1.7e-6, 1e-12);
  EXPECT_NEAR(network->hand_over.high, 2.2e-6, 1e-12);
  EXPECT_NEAR(network->time_slice, 4e-3, 1e-12);
}

TEST(NetworkSurvey, RanksThatWaitOnTheCoreGiveTheHandOver) {
  // Two ranks: 2 overheads of 0.6 us and a hand-over of 0.8 us. Two more: a turn of each per round
  // trip, so one more hand-over per message.
  std::string text = PerfectSurvey(2e-6, 0.5e-6, 1e9, 4096);
  text.erase(text.find("end\n"));
  text += "within time 0 2e-6 2e-6 2e-6\nwithin overhead 4e-7 4e-7\nwithin eager 4096\n";
  text += "shared time 0 2e-6 2e-6 2e-6\ncrowd time 0 2.8e-6 2.7e-6 3e-6\ncrowded 4\nend\n";
  const auto survey = ParseSurvey(text);
  ASSERT_TRUE(survey) << survey.error().message;
  const auto network = NetworkOf(*survey, "shared");
  ASSERT_TRUE(network);
  EXPECT_NEAR(network->hand_over.value, 0.8e-6, 1e-12);
  EXPECT_NEAR(network->hand_over.high, 1e-6, 1e-12);
  EXPECT_NEAR(network->shared_overhead.value, 0.6e-6, 1e-12);
}

TEST(NetworkSurvey, IsRefusedAtEveryCut) {
  const std::string text = PerfectSurvey(2e-6, 0.5e-6, 1e9, 4096);
  for (std::size_t length = 0; length + 4 < text.size(); ++length) {
    EXPECT_FALSE(ParseSurvey(std::string_view(text).substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace tare::replay
