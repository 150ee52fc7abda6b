// observations_test.cc: tests reading of count files, joined by program.
#include "analysis/explain/observations.h"

#include <gtest/gtest.h>

#include <string>

#include "report/json.h"

namespace tare::explain {
namespace {

std::string Complaint(std::string_view text) {
  ObservationReader reader;
  const auto read = reader.Add(text, "counts.csv");
  return read ? "" : read.error().message;
}

report::Document Counted(const std::string& program, const std::string& machine) {
  report::Document document;
  document.version = "0";
  document.command = "count";
  document.provenance.machine = machine;
  document.provenance.command_line = {"tare", "count", "--", program};
  const auto absent = Absent("no counter here");
  document.blocks.emplace_back(report::Table{
      "counts",
      "",
      {{"engine"}, {"runs"}, {"instructions"}, {"rep_instructions"}, {"rep_iterations"}},
      {{std::string("hardware"), Number{std::int64_t{1}}, Exact(1042), absent, absent},
       {std::string("kernel"), Number{std::int64_t{1}}, absent, absent, absent},
       {std::string("qemu"), Number{std::int64_t{2}}, Exact(1000), Exact(3), Exact(45)}}});
  document.blocks.emplace_back(report::Table{
      "events",
      "",
      {{"engine"}, {"event"}, {"count"}},
      {{std::string("kernel"), std::string("task-clock"), WithUnit("ns", Exact(2500000))},
       {std::string("kernel"), std::string("page-faults"), Exact(39)},
       {std::string("hardware"), std::string("branches"), Exact(77)},
       {std::string("hardware"), std::string("cycles"), absent}}});
  document.blocks.emplace_back(report::Table{
      "opcodes",
      "",
      {{"opcode"}, {"executions"}, {"share", "%"}},
      {{std::string("mov"), Exact(600), Exact(60)}, {std::string("add"), Exact(400), Exact(40)}}});
  return document;
}

TEST(ObservationReader, TakesCausesAndSourcesFromCsv) {
  ObservationReader reader;
  ASSERT_TRUE(
      reader.Add("benchmark,kind,name,count\ngzip,source,perf,1005\ngzip,opcode,mov,600\n"
                 "gzip,prefix,rep,20\ngzip,event,seconds,0.25\n",
                 "a.csv"));
  ASSERT_TRUE(reader.Add("count,name,kind,benchmark\n1000,exact,source,gzip\n", "b.csv"));
  const auto programs = reader.Programs();
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].name, "gzip");
  EXPECT_EQ(programs[0].sources.at("perf"), 1005);
  EXPECT_EQ(programs[0].sources.at("exact"), 1000);
  EXPECT_EQ(programs[0].causes.at({CauseKind::kOpcode, "mov"}), 600);
  EXPECT_EQ(programs[0].causes.at({CauseKind::kPrefix, "rep"}), 20);
  EXPECT_EQ(programs[0].causes.at({CauseKind::kEvent, "seconds"}), 0.25);
}

TEST(ObservationReader, TakesTheMeanOfSeveralRuns) {
  ObservationReader reader;
  ASSERT_TRUE(
      reader.Add("benchmark,kind,name,count\ngzip,source,perf,10\ngzip,source,perf,13\n", "a.csv"));
  EXPECT_EQ(reader.Programs()[0].sources.at("perf"), 11.5);
}

TEST(ObservationReader, KeepsMachinesApart) {
  ObservationReader reader;
  ASSERT_TRUE(
      reader.Add("benchmark,machine,kind,name,count\ngzip,one,source,perf,10\n"
                 "gzip,two,source,perf,13\n",
                 "a.csv"));
  const auto programs = reader.Programs();
  ASSERT_EQ(programs.size(), 2u);
  EXPECT_EQ(programs[1].name, "gzip on two");
  EXPECT_EQ(programs[1].machine, "two");
}

TEST(ObservationReader, TakesSavedCounts) {
  ObservationReader reader;
  const auto read = reader.Add(report::ToJson(Counted("/bin/gzip", "m")), "gzip.json");
  ASSERT_TRUE(read) << read.error().message;
  const auto programs = reader.Programs();
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].name, "gzip");
  EXPECT_EQ(programs[0].machine, "m");
  EXPECT_EQ(programs[0].sources,
            (std::map<std::string, double>{{"hardware", 1042}, {"qemu", 1000}}));
  const std::map<Cause, double> causes = {{{CauseKind::kOpcode, "mov"}, 600},
                                          {{CauseKind::kOpcode, "add"}, 400},
                                          {{CauseKind::kPrefix, "rep"}, 42},
                                          {{CauseKind::kEvent, "page-faults"}, 39},
                                          {{CauseKind::kEvent, "seconds"}, 0.0025}};
  EXPECT_EQ(programs[0].causes, causes);
}

TEST(ObservationReader, JoinsDocumentsAndCsvOfOneProgram) {
  ObservationReader reader;
  ASSERT_TRUE(reader.Add(report::ToJson(Counted("/bin/gzip", "m")), "gzip.json"));
  ASSERT_TRUE(reader.Add("benchmark,kind,name,count\ngzip,source,perf,10\n", "a.csv"));
  ASSERT_EQ(reader.Programs().size(), 1u);
  EXPECT_EQ(reader.Programs()[0].sources.size(), 3u);
}

TEST(ObservationReader, RefusesOneEngineOnTwoMachines) {
  ObservationReader reader;
  ASSERT_TRUE(reader.Add(report::ToJson(Counted("gzip", "one")), "a.json"));
  const auto read = reader.Add(report::ToJson(Counted("gzip", "two")), "b.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "b.json: hardware counted gzip on one and on two; use a CSV file that gives each "
            "machine its own source");
}

TEST(ObservationReader, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(Complaint("benchmark,name,count\ngzip,perf,10\n"),
            "counts.csv has no column kind; its columns are benchmark, name, count");
  EXPECT_EQ(Complaint("benchmark,kind,name,count\ngzip,sorce,perf,10\n"),
            "counts.csv, line 2: unknown kind sorce; expected source, opcode, prefix or event; "
            "did you mean source?");
  EXPECT_EQ(Complaint("benchmark,kind,name,count\ngzip,source,perf,-1\n"),
            "counts.csv, line 2: expected a count from 0 to 1e+18");
  EXPECT_NE(Complaint("benchmark,kind,name,count\ngzip,source,perf,many\n"), "");
  EXPECT_NE(Complaint("{\"tare\":"), "");
  EXPECT_NE(Complaint(""), "");
}

TEST(ObservationReader, RefusesDocumentsWithoutCounts) {
  report::Document document;
  document.command = "timer";
  const std::string complaint = Complaint(report::ToJson(document));
  EXPECT_EQ(complaint,
            "counts.csv is a document of tare timer without counts; save counts with: tare count "
            "--per opcode --top 0 --save FILE -- PROGRAM");
}

}  // namespace
}  // namespace tare::explain
