// processor.h: a processor as its models need it described.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/core/model_event.h"

namespace tare::model {

enum class Replacement { kLru, kTreePlru, kRandom };

enum class Writing {
  kBack,     // a line that was stored to is written when it leaves
  kThrough,  // every store goes on to the next level; a miss brings no line
  kAsRead,   // stores are not told from loads, and nothing is ever written: as Cachegrind does
};

// Of a level against the levels nearer to the core.
enum class Containing {
  kNeither,    // lines come and go on their own
  kInclusive,  // a line that leaves here leaves the nearer levels too
  kExclusive,  // holds what the nearer level gave up, and gives it back
};

struct CacheLevel {
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  unsigned line_bytes = 64;
  Replacement replacement = Replacement::kLru;
  Writing writing = Writing::kBack;
  Containing containing = Containing::kNeither;

  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

// An access that lies in two lines.
enum class Split {
  kEachLine,  // two accesses: each line is looked for at each level on its own
  kOnce,      // one access: it misses when any line does, and both go to the next level; Cachegrind
};

struct TlbLevel {
  unsigned entries = 0;
  unsigned ways = 0;  // as many as entries: fully associative
  Replacement replacement = Replacement::kLru;

  friend bool operator==(const TlbLevel&, const TlbLevel&) = default;
};

// For one size of pages, which all of the program's memory is taken to have.
struct TlbSet {
  std::optional<TlbLevel> instruction;
  std::optional<TlbLevel> data;
  std::optional<TlbLevel> second;  // of both

  friend bool operator==(const TlbSet&, const TlbSet&) = default;
};

struct Prefetching {
  bool next_line = false;       // of data: after a miss, the line behind it
  bool instructions = false;    // the same of code
  unsigned stride_entries = 0;  // by the instruction's address; 0: no stride prefetcher
  unsigned stride_degree = 1;   // lines ahead

  friend bool operator==(const Prefetching&, const Prefetching&) = default;
};

enum class Direction {
  kNone,     // nothing is predicted and nothing counted
  kBimodal,  // a counter of two bits by address
  kGshare,   // by address xor history
  kGselect,  // by address beside history, as Cachegrind does
  kTage,     // a base and tables by lengthening history
};

struct Branching {
  Direction direction = Direction::kNone;
  unsigned entries = 0;         // counters of the table, or of each table
  unsigned history_bits = 0;    // of gshare, gselect; the longest of tage
  unsigned tables = 0;          // of tage, beside its base
  unsigned target_entries = 0;  // of the branch target buffer; 0: none, indirect ones not counted
  unsigned target_ways = 1;
  unsigned return_entries = 0;  // of the return stack; 0: none, returns not counted

  friend bool operator==(const Branching&, const Branching&) = default;
};

// An estimate, not a model of the pipeline: the cycles that each instruction takes at best, and
// what each event adds on average.
struct CycleCosts {
  double per_instruction = 0.25;
  double l2_hit = 10;  // of an access that missed L1
  double l3_hit = 30;
  double memory = 150;
  double tlb_second = 6;
  double walk = 30;
  double misprediction = 12;
  double overlap = 0.5;  // of data misses, the share that other work hides

  friend bool operator==(const CycleCosts&, const CycleCosts&) = default;
};

inline constexpr std::uint64_t kSmallPage = 4096;
inline constexpr std::uint64_t kLargePage = 2 << 20;

struct Processor {
  std::string name;
  std::string about;   // one line
  std::string source;  // where the numbers stand
  CacheLevel l1i;
  CacheLevel l1d;
  std::optional<CacheLevel> l2;
  std::optional<CacheLevel> l3;
  Split split = Split::kEachLine;
  TlbSet small_pages;
  TlbSet large_pages;
  std::uint64_t page_bytes = kSmallPage;  // kSmallPage or kLargePage: which set is used
  Prefetching prefetching;
  Branching branching;
  CycleCosts cycles;
  std::uint64_t seed = 1;  // of random replacement
  // What the description did not say and was filled in: told with the results.
  std::vector<std::string> assumed;

  friend bool operator==(const Processor&, const Processor&) = default;
};

// The TLBs that its size of pages asks for.
inline const TlbSet& TlbsOf(const Processor& processor) {
  return processor.page_bytes == kLargePage ? processor.large_pages : processor.small_pages;
}

// The first thing that cannot be built.
struct Mistake {
  std::string field;    // as docs/formats/processor.md has it: "l1d.ways"
  std::string message;  // the rest of the sentence: "is 0: a cache has 1 way or more"
};
std::optional<Mistake> FirstMistake(const Processor& processor);

// The same as a sentence, kUsage: zero ways, sizes that are no power of two where they must be,
// lines longer than pages, an inclusive level that is smaller than what it contains...
Result<void> Validate(const Processor& processor);

// Cycles of a program or a part of it, by the costs above.
double EstimateCycles(const Processor& processor, std::uint64_t instructions,
                      const EventCounts& counts);

}  // namespace tare::model
