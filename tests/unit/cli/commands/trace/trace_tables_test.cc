// trace_tables_test.cc: tests when the summary of a trace says what children used.
#include "cli/commands/trace/trace_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/private_directory.h"
#include "format/series_writer.h"
#include "measure/sample/trace_facts.h"

namespace tare::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

struct CpuTime {
  std::string source = "perf_event_open";
  std::int64_t threads = 1;
  std::uint64_t dropped = 0;
};

// The summary of a program that used 10 ms of 100 ms of processor time.
std::string SummaryOf(const CpuTime& time) {
  const auto directory = PrivateDirectory::Make();
  EXPECT_TRUE(directory);
  const auto path = directory->path() / "run.series";
  format::SeriesHead head;
  head.interval = 1'000'000;
  head.clock = "ns";
  head.channels = {{"threads", "kernel", "", "/proc/PID/stat", format::ChannelKind::kLevel},
                   {"cpu-time", "kernel", "ns", time.source}};
  sample::StartFacts start;
  start.program = "make";
  start.sampler = "observer";
  head.facts = sample::ToFacts(start);
  auto writer = format::SeriesWriter::Create(path, head);
  EXPECT_TRUE(writer);
  using Values = std::vector<std::optional<std::int64_t>>;
  writer->Append(0, Values{std::nullopt, 0});
  writer->Append(1'000'000, Values{1, 1'000'000});
  writer->Append(50'000'000, Values{time.threads, 5'000'000});
  writer->Append(100'000'000, Values{std::nullopt, 10'000'000});
  sample::EndFacts facts;
  facts.exit_status = 0;
  facts.program_cpu_ns = 100'000'000;
  format::SeriesEnd end;
  end.interval = head.interval;
  end.dropped = time.dropped;
  end.facts = sample::ToFacts(facts);
  EXPECT_TRUE(writer->Close(end));
  report::Document document;
  EXPECT_TRUE(ShowTrace(path, TraceView(), document));
  for (const report::Block& block : document.blocks) {
    const auto* text = std::get_if<report::Text>(&block);
    if (text != nullptr && text->id == "summary") return text->text;
  }
  return "";
}

TEST(TraceSummary, SaysWhatChildrenUsed) {
  EXPECT_THAT(SummaryOf({}), HasSubstr("Its children used 90 ms of 100 ms of processor time"));
}

TEST(TraceSummary, AClockThatIsNotReadAtTheEndSaysNothingAboutChildren) {
  EXPECT_THAT(SummaryOf({.source = "clock_gettime"}), Not(HasSubstr("children")));
}

TEST(TraceSummary, OtherThreadsAreNotTakenForChildren) {
  EXPECT_THAT(SummaryOf({.threads = 4}), Not(HasSubstr("children")));
}

TEST(TraceSummary, ALostLastRecordSaysNothingAboutChildren) {
  EXPECT_THAT(SummaryOf({.dropped = 3}), Not(HasSubstr("children")));
}

}  // namespace
}  // namespace tare::cli
