// software_channels_test.cc: tests names, selections, and merging the counters of many files.
#include "measure/sample/software_channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tare::sample {
namespace {

using format::SlotKind;
using format::SlotMetric;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;
using testing::SizeIs;

SlotMetric Metric(std::string name, std::uint64_t slot, SlotKind kind = SlotKind::kCount) {
  SlotMetric metric;
  metric.name = std::move(name);
  metric.kind = kind;
  metric.slot = slot;
  return metric;
}

SlotMetric Function(std::string name, std::uint64_t slot) {
  SlotMetric metric = Metric(std::move(name), slot);
  metric.is_function = true;
  return metric;
}

SoftwareChannels::Module Module(const std::vector<SlotMetric>& metrics) {
  return {.process = 1, .metrics = metrics, .entries = {}};
}

std::vector<std::string> NamesOf(const SoftwareChannels& channels) {
  std::vector<std::string> names;
  for (const format::Channel& channel : channels.Channels()) names.push_back(channel.name);
  return names;
}

// Slots of files by [file][slot].
using Slots = std::vector<std::map<std::uint64_t, std::uint64_t>>;

std::vector<std::optional<std::int64_t>> Read(const SoftwareChannels& channels,
                                              const Slots& slots) {
  std::vector<std::optional<std::int64_t>> values(channels.Channels().size());
  channels.Read(
      [&](std::size_t file, std::uint64_t slot, SlotKind) { return slots.at(file).at(slot); },
      values);
  return values;
}

TEST(ChannelName, StatesWhatIsCounted) {
  EXPECT_EQ(ChannelName(Metric("mallocs", 0)), "mallocs");
  EXPECT_EQ(ChannelName(Metric("mallocs", 0, SlotKind::kSum)), "mallocs (sum)");
  EXPECT_EQ(ChannelName(Metric("mallocs", 0, SlotKind::kMinimum)), "mallocs (minimum)");
  EXPECT_EQ(ChannelName(Metric("mallocs", 0, SlotKind::kMaximum)), "mallocs (maximum)");
  EXPECT_EQ(ChannelName(Function("main", 0)), "calls of main");
}

TEST(SoftwareChannels, AddUpOverModulesAndProcesses) {
  SoftwareChannels channels{MetricSelection()};
  const std::vector<SlotMetric> program = {Metric("a", 3), Metric("b", 4)};
  const std::vector<SlotMetric> library = {Metric("b", 0), Metric("c", 1)};
  EXPECT_TRUE(channels.Add(Module(program)));
  EXPECT_TRUE(channels.Add(Module(library)));
  EXPECT_FALSE(channels.Add(Module(program))) << "a forked process brings no new names";
  EXPECT_THAT(NamesOf(channels), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Read(channels, {{{3, 1}, {4, 20}}, {{0, 300}, {1, 7}}, {{3, 5}, {4, 4000}}}),
              ElementsAre(Optional(6), Optional(4320), Optional(7)));
}

TEST(SoftwareChannels, AddUpWithinOneModule) {
  SoftwareChannels channels{MetricSelection()};
  // The same metric in two translation units.
  const std::vector<SlotMetric> metrics = {Metric("a", 0), Metric("a", 9)};
  channels.Add(Module(metrics));
  EXPECT_THAT(Read(channels, {{{0, 40}, {9, 2}}}), ElementsAre(Optional(42)));
}

TEST(SoftwareChannels, CountAFunctionAtItsEntryOrAtItsSitesButNotAtBoth) {
  SlotMetric at_sites = Metric("f", 0);
  at_sites.site = "f";
  const std::vector<SlotMetric> program = {at_sites};
  const std::vector<SlotMetric> library = {Metric("f", 5)};
  const std::vector<format::EntryMetric> entries = {{"f", "f"}};
  // The library comes second; a process without it keeps the call sites.
  SoftwareChannels channels{MetricSelection()};
  channels.Add({.process = 1, .metrics = program, .entries = {}});
  channels.Add({.process = 1, .metrics = library, .entries = entries});
  channels.Add({.process = 2, .metrics = program, .entries = {}});
  EXPECT_THAT(Read(channels, {{{0, 1}}, {{5, 20}}, {{0, 300}}}), ElementsAre(Optional(320)));
  // The library comes first.
  SoftwareChannels other{MetricSelection()};
  other.Add({.process = 1, .metrics = library, .entries = entries});
  other.Add({.process = 1, .metrics = program, .entries = {}});
  EXPECT_THAT(Read(other, {{{5, 20}}, {{0, 1}}}), ElementsAre(Optional(20)));
}

TEST(SoftwareChannels, CombineExtremes) {
  SoftwareChannels channels{MetricSelection()};
  const std::vector<SlotMetric> metrics = {Metric("size", 0, SlotKind::kMinimum),
                                           Metric("size", 1, SlotKind::kMaximum)};
  channels.Add(Module(metrics));
  channels.Add(Module(metrics));
  channels.Add(Module(metrics));
  for (const format::Channel& channel : channels.Channels()) {
    EXPECT_EQ(channel.kind, format::ChannelKind::kLevel);
  }
  // Minima are stored as their complement; the third file has no values.
  EXPECT_THAT(Read(channels, {{{0, ~std::uint64_t{16}}, {1, 90}},
                              {{0, ~std::uint64_t{8}}, {1, 50}},
                              {{0, 0}, {1, 0}}}),
              ElementsAre(Optional(8), Optional(90)));
}

TEST(SoftwareChannels, HaveNoExtremesOfNothing) {
  SoftwareChannels channels{MetricSelection()};
  const std::vector<SlotMetric> metrics = {Metric("size", 0, SlotKind::kMinimum)};
  channels.Add(Module(metrics));
  EXPECT_THAT(Read(channels, {{{0, 0}}}), ElementsAre(std::nullopt));
}

TEST(SoftwareChannels, LeaveOutANameWithAnotherMeaning) {
  SoftwareChannels channels{MetricSelection()};
  const std::vector<SlotMetric> first = {Metric("x (sum)", 0)};
  const std::vector<SlotMetric> second = {Metric("x", 0, SlotKind::kSum)};
  channels.Add(Module(first));
  channels.Add(Module(second));
  EXPECT_THAT(Read(channels, {{{0, 1}}, {{0, 100}}}), ElementsAre(Optional(1)));
}

TEST(SoftwareChannels, AreThoseThatWereChosen) {
  SoftwareChannels channels{MetricSelection({"malloc*", "calls of ?"})};
  const std::vector<SlotMetric> metrics = {Metric("mallocs", 0), Metric("frees", 1),
                                           Metric("mallocs", 2, SlotKind::kSum), Function("f", 3),
                                           Function("fg", 4)};
  channels.Add(Module(metrics));
  EXPECT_THAT(NamesOf(channels), ElementsAre("mallocs", "mallocs (sum)", "calls of f"));
}

TEST(SoftwareChannels, SayWhichFunctionsWereTooMany) {
  std::vector<SlotMetric> metrics;
  const std::size_t all = SoftwareChannels::kMaxFunctions + 20;
  for (std::size_t i = 0; i < all; ++i) metrics.push_back(Function("f" + std::to_string(i), i));
  metrics.push_back(Metric("named", all));
  SoftwareChannels few{MetricSelection()};
  few.Add(Module(metrics));
  EXPECT_THAT(few.Channels(), SizeIs(SoftwareChannels::kMaxFunctions + 1));
  ASSERT_THAT(few.Absent(), SizeIs(1));
  EXPECT_EQ(few.Absent().front().name, "calls of 20 more functions");
  EXPECT_THAT(few.Absent().front().reason, HasSubstr("--metric"));

  SoftwareChannels every{MetricSelection({"calls of *"})};
  every.Add(Module(metrics));
  EXPECT_THAT(every.Channels(), SizeIs(all));
  EXPECT_THAT(every.Absent(), SizeIs(0));
}

TEST(SoftwareChannels, AddUpHistogramsApart) {
  SoftwareChannels channels{MetricSelection()};
  const std::vector<SlotMetric> metrics = {Metric("size", 100, SlotKind::kHistogram)};
  EXPECT_FALSE(channels.Add(Module(metrics))) << "a histogram is no channel";
  channels.Add(Module(metrics));
  const auto histograms =
      channels.Histograms([](std::size_t file, std::uint64_t slot, SlotKind) -> std::uint64_t {
        if (slot == 103) return file + 1;
        return slot == 164 ? 5 : 0;
      });
  ASSERT_TRUE(histograms.contains("size"));
  const Histogram& histogram = histograms.at("size");
  ASSERT_EQ(histogram.size(), kHistogramBuckets);
  EXPECT_EQ(histogram[3], 3U);
  EXPECT_EQ(histogram[64], 10U);
  EXPECT_EQ(histogram[4], 0U);
}

TEST(MetricSelection, NamesWhatMatchesNothing) {
  const MetricSelection selection({"cpu-*", "nothing*"});
  const std::vector<std::string> names = {"cpu-time", "threads"};
  EXPECT_THAT(selection.Unmatched(names), ElementsAre("nothing*"));
  EXPECT_TRUE(selection.Wants("cpu-time"));
  EXPECT_FALSE(selection.Wants("threads"));
  EXPECT_TRUE(MetricSelection().Wants("threads"));
}

}  // namespace
}  // namespace tare::sample
