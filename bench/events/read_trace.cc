// read_trace.cc: how quickly an event trace is read, without the start of a process.
//
//   read_trace list FILE ROUNDS    every event is delivered; adds up the numbers of blocks
//   read_trace count FILE ROUNDS   blocks of full traces are counted without being listed
//   read_trace skip FILE ROUNDS    blocks are skipped, as tare events show does with long traces
//   read_trace dump FILE           writes the numbers of the blocks, 4 bytes each
// The first three print the processor seconds of the quickest round, blocks, words, timed events
// and bytes.
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>

#include "format/event_reader.h"

namespace {

using tare::format::EventTraceReader;

struct Contents {
  std::uint64_t blocks = 0;
  std::uint64_t words = 0;
  std::uint64_t timed = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sum = 0;  // so that the compiler keeps what reads the events
};

double ProcessorSeconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

EventTraceReader Opened(const char* path) {
  auto reader = EventTraceReader::Open(path);
  if (reader) return std::move(*reader);
  std::fprintf(stderr, "read_trace: %s\n", reader.error().message.c_str());
  std::exit(1);
}

Contents ReadWhole(const char* path, const std::string& how) {
  auto reader = Opened(path);
  if (how == "count") reader.CountBlocks();
  if (how == "skip") reader.SkipBlocks();
  Contents contents;
  while (reader.Next()) {
    const auto& batch = reader.Blocks();
    contents.blocks += batch.blocks.size();
    contents.words += batch.words.size();
    contents.timed += reader.Timed().size();
    contents.sum = std::accumulate(batch.blocks.begin(), batch.blocks.end(), contents.sum);
    contents.sum = std::accumulate(batch.words.begin(), batch.words.end(), contents.sum);
    for (const auto& event : reader.Timed()) contents.sum += event.time_ns + event.site;
  }
  for (const std::uint64_t count : reader.Executions()) contents.blocks += count;
  if (how == "skip") contents.blocks = reader.Outcome().end ? reader.Outcome().end->blocks : 0;
  contents.bytes = reader.Outcome().bytes;
  if (!reader.Outcome().complete) {
    std::fprintf(stderr, "read_trace: %s\n", reader.Outcome().reason.c_str());
    std::exit(1);
  }
  return contents;
}

void Dump(const char* path) {
  auto reader = Opened(path);
  while (reader.Next()) {
    const auto& blocks = reader.Blocks().blocks;
    std::fwrite(blocks.data(), sizeof blocks[0], blocks.size(), stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string what = count > 2 ? arguments[1] : "";
  if (what == "dump") {
    Dump(arguments[2]);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }
  if (count < 4 || (what != "list" && what != "count" && what != "skip")) return 2;
  double best = HUGE_VAL;
  Contents contents;
  for (int round = 0; round < std::atoi(arguments[3]); ++round) {
    const double begin = ProcessorSeconds();
    contents = ReadWhole(arguments[2], what);
    best = std::min(best, ProcessorSeconds() - begin);
  }
  std::printf("%.9f %ju %ju %ju %ju %ju\n", best, contents.blocks, contents.words, contents.timed,
              contents.bytes, contents.sum);
  return 0;
}
