// processor.h: the description of a processor from which its models are built.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/core/model_event.h"

namespace tare::model {

enum class Replacement { kLru, kTreePlru, kRandom };

enum class WritePolicy {
  kBack,     // write-back: a dirty line is written when it is evicted
  kThrough,  // write-through: every store goes to the next level; a store miss fills no line
  kIgnored,  // stores are treated as loads, and nothing is written: as in Cachegrind
};

// The relation of a level to the levels nearer to the core.
enum class Inclusion {
  kNine,       // NINE: non-inclusive, non-exclusive
  kInclusive,  // evicting a line back-invalidates it in the nearer levels
  kExclusive,  // contains lines evicted by the nearer level, and returns them
};

struct CacheLevel {
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  unsigned line_bytes = 64;
  Replacement replacement = Replacement::kLru;
  WritePolicy write = WritePolicy::kBack;
  Inclusion inclusion = Inclusion::kNine;

  friend bool operator==(const CacheLevel&, const CacheLevel&) = default;
};

// How an access that spans two lines is counted.
enum class Split {
  kEachLine,  // two accesses: each line is looked up separately at each level
  kOnce,      // one access: it misses if any line does, and both lines go to the next level; as in
              // Cachegrind
};

struct TlbLevel {
  unsigned entries = 0;
  unsigned ways = 0;  // equal to entries: fully associative
  Replacement replacement = Replacement::kLru;

  friend bool operator==(const TlbLevel&, const TlbLevel&) = default;
};

// TLBs for one page size, which is assumed for all of the program's memory.
struct TlbSet {
  std::optional<TlbLevel> instruction;
  std::optional<TlbLevel> data;
  std::optional<TlbLevel> second;  // shared by code and data

  friend bool operator==(const TlbSet&, const TlbSet&) = default;
};

struct Prefetching {
  bool next_line = false;       // data: after a miss, the next line
  bool instructions = false;    // code: after a miss, the next line
  unsigned stride_entries = 0;  // indexed by the instruction's address; 0: no stride prefetcher
  unsigned stride_degree = 1;   // lines ahead

  friend bool operator==(const Prefetching&, const Prefetching&) = default;
};

enum class Direction {
  kNone,     // nothing is predicted or counted
  kBimodal,  // two-bit counters indexed by address
  kGshare,   // indexed by address XOR history
  kGselect,  // indexed by address concatenated with history, as in Cachegrind
  kTage,     // a base predictor and tagged tables with increasing history lengths
};

struct Branching {
  Direction direction = Direction::kNone;
  unsigned entries = 0;         // counters per table
  unsigned history_bits = 0;    // for gshare and gselect; the longest history for TAGE
  unsigned tables = 0;          // of TAGE, not counting its base
  unsigned target_entries = 0;  // of the branch target buffer; 0: no indirect jumps counted
  unsigned target_ways = 1;
  unsigned return_entries = 0;  // of the return stack; 0: no returns counted

  friend bool operator==(const Branching&, const Branching&) = default;
};

// Costs for an estimate, not a model of the pipeline: the minimum cycles per instruction, and the
// average cost of each event.
struct CycleCosts {
  double per_instruction = 0.25;
  double l2_hit = 10;  // for an access that missed L1
  double l3_hit = 30;
  double memory = 150;
  double tlb_second = 6;
  double walk = 30;
  double misprediction = 12;
  double overlap = 0.5;  // share of data miss latency that other work hides

  friend bool operator==(const CycleCosts&, const CycleCosts&) = default;
};

inline constexpr std::uint64_t kSmallPage = 4096;
inline constexpr std::uint64_t kLargePage = 2 << 20;

struct Processor {
  std::string name;
  std::string about;   // one line
  std::string source;  // where the numbers are published
  CacheLevel l1i;
  CacheLevel l1d;
  std::optional<CacheLevel> l2;
  std::optional<CacheLevel> l3;
  Split split = Split::kEachLine;
  TlbSet small_pages;
  TlbSet large_pages;
  std::uint64_t page_bytes = kSmallPage;  // kSmallPage or kLargePage: selects the TLB set
  Prefetching prefetching;
  Branching branching;
  CycleCosts cycles;
  std::uint64_t seed = 1;  // of random replacement
  // Values that the description did not state and that were filled in; shown with the results.
  std::vector<std::string> assumed;

  friend bool operator==(const Processor&, const Processor&) = default;
};

// The TLBs for the processor's page size.
inline const TlbSet& TlbsOf(const Processor& processor) {
  return processor.page_bytes == kLargePage ? processor.large_pages : processor.small_pages;
}

// The first invalid field.
struct Mistake {
  std::string field;    // as in docs/formats/processor.md: "l1d.ways"
  std::string message;  // the rest of the sentence: "is 0: a cache needs at least 1 way"
};
std::optional<Mistake> FirstMistake(const Processor& processor);

// The same as an error (kUsage): zero ways, sizes that must be a power of two and are not, lines
// longer than pages, an inclusive level smaller than a level that it contains...
Result<void> Validate(const Processor& processor);

// Estimates the cycles of a program or a part of it from Processor::cycles.
double EstimateCycles(const Processor& processor, std::uint64_t instructions,
                      const EventCounts& counts);

}  // namespace tare::model
