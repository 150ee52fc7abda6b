// event_export_test.cc: exports of event traces, read back by programs that are not ours.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "format/event_writer.h"
#include "measure/events/chrome_trace.h"
#include "measure/events/event_otf2.h"
#include "measure/events/print_trace.h"
#include "measure/events/trace_summary.h"
#include "tests/unit/measure/run/test_programs.h"

namespace tare::events {
namespace {

using format::TimedKind;

bool HasTool(const std::string& tool) {
  return std::system(("command -v " + tool + " > /dev/null 2>&1").c_str()) == 0;
}

// What a shell line prints; its failure fails the test.
std::string PrintedBy(const std::string& line) {
  std::string output;
  FILE* const pipe = ::popen((line + " 2>&1").c_str(), "r");
  char bytes[4096];
  while (const std::size_t got = std::fread(bytes, 1, sizeof bytes, pipe))
    output.append(bytes, got);
  EXPECT_EQ(::pclose(pipe), 0) << line << "\n" << output;
  return output;
}

std::size_t CountOf(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

// This tare was built without OTF2.
bool IsAbsent(const Result<std::uint64_t>& written) {
  return !written && written.error().kind == ErrorKind::kUnsupported;
}

constexpr char kOddName[] = "odd \"\\</script>\n\x1b\xff";

// Two threads: a span with one inside, an event and a negative value; a span without an end.
void WriteSpans(const std::string& path) {
  format::EventTraceHead head;
  head.program = "/bin/work";
  head.span_cost = {100, 90, 110};
  head.inner_cost = {40, 35, 45};
  head.event_cost = {10, 9, 11};
  auto writer = format::EventTraceWriter::Create(path, head);
  ASSERT_TRUE(writer);
  writer->tables().threads = {{7, 7, 0}, {7, 8, 0}};
  writer->tables().sites = {{format::SiteKind::kSpan, "outer", "a.c", 1},
                            {format::SiteKind::kSpan, kOddName, "a.c", 2},
                            {format::SiteKind::kEvent, "hit", "a.c", 3},
                            {format::SiteKind::kValue, "depth", "a.c", 4}};
  writer->AddTimed({TimedKind::kBegin, true, 0, 0, 1'000, 0});
  writer->AddTimed({TimedKind::kBegin, true, 1, 0, 2'000, 0});
  writer->AddTimed({TimedKind::kEvent, true, 2, 0, 2'500, 0});
  writer->AddTimed({TimedKind::kValue, true, 3, 0, 2'600, static_cast<std::uint64_t>(-12)});
  writer->AddTimed({TimedKind::kEnd, true, 1, 0, 5'000, 0});
  writer->AddTimed({TimedKind::kEnd, true, 0, 0, 9'000, 0});
  writer->AddTimed({TimedKind::kBegin, true, 0, 1, 3'000, 0});
  writer->AddTimed({TimedKind::kEvent, true, 2, 1, 4'000, 0});
  ASSERT_TRUE(writer->Close({}));
}

// Blocks of two functions in turn: 3 runs of 4 instructions.
void WriteBlocks(const std::string& path) {
  auto writer = format::EventTraceWriter::Create(path, {});
  ASSERT_TRUE(writer);
  format::TraceBlock block;
  block.code_bytes = 16;
  block.instructions = 4;
  for (const std::uint64_t address : {0x1000u, 0x2000u}) {
    block.address = address;
    writer->tables().blocks.push_back(block);
  }
  writer->tables().threads = {{7, 1, 0}};
  writer->tables().functions = {{"first", "/bin/x"}, {"second", "/bin/x"}};
  writer->tables().block_functions = {0, 1};
  writer->AddMark(format::MarkKind::kThread, 0);
  for (const std::uint32_t number : {0u, 1u, 0u}) writer->AddBlock(number, {});
  ASSERT_TRUE(writer->Close({}));
}

class EventExport : public testing::Test {
 protected:
  std::string At(const std::string& name) const { return directory_.Path(name); }
  run::TemporaryDirectory directory_;
};

// Prints phase, name, time and thread of each event, after checks that a viewer relies on.
constexpr char kReadChrome[] = R"(
import json, sys
with open(sys.argv[1], encoding='utf-8') as file:
    trace = json.load(file)
stacks = {}
for event in trace['traceEvents']:
    key = event['pid'], event['tid']
    stack = stacks.setdefault(key, [])
    if event['ph'] == 'B': stack.append((event['name'], event['ts']))
    if event['ph'] == 'E':
        name, begin = stack.pop()
        assert name == event['name'] and begin <= event['ts'], event
    print(event['ph'], ascii(event['name']), event['ts'], event['tid'], event.get('args', {}).get('value', ''))
assert not any(stacks.values()), stacks
)";

// A page fault beside an event of the source: an instant with its value, and no cost.
TEST_F(EventExport, OfTheSystemAreInstantsAndPrintedWithTheirAddress) {
  format::EventTraceHead head;
  head.event_cost = {10, 9, 11};
  const std::string path = directory_.Path("system");
  auto writer = format::EventTraceWriter::Create(path, head);
  ASSERT_TRUE(writer);
  writer->tables().threads = {{7, 7, 0}, {7, 7, 0}};
  writer->tables().sites = {{format::SiteKind::kEvent, "hit", "a.c", 3},
                            {format::SiteKind::kSystem, "page-fault", "", 0},
                            {format::SiteKind::kSystem, "switch-in", "", 0},
                            {format::SiteKind::kSystem, "disk-read", "not granted", 0}};
  writer->AddTimed({TimedKind::kEvent, true, 0, 0, 1'000, 0});
  writer->AddTimed({TimedKind::kValue, true, 1, 1, 2'000, 0x7000});
  ASSERT_TRUE(writer->Close({}));
  const auto written = WriteChromeTrace(path, directory_.Path("json"), true);
  ASSERT_TRUE(written) << written.error().message;
  const std::string json = directory_.Read("json");
  EXPECT_EQ(CountOf(json, R"("ph": "i")"), 2u) << json;
  EXPECT_EQ(CountOf(json, R"("args": {"value": 28672})"), 1u) << json;
  EXPECT_EQ(CountOf(json, R"("ts": 2.000)"), 1u) << json;
  const auto printed = PrintEvents(path, 10, "page");
  ASSERT_TRUE(printed);
  ASSERT_EQ(printed->size(), 1u);
  EXPECT_EQ(printed->front().event, "page-fault 0x7000 at 0.000002000 s");
  const auto summary = Summarize(path, 0.95);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->of_system, 1u);
  EXPECT_EQ(summary->threads, 1u);
  ASSERT_EQ(summary->sites.size(), 4u);  // also those that did not happen
  for (const SiteTotals& site : summary->sites)
    EXPECT_EQ(site.absent, site.name == "disk-read" ? "not granted" : "");
}

TEST_F(EventExport, ChromeTraceIsReadByPython) {
  if (!HasTool("python3")) GTEST_SKIP() << "python3 is not installed";
  WriteSpans(At("x.events"));
  const auto written = WriteChromeTrace(At("x.events"), At("x.json"), false);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(*written, 9u);  // the open span gets an end
  directory_.Write("read.py", kReadChrome);
  const std::string text = PrintedBy("python3 " + At("read.py") + " " + At("x.json"));
  EXPECT_EQ(CountOf(text, "\n"), 9u) << text;
  EXPECT_NE(text.find("B 'outer' 1.0 7 \n"), std::string::npos) << text;
  EXPECT_NE(text.find("i 'hit' 2.5 7 \n"), std::string::npos) << text;
  EXPECT_NE(text.find("C 'depth' 2.6 7 -12\n"), std::string::npos) << text;
  EXPECT_NE(text.find("E 'outer' 9.0 7 \n"), std::string::npos) << text;
  EXPECT_NE(text.find("E 'outer' 4.0 8 \n"), std::string::npos) << text;
  EXPECT_NE(text.find(R"(odd "\\</script>\n\x1b)"), std::string::npos) << text;
}

TEST_F(EventExport, WithTheCostTakenOutIsReadByPython) {
  if (!HasTool("python3")) GTEST_SKIP() << "python3 is not installed";
  WriteSpans(At("x.events"));
  ASSERT_TRUE(WriteChromeTrace(At("x.events"), At("x.json"), true));
  directory_.Write("read.py", kReadChrome);
  const std::string text = PrintedBy("python3 " + At("read.py") + " " + At("x.json"));
  // Four events and values precede the end: half a span's cost twice, an event's twice; then the
  // inner end.
  EXPECT_NE(text.find("E 'outer' 8.83 7 \n"), std::string::npos) << text;
}

TEST_F(EventExport, OfBlocksIsReadByPython) {
  if (!HasTool("python3")) GTEST_SKIP() << "python3 is not installed";
  WriteBlocks(At("x.events"));
  ASSERT_TRUE(WriteChromeTrace(At("x.events"), At("x.json"), false));
  directory_.Write("read.py", kReadChrome);
  const std::string text = PrintedBy("python3 " + At("read.py") + " " + At("x.json"));
  EXPECT_NE(text.find("B 'second' 0.004 1 \n"), std::string::npos) << text;
  EXPECT_NE(text.find("E 'first' 0.012 1 \n"), std::string::npos) << text;
}

TEST_F(EventExport, Otf2IsReadByOtf2Print) {
  if (!HasTool("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  WriteSpans(At("x.events"));
  const auto written = WriteEventsOtf2(At("x.events"), At("otf2"), false);
  if (IsAbsent(written)) GTEST_SKIP() << written.error().message;
  ASSERT_TRUE(written) << written.error().message;
  // Spans, events and values are regions: 6 enters and 6 leaves, and a parameter.
  EXPECT_EQ(*written, 13u);
  const std::string text = PrintedBy("otf2-print " + At("otf2/traces.otf2"));
  EXPECT_EQ(CountOf(text, "\nENTER "), 6u) << text;
  EXPECT_EQ(CountOf(text, "\nLEAVE "), 6u) << text;
  EXPECT_EQ(CountOf(text, "\nPARAMETER_INT64 "), 1u) << text;
  EXPECT_NE(text.find("Value: -12"), std::string::npos) << text;
  EXPECT_NE(text.find("\"outer\""), std::string::npos) << text;
  const std::string definitions = PrintedBy("otf2-print -G " + At("otf2/traces.otf2"));
  EXPECT_NE(definitions.find("Thread 8"), std::string::npos) << definitions;
  EXPECT_NE(definitions.find("work 7"), std::string::npos) << definitions;
}

TEST_F(EventExport, Otf2OfBlocksIsReadByOtf2Print) {
  if (!HasTool("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  WriteBlocks(At("x.events"));
  const auto written = WriteEventsOtf2(At("x.events"), At("otf2"), false);
  if (IsAbsent(written)) GTEST_SKIP() << written.error().message;
  ASSERT_TRUE(written) << written.error().message;
  const std::string text = PrintedBy("otf2-print " + At("otf2/traces.otf2"));
  EXPECT_EQ(CountOf(text, "\nENTER "), 3u) << text;
  EXPECT_EQ(CountOf(text, "\"second\""), 2u) << text;
}

TEST_F(EventExport, DoesNotReplaceAnArchive) {
  WriteBlocks(At("x.events"));
  const auto written = WriteEventsOtf2(At("x.events"), At("otf2"), false);
  if (IsAbsent(written)) GTEST_SKIP() << written.error().message;
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_FALSE(WriteEventsOtf2(At("x.events"), At("otf2"), false));
}

}  // namespace
}  // namespace tare::events
