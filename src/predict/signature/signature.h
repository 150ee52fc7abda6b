// signature.h: what one run of a program says about every machine: per basic block, what it
// executes and how it uses memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "binary/decode/architecture.h"
#include "binary/decode/instruction_class.h"

namespace tare::signature {

// The engine that the signature comes from.
enum class Source : std::uint8_t { kValgrind, kCompiled };

// The caches and TLBs that a signature answers for. The near zone is exact for every LRU cache with
// a listed line size, 1 to `max_ways` ways and a power of two of sets, whose ways have
// `min_way_bytes` to `max_way_bytes`. (All of them use the same address bits below `min_way_bytes`,
// so one table of recent lines and one sample of sets serve every shape.) Beyond it, distances are
// those of a fully associative LRU stack of `far_line_bytes` lines.
struct Grid {
  std::vector<unsigned> line_bytes = {64, 128};  // ascending powers of two
  unsigned min_way_bytes = 4096;                 // powers of two
  unsigned max_way_bytes = 256 << 10;
  unsigned max_ways = 24;
  unsigned far_line_bytes = 64;
  std::vector<std::uint64_t> page_bytes = {4096, 65536, 2 << 20};

  unsigned SetCounts() const;  // per line size
  std::size_t Shapes() const;  // line sizes times set counts
  std::size_t Depths() const;  // counters per shape of NearReuse::at_depth: max_ways + 1
  // Index of the shape in NearReuse: by line size, then by sets; nothing when it is not in the
  // grid.
  std::optional<std::size_t> ShapeOf(unsigned line, std::uint64_t sets) const;

  friend bool operator==(const Grid&, const Grid&) = default;
};

// Stack distances are binned by quarters of an octave: bin 0 is distance 0, bin b > 0 begins at
// 2^((b-1)/4) distinct lines or pages (rounded up).
inline constexpr std::size_t kDistanceBins = 130;
std::size_t DistanceBin(std::uint64_t distance);
std::uint64_t DistanceBinStart(std::size_t bin);

// References by LRU stack depth in their set, for each shape of the grid.
struct NearReuse {
  // [shape * (max_ways + 1) + depth]: references that find their line at this depth, so they hit in
  // every cache of this shape with more ways than `depth`. The last one of a shape are references
  // that find it at no depth: the misses of a cache with w ways are the sum from w on. An access
  // that spans two lines is two references. Empty: all at depth 0.
  std::vector<std::uint64_t> at_depth;
  // [shape * max_ways + ways - 1]: lines that this block's stores made dirty and that a cache with
  // so many ways evicts. Empty: none.
  std::vector<std::uint64_t> write_backs;
  // If the near zone was sampled: the references that are not at depth 0 of the first shape, and
  // the standard error of this number. Both are 0 if it was exact.
  double moved = 0;
  double moved_error = 0;

  // The standard error of a sum of the counts above.
  double ErrorOf(double count) const;

  friend bool operator==(const NearReuse&, const NearReuse&) = default;
};

// References by fully associative stack distance, estimated from lines sampled by a hash of their
// address (SHARDS), in units of references of the program.
struct FarReuse {
  std::vector<double> at_distance;  // by bin; shorter than kDistanceBins: the rest is 0
  double cold = 0;                  // first references to a line
  // The standard error of the number of references at this bin or beyond, cold ones included. One
  // longer than at_distance: the last is that of the cold ones.
  std::vector<double> beyond_error;

  friend bool operator==(const FarReuse&, const FarReuse&) = default;
};

// References by fully associative stack distance in pages.
struct PageReuse {
  std::vector<std::uint64_t> at_distance;  // by bin
  std::uint64_t cold = 0;

  friend bool operator==(const PageReuse&, const PageReuse&) = default;
};

// What the address of a load needs.
struct LoadsByAddress {
  double independent = 0;  // nothing that a load returned
  double indirect = 0;     // what another load returned, as in a[b[i]]; several can be in flight
  double chained = 0;      // what the same load returned before, as in p = p->next

  friend bool operator==(const LoadsByAddress&, const LoadsByAddress&) = default;
};

// References by the distance to an earlier one of the same instruction or block, in elements of the
// access's size. Shares of `sampled` references.
struct Strides {
  std::uint64_t sampled = 0;
  double same = 0;  // the address is the same
  double one = 0;
  double two = 0;
  double three_to_eight = 0;
  double larger = 0;  // regular: the same larger step as before
  double random = 0;

  // References to another line of 64 bytes than those before, by how they came there. Fields of one
  // object are near each other, and yet no stream: only one of them leads to another line.
  double stream_loads = 0;  // at most eight elements away
  double stream_stores = 0;
  double strided_lines = 0;  // by a larger step that repeats

  friend bool operator==(const Strides&, const Strides&) = default;
};

// Kinds of work that processors have separate rates for.
enum class Work : std::uint8_t {
  kInteger,  // additions, logic, moves, address computations
  kIntegerMultiply,
  kIntegerDivide,
  kVectorInteger,  // and moves, shuffles and conversions of vector registers
  kFloatAdd,       // and comparisons
  kFloatMultiply,
  kFloatFused,
  kFloatDivide,  // and square roots
  kLoad,
  kStore,
  kBranch,
  kOther,
};
inline constexpr std::size_t kWorkKinds = 12;
std::string_view Name(Work work);
using WorkCounts = std::array<double, kWorkKinds>;

// Floating-point instructions of one form.
struct FloatWork {
  Work work = Work::kFloatAdd;
  unsigned element_bytes = 8;
  unsigned lanes = 1;
  double instructions = 0;  // per execution of the block
  double operations = 0;    // per execution; a fused multiply-add is two

  friend bool operator==(const FloatWork&, const FloatWork&) = default;
};

inline constexpr std::uint32_t kNoLoop = UINT32_MAX;

// A basic block. Numbers "per execution" are of its code; the others are of the whole run.
struct Block {
  std::uint32_t object = 0;  // index into Signature::objects
  std::uint64_t offset = 0;  // in the file; an address for code without a file
  std::uint32_t bytes = 0;
  std::string function;          // empty: unknown
  std::string file;              // source file; empty: unknown
  std::uint32_t line = 0;        // 0: unknown
  std::uint32_t loop = kNoLoop;  // the innermost loop, index into Part::loops

  std::uint64_t executions = 0;
  std::uint64_t mispredictions = 0;  // of the reference predictor of docs/methods/signatures.md

  // Per execution.
  double instructions = 0;
  std::array<double, decode::kCategories> categories = {};
  WorkCounts work = {};
  std::vector<FloatWork> floats;
  // The work on the longest chain of dependences through the registers of one execution to the
  // next, when the block is executed repeatedly; what no amount of parallelism shortens.
  WorkCounts chain = {};
  LoadsByAddress loads_by_address;
  double load_places = 0;  // loads whose addresses are in different registers

  // Of the whole run.
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t load_bytes = 0;
  std::uint64_t store_bytes = 0;
  Strides strides;
  NearReuse near;
  FarReuse far;
  std::vector<PageReuse> pages;  // by Grid::page_bytes

  std::uint64_t References() const { return loads + stores; }

  friend bool operator==(const Block&, const Block&) = default;
};

struct Loop {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t parent = kNoLoop;
  std::uint64_t entries = 0;     // from outside
  std::uint64_t iterations = 0;  // executions of its header
  // The mean number of instructions after which the chains of its blocks start anew; 0: never.
  double chain_span = 0;

  friend bool operator==(const Loop&, const Loop&) = default;
};

// The blocks of one process, or of one of its threads with caches of its own.
struct Part {
  std::uint64_t process = 0;  // in order of start, from 1
  std::uint64_t thread = 0;   // from 1; 0: all threads of the process together
  std::string program;
  std::vector<Block> blocks;  // by references, descending
  std::vector<Loop> loops;

  friend bool operator==(const Part&, const Part&) = default;
};

// A file whose code ran.
struct Object {
  std::string path;      // empty: code that is not from a file
  std::string build_id;  // hexadecimal; empty: none
  std::uint64_t bytes = 0;

  friend bool operator==(const Object&, const Object&) = default;
};

struct Signature {
  Source source = Source::kValgrind;
  decode::Architecture architecture = decode::HostArchitecture();
  std::string tare;     // version
  std::string time;     // ISO 8601, UTC
  std::string machine;  // where it was collected
  std::vector<std::string> command;
  int status = 0;                        // exit status of the program, 128 + signal
  std::optional<double> native_seconds;  // of a run without an engine, when one was made
  Grid grid;
  double sampled_lines = 1;     // share of lines whose far distances were taken
  double sampled_time = 1;      // share of the run that was looked at; 1: all of it
  bool near_exact = true;       // false: the near zone was sampled, too
  bool complete = true;         // false: the program or tare was stopped before the end
  std::vector<Caveat> caveats;  // what the source cannot see, and what was lost
  std::vector<Object> objects;
  std::vector<Part> parts;  // at least one; parts[0] is the first process, all threads

  friend bool operator==(const Signature&, const Signature&) = default;
};

// "spmv+0x11a0": unique unless two files have the same name.
std::string NameOf(const Signature& signature, const Block& block);

}  // namespace tare::signature
