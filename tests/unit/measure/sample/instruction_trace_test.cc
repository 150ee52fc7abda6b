// instruction_trace_test.cc: tests traces whose time axis is the program's instruction count.
#include "measure/sample/instruction_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/private_directory.h"
#include "format/series_reader.h"
#include "measure/engine/engine_run.h"
#include "model/core/processor_file.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::sample {
namespace {

using testing::HasSubstr;

constexpr const char* kProcessor = R"(
version = 1
name = "small"
about = "for tests"
source = "made up"
[l1i]
bytes = "4KiB"
ways = 2
[l1d]
bytes = "4KiB"
ways = 2
[l2]
bytes = "64KiB"
ways = 4
)";

class InstructionTraceTest : public testing::Test {
 protected:
  void SetUp() override {
    request_.engines = host::FindEngineFiles(std::filesystem::path(TARE_BINARY_DIR) / "tare",
                                             host::EngineSearch{});
    if (const auto can = engine::CanRun(engine::Engine::kVirtual, request_.engines); !can) {
      GTEST_SKIP() << can.error().message;
    }
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    auto processor = model::ParseProcessor(kProcessor, "test");
    ASSERT_TRUE(processor) << processor.error().message;
    request_.processor = *processor;
    request_.sampler = Sampler::kInstructions;
    request_.setting = run::Captured();
    request_.file = directory_->path() / "series";
  }

  Result<TraceRun> Trace(std::string_view line) {
    request_.program = run::TestProgram(line);
    return TraceProgram(request_);
  }

  std::vector<format::SeriesRecord> Records() {
    std::vector<format::SeriesRecord> records;
    auto reader = format::SeriesReader::Open(request_.file);
    EXPECT_TRUE(reader);
    if (!reader) return records;
    format::ForEachRecord(*reader,
                          [&](const format::SeriesRecord& record) { records.push_back(record); });
    head_ = reader->Head();
    EXPECT_TRUE(reader->Outcome().complete) << reader->Outcome().reason;
    return records;
  }

  std::size_t Column(const std::string& name) const {
    for (std::size_t i = 0; i < head_.channels.size(); ++i) {
      if (head_.channels[i].name == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  std::optional<PrivateDirectory> directory_;
  TraceRequest request_;
  format::SeriesHead head_;
};

TEST_F(InstructionTraceTest, TakesARecordWheneverSoManyInstructionsHaveRun) {
  request_.pace.interval_ns = 10'000;
  const auto run = Trace("count_loops");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->file_error);
  const auto records = Records();
  ASSERT_GE(records.size(), 10U);
  EXPECT_EQ(head_.clock, "instructions");
  EXPECT_EQ(head_.interval, 10'000U);
  EXPECT_EQ(records.front().time, 0U);
  const std::size_t instructions = Column("instructions");
  for (std::size_t i = 1; i + 1 < records.size(); ++i) {
    EXPECT_EQ(records[i].time / 10'000, i);
    EXPECT_LT(records[i].time % 10'000, 500U);  // at most one superblock
    EXPECT_EQ(static_cast<std::uint64_t>(*records[i].values[instructions]), records[i].time);
  }
}

TEST_F(InstructionTraceTest, TwoRunsGiveTheSameFile) {
  request_.pace.interval_ns = 5'000;
  ASSERT_TRUE(Trace("count_loops"));
  const auto first = ReadFile(request_.file, 1 << 24);
  ASSERT_TRUE(Trace("count_loops"));
  const auto second = ReadFile(request_.file, 1 << 24);
  ASSERT_TRUE(first && second);
  EXPECT_GT(first->size(), 100U);
  EXPECT_EQ(*first, *second);
}

TEST_F(InstructionTraceTest, WhatHasNoModelIsAbsent) {
  ASSERT_TRUE(Trace("count_loops"));
  Records();
  std::vector<std::string> absent;
  for (const format::AbsentChannel& channel : head_.absent) absent.push_back(channel.name);
  EXPECT_THAT(absent, testing::Contains("l3-misses"));
  EXPECT_THAT(absent, testing::Contains("mispredictions"));
  EXPECT_THAT(absent, testing::Not(testing::Contains("l2-misses")));
}

TEST_F(InstructionTraceTest, ThinsToTheRecordsWanted) {
  request_.pace.records = 20;
  request_.pace.finest_ns = 1'000;
  ASSERT_TRUE(Trace("count_loops"));
  const auto records = Records();
  EXPECT_GE(records.size(), 20U);
  EXPECT_LE(records.size(), 42U);
  EXPECT_EQ(head_.interval % 1'000, 0U);
  EXPECT_GT(head_.interval, 1'000U);
}

TEST_F(InstructionTraceTest, AnUnknownMetricIsRefusedBeforeTheProgramRuns) {
  request_.selection = MetricSelection({"l1d-mises"});
  const auto run = Trace("count_loops");
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("l1d-misses"));
}

}  // namespace
}  // namespace tare::sample
