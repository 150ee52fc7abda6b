// signal_reader_test.cc: tests reading of sample rings that were filled by hand.
#include "measure/sample/signal_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "base/file.h"
#include "format/series_reader.h"
#include "tests/unit/measure/sample/counters_directory.h"
#include "tests/unit/measure/sample/synthetic_counters.h"

namespace tare::sample {
namespace {

using testing::ElementsAre;
using testing::Optional;

class SignalReaderTest : public CountersDirectory {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CountersDirectory::SetUp());
    auto mark = StartMark::Make();
    ASSERT_TRUE(mark);
    mark_.emplace(std::move(*mark));
    mark_->Set();
    start_ = *mark_->Get();
  }

  // A sample at `after_ns` after the start, with `more` added to the process's values at that time.
  std::vector<std::uint64_t> Sample(std::uint64_t after_ns, std::uint64_t more,
                                    std::vector<std::uint64_t> slots) const {
    const auto plus = [more](long before) { return static_cast<std::uint64_t>(before) + more; };
    std::vector<std::uint64_t> sample = {start_.time_ns + after_ns,
                                         start_.cpu_ns + more,
                                         plus(start_.use.ru_minflt),
                                         plus(start_.use.ru_majflt),
                                         plus(start_.use.ru_nvcsw),
                                         plus(start_.use.ru_nivcsw),
                                         50};
    sample.insert(sample.end(), slots.begin(), slots.end());
    return sample;
  }

  std::vector<format::SeriesRecord> Take(const MetricSelection& selection, std::uint64_t end_ns,
                                         std::span<const SignalEvent> events = {}) {
    std::vector<format::SeriesRecord> records;
    const auto file = directory_->path() / "series";
    format::SeriesHead head;
    head.clock = "ns";
    AddSignalChannels(selection, events, head);
    auto writer = format::SeriesWriter::Create(file, head);
    EXPECT_TRUE(writer);
    if (!writer) return records;
    TimerPace pace({.interval_ns = kMs});
    SoftwareSource software(counters_, kProgram, CounterScope::kProgram, selection);
    auto reader = SignalReader::Start(*mark_, software, selection, events.size(), pace, *writer);
    EXPECT_TRUE(reader);
    if (!reader) return records;
    (*reader)->Stop();
    (*reader)->TakeEnd(end_ns);
    handler_ns_ = (*reader)->HandlerNs();
    lost_ = (*reader)->LostSamples();
    EXPECT_TRUE(writer->Close({}));
    auto series = format::SeriesReader::Open(file);
    EXPECT_TRUE(series);
    if (!series) return records;
    format::ForEachRecord(*series,
                          [&](const format::SeriesRecord& record) { records.push_back(record); });
    head_ = series->Head();
    return records;
  }

  std::optional<StartMark> mark_;
  StartValues start_;
  format::SeriesHead head_;
  std::uint64_t handler_ns_ = 0;
  std::uint64_t lost_ = 0;
};

TEST_F(SignalReaderTest, MakesRecordsOfSamples) {
  WriteCounters(counters_ / "4711.0",
                {.process = kProgram,
                 .text = "metric\tmine\tcount\t0\nmetric\tleast\tminimum\t1\n",
                 .banks = {{9, ~std::uint64_t{3}}},
                 .samples = {Sample(kMs, 5, {2, 0}), Sample(2 * kMs, 6, {8, ~std::uint64_t{4}})},
                 .samples_lost = 3,
                 .sampling_ns = 1234});
  const auto records = Take(MetricSelection({"cpu-time", "m*", "least*"}), 3 * kMs);
  ASSERT_EQ(records.size(), 4U);
  ASSERT_EQ(head_.channels.size(), 6U);
  EXPECT_EQ(head_.channels[0].name, "cpu-time");
  EXPECT_EQ(head_.channels[3].name, "most-resident-memory");
  EXPECT_EQ(head_.channels[4].name, "mine");
  EXPECT_EQ(head_.channels[5].name, "least (minimum)");
  EXPECT_EQ(records[0].time, 0U);
  EXPECT_EQ(records[1].time, kMs);
  EXPECT_EQ(records[1].values[0], 5) << "what the process had before is taken off";
  EXPECT_EQ(records[1].values[1], 5);
  EXPECT_EQ(records[1].values[3], 50 * 1024);
  EXPECT_EQ(records[1].values[4], 2);
  EXPECT_EQ(records[1].values[5], std::nullopt);
  EXPECT_EQ(records[2].values[4], 8);
  EXPECT_EQ(records[2].values[5], 4);
  EXPECT_EQ(records[3].time, 3 * kMs);
  EXPECT_EQ(records[3].values[4], 9) << "the last record is what the counters hold";
  EXPECT_EQ(records[3].values[5], 3);
  EXPECT_EQ(handler_ns_, 1234U);
  EXPECT_EQ(lost_, 3U);
}

TEST_F(SignalReaderTest, HasNoRecordsOfAProgramWithoutARing) {
  WriteCounters(
      counters_ / "4711.0",
      {.process = kProgram, .text = "metric\tmine\tcount\t0\n", .banks = {{10}}, .samples = {}});
  const auto records = Take(MetricSelection({"mine"}), 2 * kMs);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].values[0], 10);
}

TEST_F(SignalReaderTest, EventsFollowTheCountersOfASample) {
  WriteCounters(counters_ / "4711.0", {.process = kProgram,
                                       .text = "metric\tmine\tcount\t0\n",
                                       .banks = {{9}},
                                       .samples = {Sample(kMs, 5, {2, 100, TARE_SAMPLE_NO_EVENT}),
                                                   Sample(2 * kMs, 6, {8, 150, 7})}});
  const std::array events = {SignalEvent{"cycles", "hardware", {}},
                             SignalEvent{"l1d-misses", "event", {}}};
  const auto records = Take(MetricSelection({"mine", "cpu-time"}), 3 * kMs, events);
  ASSERT_EQ(records.size(), 4U);
  ASSERT_EQ(head_.channels.size(), 4U);
  EXPECT_EQ(head_.channels[1].name, "cycles");
  EXPECT_EQ(head_.channels[1].group, "hardware");
  EXPECT_EQ(head_.channels[2].name, "l1d-misses");
  EXPECT_EQ(records[1].values[1], 100);
  EXPECT_EQ(records[1].values[2], std::nullopt);
  EXPECT_EQ(records[1].values[3], 2);
  EXPECT_EQ(records[2].values[1], 150);
  EXPECT_EQ(records[2].values[2], 7);
}

TEST_F(SignalReaderTest, EventsThatAreMissingAreAbsentWithTheirReason) {
  EventSelection selection;
  selection.hardware.resize(2);
  selection.hardware[0].row.metric = "cycles";
  selection.hardware[0].event = pmu::ProgramEvent{.name = "cycles", .code = {}};
  selection.hardware[1].row.metric = "loads";
  selection.hardware[1].absence = "no counter";
  const std::vector<pmu::ProgramEvent> requested = {
      {.name = "cycles", .code = {}},
      {.name = "minor-faults", .code = {}, .event_class = pmu::EventClass::kSoftware},
      {.name = "page-faults", .code = {}, .event_class = pmu::EventClass::kSoftware},
      {.name = "dtlb-misses", .code = {}, .absence = "none here"}};
  std::vector<format::AbsentChannel> absent;
  const auto events = SignalEvents(selection, requested, MetricSelection(), absent);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "cycles");
  EXPECT_EQ(events[1].name, "page-faults");
  EXPECT_TRUE(events[1].code.kernel);
  ASSERT_EQ(absent.size(), 2U);
  EXPECT_EQ(absent[0].name, "loads");
  EXPECT_EQ(absent[1].reason, "none here");
}

TEST_F(SignalReaderTest, SaysWhatOnlyAnObserverHas) {
  format::SeriesHead head;
  AddSignalChannels(MetricSelection(), {}, head);
  EXPECT_EQ(head.channels.size(), 6U);
  bool threads = false;
  for (const format::AbsentChannel& absent : head.absent) {
    threads = threads || absent.name == "threads";
    EXPECT_THAT(absent.reason, testing::HasSubstr("--sampler observer"));
  }
  EXPECT_TRUE(threads);
}

TEST_F(SignalReaderTest, RequestsSamplesByAFile) {
  pmu::EventCode code;
  code.type = 1;
  code.config = 2;
  code.kernel = true;
  const std::array events = {SignalEvent{"page-faults", "event", code}};
  ASSERT_TRUE(WriteSampleRequest(counters_, 5 * kMs, events));
  const auto bytes = ReadFile(counters_ / TARE_RUN_REQUEST, 4096);
  ASSERT_TRUE(bytes);
  ASSERT_EQ(bytes->size(), sizeof(tare_counters_request));
  tare_counters_request request{};
  std::memcpy(&request, bytes->data(), sizeof request);
  EXPECT_EQ(request.version, TARE_COUNTERS_VERSION);
  EXPECT_EQ(request.sample_interval_ns, 5 * kMs);
  EXPECT_GT(request.samples_room, 0U);
  EXPECT_EQ(request.sample_events, 1U);
  EXPECT_EQ(request.events[0].type, 1U);
  EXPECT_EQ(request.events[0].config, 2U);
  EXPECT_EQ(request.events[0].with_kernel, 1U);
}

}  // namespace
}  // namespace tare::sample
