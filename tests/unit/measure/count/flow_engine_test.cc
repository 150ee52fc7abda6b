// flow_engine_test.cc: tests that the Valgrind tool's flow is what it counts, in order, and that
// the program is not affected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "binary/elf/elf_image.h"
#include "tests/programs/build_directory.h"
#include "under_flow.h"

namespace tare::count {
namespace {

using testing::IsEmpty;
using testing::Not;

class FlowEngine : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNoTool(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Returns "address executions second" of each block, for all recordings. Sorted: process IDs, by
// which the files of recordings are ordered, begin again at some time.
std::string Text(const std::vector<format::Recording>& recordings) {
  std::vector<std::string> texts;
  for (const format::Recording& recording : recordings) {
    std::string text = fmt::format("generation {} state {} entries {}\n", recording.generation,
                                   static_cast<int>(recording.state), recording.region_entries);
    for (const format::Block& block : recording.blocks) {
      text += fmt::format("{:#x} {} {} {}\n", block.address, block.instructions, block.executions,
                          block.second);
    }
    texts.push_back(std::move(text));
  }
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, ""));
}

// Runs the program once counted and once as a flow: the blocks and their counts must be equal.
ToolRun ExpectAsCounted(const std::vector<std::string>& command,
                        const std::vector<std::string>& options = {}) {
  const ToolRun counted = RunTool(command, {.flow = false, .options = options});
  ToolRun streamed = RunTool(command, {.options = options});
  EXPECT_EQ(streamed.status, counted.status) << command.front();
  EXPECT_EQ(streamed.output, counted.output) << command.front();
  EXPECT_THAT(counted.recordings, Not(IsEmpty())) << command.front();
  EXPECT_EQ(Text(streamed.recordings), Text(counted.recordings)) << command.front();
  EXPECT_EQ(streamed.flows.size(), streamed.recordings.size()) << command.front();
  for (const auto& [name, flow] : streamed.flows) EXPECT_FALSE(flow.cut_short) << name;
  return streamed;
}

// Returns how often the first instruction of a function ran.
std::uint64_t Calls(const format::Recording& recording, const std::string& program,
                    const std::string& function) {
  const auto image = elf::OpenElf(std::string(TARE_TEST_PROGRAMS) + "/" + program);
  EXPECT_TRUE(image);
  const auto found = image->FindFunction(function);
  EXPECT_TRUE(found);
  const auto offset = image->FileOffsetOf(found->start);
  std::uint64_t calls = 0;
  for (const format::Block& block : recording.blocks) {
    if (!block.object) continue;
    const format::MappedObject& object = recording.objects[*block.object];
    if (!object.path.ends_with("/" + program)) continue;
    if (block.address - object.start + object.offset == *offset) calls += block.executions;
  }
  return calls;
}

TEST_F(FlowEngine, StreamsWhatItCounts) {
  for (const char* program : {"count_loops", "memory_walk", "branches", "calls", "system_calls"}) {
    ExpectAsCounted({program});
  }
}

TEST_F(FlowEngine, StreamsUnusualControlFlowAsItCountsIt) {
  for (const char* way : {"longjmp", "contexts", "recursion", "self-modifying"}) {
    ExpectAsCounted({"control_flow", way, "20"});
  }
}

#if defined(__x86_64__)
TEST_F(FlowEngine, StreamsRepeatedInstructionsAsItCountsThem) {
  ExpectAsCounted({"strings_x86"});
  ExpectAsCounted({"repeats_x86"});
}
#endif

TEST_F(FlowEngine, StreamsAProgramWithACLibraryAsItCountsIt) { ExpectAsCounted({"/bin/true"}); }

// words[2048], of 8 bytes each, 4 times: each iteration loads and stores the same word.
TEST_F(FlowEngine, StreamsTheAddressesOfAWalk) {
  std::vector<std::uint64_t> loads;
  std::vector<std::uint64_t> stores;
  const auto run =
      RunTool({"memory_walk"}, {.on_touch = [&](const Touched& touched) {
                if (touched.access.bytes != 8) return;
                (touched.access.kind == TARE_FLOW_LOAD ? loads : stores).push_back(touched.address);
              }});
  ASSERT_EQ(run.status, 0);
  constexpr std::size_t kWords = 2048;
  ASSERT_GE(stores.size(), 4 * kWords);
  // The walk's first store is the one with the lowest address.
  const std::uint64_t first = *std::ranges::min_element(stores);
  const auto begin = std::ranges::find(stores, first);
  ASSERT_GE(static_cast<std::size_t>(stores.end() - begin), 4 * kWords);
  std::vector<std::uint64_t> walked(begin, begin + 4 * kWords);
  for (std::size_t i = 0; i < walked.size(); ++i) {
    ASSERT_EQ(walked[i], first + 8 * (i % kWords)) << i;
  }
  const auto load = std::ranges::find(loads, first);
  ASSERT_GE(static_cast<std::size_t>(loads.end() - load), 4 * kWords);
  EXPECT_TRUE(std::equal(walked.begin(), walked.end(), load));
}

TEST_F(FlowEngine, StreamsTheSameWordsInEveryRun) {
  std::set<std::uint64_t> hashes;
  for (int i = 0; i < 2; ++i) {
    const auto run = RunTool({"calls"});
    ASSERT_EQ(run.flows.size(), 1u);
    hashes.insert(run.flows.begin()->second.words_hash);
  }
  EXPECT_EQ(hashes.size(), 1u);
}

TEST_F(FlowEngine, SamplesAtTheSameInstructionsInEveryRun) {
  std::set<std::vector<std::uint64_t>> samples;
  for (int i = 0; i < 2; ++i) {
    const auto run = RunTool({"count_loops"}, {.options = {"--flow-sample=10000"}});
    ASSERT_EQ(run.status, 0);
    ASSERT_EQ(run.flows.size(), 1u);
    samples.insert(run.flows.begin()->second.samples);
  }
  ASSERT_EQ(samples.size(), 1u);
  // Slightly more than 100,000 instructions; a superblock may run past the sample point.
  const std::vector<std::uint64_t>& places = *samples.begin();
  ASSERT_EQ(places.size(), 10u);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_GE(places[i], 10000 * (i + 1));
    EXPECT_LT(places[i], 10000 * (i + 1) + 100);
  }
}

TEST_F(FlowEngine, CountsTheSameWithSamples) {
  ExpectAsCounted({"calls"});
  const auto plain = RunTool({"calls"});
  const auto sampled = RunTool({"calls"}, {.options = {"--flow-sample=1000"}});
  EXPECT_EQ(Text(sampled.recordings), Text(plain.recordings));
  EXPECT_EQ(sampled.flows.begin()->second.words_hash, plain.flows.begin()->second.words_hash);
}

// A filter and the tool's options for it.
struct FilterCase {
  tare_flow_filter filter;
  std::vector<std::string> options;
};

std::vector<FilterCase> FilterCases() {
  return {{{6, 6, 64, 12, 16, 1, 0}, {"--flow-filter=6:6:64", "--flow-pages=12:16"}},
          {{6, 7, 32, 0, 0, 0, 0}, {"--flow-filter=6:7:32", "--flow-dirty=no"}},
          {{5, 5, 1024, 12, 1, 1, 0}, {"--flow-filter=5:5:1024", "--flow-pages=12:1"}},
          {{3, 3, 1, 21, 256, 1, 0}, {"--flow-filter=3:3:1", "--flow-pages=21:256"}}};
}

std::multiset<std::uint64_t> Hashes(const ToolRun& run) {
  std::multiset<std::uint64_t> hashes;
  for (const auto& [name, flow] : run.flows) hashes.insert(flow.words_hash);
  return hashes;
}

std::uint64_t Dropped(const ToolRun& run) {
  std::uint64_t dropped = 0;
  for (const auto& [name, flow] : run.flows) dropped += flow.dropped;
  return dropped;
}

// The flow of the filtered run is that of an unfiltered run with the plain filter applied to it.
void ExpectFilteredAsDocumented(const std::vector<std::string>& command) {
  std::uint64_t dropped = 0;
  for (const FilterCase& one : FilterCases()) {
    const ToolRun plain = RunTool(command, {.filter = vpmu::PlainFilter(one.filter)});
    const ToolRun filtered = RunTool(command, {.options = one.options});
    EXPECT_EQ(filtered.status, plain.status) << command.front();
    EXPECT_EQ(filtered.output, plain.output) << command.front();
    EXPECT_EQ(Hashes(filtered), Hashes(plain)) << command.front() << one.options[0];
    EXPECT_EQ(Text(filtered.recordings), Text(plain.recordings)) << command.front();
    EXPECT_EQ(Dropped(plain), 0u);
    dropped += Dropped(filtered);
  }
  EXPECT_GT(dropped, 100u) << command.front();
}

TEST_F(FlowEngine, FiltersAsDocumented) {
  for (const char* program : {"memory_walk", "calls", "/bin/true"}) {
    ExpectFilteredAsDocumented({program});
  }
  for (const char* way : {"longjmp", "recursion", "self-modifying"}) {
    ExpectFilteredAsDocumented({"control_flow", way, "20"});
  }
#if defined(__x86_64__)
  ExpectFilteredAsDocumented({"strings_x86"});
#endif
}

// Two groups of 32, all of them, and all with lines of 32 bytes whose stores do not matter.
std::vector<FilterCase> SparseCases() {
  const std::string between_windows = "--flow-windows=0:1";
  return {{{6, 7, 32, 0, 0, 1, 0x100008},
           {"--flow-filter=6:7:32", "--flow-groups=1048584", between_windows}},
          {{6, 7, 32, 0, 0, 1, 0xffff'ffff},
           {"--flow-filter=6:7:32", "--flow-groups=4294967295", between_windows}},
          {{5, 5, 4, 0, 0, 0, 0xf},
           {"--flow-filter=5:5:4", "--flow-dirty=no", "--flow-groups=15", between_windows}}};
}

// The engine counts executions itself.
void ExpectSparseAsDocumented(const std::vector<std::string>& command) {
  std::uint64_t lines = 0;
  for (const FilterCase& one : SparseCases()) {
    const ToolRun plain = RunTool(command, {.filter = vpmu::PlainFilter(one.filter)});
    const ToolRun sparse = RunTool(command, {.options = one.options});
    EXPECT_EQ(sparse.status, plain.status) << command.front();
    EXPECT_EQ(sparse.output, plain.output) << command.front();
    EXPECT_EQ(Hashes(sparse), Hashes(plain)) << command.front() << one.options[1];
    EXPECT_EQ(Text(sparse.recordings), Text(plain.recordings)) << command.front();
    for (const auto& [name, flow] : sparse.flows) lines += flow.lines;
  }
  EXPECT_GT(lines, 10u) << command.front();
}

TEST_F(FlowEngine, PassesOnLinesAsDocumented) {
  for (const char* program : {"memory_walk", "calls", "/bin/true"}) {
    ExpectSparseAsDocumented({program});
  }
  for (const char* way : {"longjmp", "recursion", "self-modifying"}) {
    ExpectSparseAsDocumented({"control_flow", way, "20"});
  }
#if defined(__x86_64__)
  ExpectSparseAsDocumented({"strings_x86"});
#endif
  ExpectSparseAsDocumented({"/bin/sh", "-c", "(echo one); (echo two)"});
}

TEST_F(FlowEngine, FiltersInForkedChildrenFromEmptyTables) {
  ExpectFilteredAsDocumented({"/bin/sh", "-c", "(echo one); (echo two)"});
}

// The tables go on during a burst, so that what is dropped afterwards is the same.
TEST_F(FlowEngine, DropsNothingInBursts) {
  const FilterCase one = FilterCases().front();
  std::vector<std::string> options = one.options;
  const ToolRun filtered = RunTool({"/bin/true"}, {.options = options});
  options.push_back("--flow-burst=1:3");
  const ToolRun bursts =
      RunTool({"/bin/true"}, {.options = options, .filter = vpmu::PlainFilter(one.filter)});
  ASSERT_EQ(bursts.flows.size(), 1u);
  const TakenFlow& flow = bursts.flows.begin()->second;
  EXPECT_EQ(flow.dropped_in_burst, 0u);
  EXPECT_GT(flow.bursts, 1u);
  EXPECT_GT(flow.dropped, 100u);
  EXPECT_LT(flow.dropped, Dropped(filtered));
  EXPECT_EQ(Hashes(bursts), Hashes(filtered));
}

TEST_F(FlowEngine, RefusesImpossibleFilters) {
  for (const char* option :
       {"--flow-filter=6", "--flow-filter=6:6:0", "--flow-filter=6:6:48", "--flow-filter=6:6:8192",
        "--flow-filter=6:5:64", "--flow-filter=2:6:64", "--flow-filter=6:6:64:1",
        "--flow-filter=a:6:64", "--flow-burst=1", "--flow-burst=1:0"}) {
    const auto directory = PrivateDirectory::Make();
    ASSERT_TRUE(directory);
    StartedTool tool(directory->path(), {"count_loops"}, {"--flow=yes", option});
    EXPECT_EQ(WEXITSTATUS(tool.Wait()), 1) << option;
  }
}

TEST_F(FlowEngine, MarksWhatIsInsideARegion) {
  const std::string program = std::string(TARE_TEST_PROGRAMS) + "/calls";
  const auto image = elf::OpenElf(program);
  ASSERT_TRUE(image);
  const auto found = image->FindFunction("next");
  ASSERT_TRUE(found);
  struct stat status = {};
  ASSERT_EQ(stat(program.c_str(), &status), 0);
  const std::string region = fmt::format("--region={}:{}:{}", status.st_dev, status.st_ino,
                                         *image->FileOffsetOf(found->start));
  const auto counted = RunTool({"calls"}, {.flow = false, .options = {region}});
  std::uint64_t executions = 0;
  for (const format::Block& block : counted.recordings.at(0).blocks) executions += block.executions;
  const auto streamed = RunTool({"calls"}, {.options = {region}});
  ASSERT_EQ(streamed.flows.size(), 1u);
  EXPECT_EQ(streamed.flows.begin()->second.inside, executions);
  EXPECT_GT(streamed.flows.begin()->second.records, executions);
  EXPECT_EQ(streamed.recordings.at(0).region_entries, 1000u);
  const auto whole = RunTool({"calls"});
  EXPECT_EQ(whole.flows.begin()->second.inside, 0u);
}

// Marks separate the threads' records.
TEST_F(FlowEngine, MarksWhichThreadRuns) {
  const auto run = RunTool({"threads", "many", "8"});
  ASSERT_EQ(run.status, 0);
  ASSERT_EQ(run.flows.size(), 1u);
  const TakenFlow& flow = run.flows.begin()->second;
  EXPECT_EQ(std::set(flow.threads.begin(), flow.threads.end()).size(), 9u);
  EXPECT_EQ(Calls(run.recordings.at(0), "threads", "arrive"), 8u);
  EXPECT_EQ(run.recordings.at(0).threads, 9u);
}

TEST_F(FlowEngine, MarksWhereHandlersBegin) {
  const auto run = RunTool({"signals", "storm", "20"});
  ASSERT_EQ(run.status, 0);
  ASSERT_EQ(run.flows.size(), 1u);
  const TakenFlow& flow = run.flows.begin()->second;
  EXPECT_GE(flow.interrupted.size(), 20u);
  EXPECT_EQ(Calls(run.recordings.at(0), "signals", "on_signal"), flow.interrupted.size());
}

// A page that is protected 50 times, and unprotected by the handler.
constexpr const char* kFaults = R"(
#include <signal.h>
#include <sys/mman.h>
static char* page;
static volatile int seen;
static void on_fault(int number) {
  seen += number == SIGSEGV;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
int main(void) {
  page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  signal(SIGSEGV, on_fault);
  for (int i = 0; i < 50; ++i) {
    mprotect(page, 4096, PROT_NONE);
    page[i] = (char)i;
  }
  return seen == 50 ? 0 : 1;
}
)";

// A block that faults has no record, and so must not change what is dropped later.
TEST_F(FlowEngine, FiltersAsDocumentedAroundFaults) {
  const BuildDirectory directory;
  directory.Write("faults.c", kFaults);
  if (!directory.Runs("cc -O1 -o faults faults.c")) GTEST_SKIP() << "no C compiler";
  ExpectFilteredAsDocumented({(directory / "faults").string()});
}

// Records before a fault are complete, and the handler's records follow.
TEST_F(FlowEngine, MarksWhereFaultsInterrupt) {
  const BuildDirectory directory;
  directory.Write("faults.c", kFaults);
  if (!directory.Runs("cc -O1 -o faults faults.c")) GTEST_SKIP() << "no C compiler";
  std::vector<std::uint64_t> first;
  for (int i = 0; i < 2; ++i) {
    const auto run = RunTool({(directory / "faults").string()});
    EXPECT_EQ(run.status, 0);
    ASSERT_EQ(run.flows.size(), 1u);
    const TakenFlow& flow = run.flows.begin()->second;
    EXPECT_EQ(flow.interrupted, std::vector<std::uint64_t>(50, flow.interrupted.at(0)));
    first.push_back(flow.words_hash);
  }
  EXPECT_EQ(first[0], first[1]);
}

TEST_F(FlowEngine, GivesForkedChildrenFlowsOfTheirOwn) {
  const auto run = ExpectAsCounted({"children", "short", "5"});
  EXPECT_EQ(run.flows.size(), 6u);
  EXPECT_EQ(run.status, 0);
}

// A shell that forks and executes, and a command that does not exist.
TEST_F(FlowEngine, FollowsProgramsThatBecomeOthers) {
  const auto run = ExpectAsCounted({"/bin/sh", "-c", "/bin/true; /bin/nowhere; exec /bin/echo on"});
  EXPECT_EQ(run.output, "on\n");
  EXPECT_EQ(run.flows.size(), 5u);
}

TEST_F(FlowEngine, EndsAsTheProgramEnds) {
  EXPECT_EQ(WEXITSTATUS(ExpectAsCounted({"endings", "exit", "7"}).status), 7);
  EXPECT_EQ(WTERMSIG(ExpectAsCounted({"endings", "abort"}).status), SIGABRT);
  const auto run = RunTool({"endings", "null", "0"});
  EXPECT_EQ(WTERMSIG(run.status), SIGSEGV);
  EXPECT_FALSE(run.flows.begin()->second.cut_short);
}

TEST_F(FlowEngine, EndsWhenTheProgramIsKilled) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  StartedTool tool(directory->path(), {"endings", "hang"}, {"--flow=yes"});
  const std::string name = std::to_string(tool.process()) + ".0";
  auto reader = format::FlowReader::Open(directory->path(), name);
  while (!reader && !tool.IsOver()) reader = format::FlowReader::Open(directory->path(), name);
  ASSERT_TRUE(reader) << reader.error().message;
  // The start alone may fill all chunks.
  while (tool.Output().empty() && !tool.IsOver()) {
    if (reader->Wait(1'000'000)) reader->ReleaseChunk();
  }
  EXPECT_FALSE(reader->Ended());
  kill(tool.process(), SIGKILL);
  EXPECT_EQ(WTERMSIG(tool.Wait()), SIGKILL);
  EXPECT_TRUE(reader->Ended());
  EXPECT_FALSE(reader->CutShort());
}

// A loop that fills many times the ring.
std::vector<std::string> LongLoop() {
  return {"/bin/sh", "-c", "i=0; while [ $i -lt 500 ]; do i=$((i+1)); done; echo $i; exit 3"};
}

TEST_F(FlowEngine, WaitsForASlowReaderAndLosesNothing) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  StartedTool tool(directory->path(), LongLoop(), {"--flow=yes"});
  const std::string name = std::to_string(tool.process()) + ".0";
  auto reader = format::FlowReader::Open(directory->path(), name);
  while (!reader && !tool.IsOver()) reader = format::FlowReader::Open(directory->path(), name);
  ASSERT_TRUE(reader);
  std::uint64_t chunks = 0;
  while (reader->Wait(60'000'000'000)) {
    usleep(2000);
    reader->ReleaseChunk();
    ++chunks;
  }
  EXPECT_EQ(WEXITSTATUS(tool.Wait()), 3);
  EXPECT_GT(chunks, 16u);
  EXPECT_FALSE(reader->CutShort());
}

TEST_F(FlowEngine, ContinuesWhenItsReaderIsKilled) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  StartedTool tool(directory->path(), LongLoop(), {"--flow=yes"});
  const std::string name = std::to_string(tool.process()) + ".0";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t reading = fork();
  if (reading == 0) {
    auto reader = format::FlowReader::Open(directory->path(), name);
    while (!reader) reader = format::FlowReader::Open(directory->path(), name);
    reader->Wait(60'000'000'000);
    if (write(ready[1], "!", 1) == 1) pause();
    _exit(0);
  }
  close(ready[1]);
  char letter = 0;
  EXPECT_EQ(read(ready[0], &letter, 1), 1);
  close(ready[0]);
  kill(reading, SIGKILL);
  // The reader has not been reaped: it is a zombie while the program checks for it.
  EXPECT_EQ(WEXITSTATUS(tool.Wait()), 3);
  EXPECT_EQ(tool.Output(), "500\n");
  waitpid(reading, nullptr, 0);
  const auto reader = format::FlowReader::Open(directory->path(), name);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->CutShort());
}

}  // namespace
}  // namespace tare::count
