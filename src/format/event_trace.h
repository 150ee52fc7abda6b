// event_trace.h: the data of an event trace: what was recorded, how, and in which order.
//
// A trace has two kinds of events. Executed blocks come from an engine that sees code; each may
// have the memory addresses that it accessed. Timed events come from the program's own source
// (tare/events.h) or from the kernel. docs/formats/event-trace.md documents the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::format {

inline constexpr std::uint32_t kNoBlock = UINT32_MAX;
inline constexpr std::uint32_t kNoFunction = UINT32_MAX;

// Larger tables mean a damaged file.
inline constexpr std::size_t kMaxTraceBlocks = 1u << 26;
inline constexpr std::size_t kMaxTraceSites = 1u << 20;
inline constexpr std::size_t kMaxTraceThreads = 1u << 22;
inline constexpr std::size_t kMaxTraceFunctions = 1u << 24;
// A block has at most this many words of addresses.
inline constexpr std::size_t kMaxBlockWords = 4096;

// How blocks are stored.
enum class TraceEncoding : std::uint8_t {
  kFull = 1,       // every block: the numbers of paths that have run before
  kAbstract = 2,   // only the outcomes of branches; the numbers are regenerated
  kPredicted = 3,  // only what the last blocks do not predict; quicker and larger than kAbstract
};
inline constexpr std::uint8_t kMaxTraceEncoding =
    static_cast<std::uint8_t>(TraceEncoding::kPredicted);
std::string_view Name(TraceEncoding encoding);

// What follows a block.
enum class BlockEnd : std::uint8_t {
  kUnknown,
  kContinues,  // one successor: the next instruction, or the target of a jump
  kConditional,
  kCall,
  kIndirectJump,
  kIndirectCall,
  kReturn,
};
inline constexpr std::uint8_t kMaxBlockEnd = static_cast<std::uint8_t>(BlockEnd::kReturn);

enum class AccessKind : std::uint8_t {
  kLoad = 1,
  kStore,
  kGuardedLoad,  // the word is the address; 0: not executed
  kGuardedStore,
  kAtomic,  // load and store
  kCopy,    // words: to, from, bytes
  kSet,     // words: to, bytes
};
inline constexpr std::uint8_t kMaxAccessKind = static_cast<std::uint8_t>(AccessKind::kSet);

struct TraceAccess {
  AccessKind kind = AccessKind::kLoad;
  std::uint32_t bytes = 0;
  std::uint32_t word = 0;    // index in the block's words plus 1; 0: the offset is the address
  std::uint64_t offset = 0;  // added to the word
  std::uint32_t code_offset = 0;

  friend bool operator==(const TraceAccess&, const TraceAccess&) = default;
};

// A block of code. With an operation of a repeated instruction, a part of one.
struct TraceBlock {
  std::uint64_t address = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t instructions = 0;
  BlockEnd end = BlockEnd::kUnknown;
  bool operation = false;   // one operation of a repeated instruction; has no instructions
  std::uint32_t words = 0;  // per execution
  std::vector<TraceAccess> accesses;
  std::string code;  // empty unless it was requested

  friend bool operator==(const TraceBlock&, const TraceBlock&) = default;
};

struct TraceFunction {
  std::string name;
  std::string object;

  friend bool operator==(const TraceFunction&, const TraceFunction&) = default;
};

struct TraceThread {
  std::uint64_t process = 0;
  std::uint64_t thread = 0;      // as the engine numbers it, or the kernel's
  std::uint64_t generation = 0;  // number of earlier execve calls of the process

  friend bool operator==(const TraceThread&, const TraceThread&) = default;
};

enum class SiteKind : std::uint8_t { kEvent = 1, kSpan, kValue, kSystem };
inline constexpr std::uint8_t kMaxSiteKind = static_cast<std::uint8_t>(SiteKind::kSystem);

// A place in the source that makes events, or a kind of event of the kernel.
struct EventSite {
  SiteKind kind = SiteKind::kEvent;
  std::string name;
  std::string file;
  std::uint32_t line = 0;

  friend bool operator==(const EventSite&, const EventSite&) = default;
};

enum class TimedKind : std::uint8_t { kEvent = 1, kBegin, kEnd, kValue };
inline constexpr std::uint8_t kMaxTimedKind = static_cast<std::uint8_t>(TimedKind::kValue);

struct TimedEvent {
  TimedKind kind = TimedKind::kEvent;
  bool has_time = false;
  std::uint32_t site = 0;
  std::uint32_t thread = 0;  // number in the trace's table
  std::uint64_t time_ns =
      0;                    // since the start of the trace; without a time, that of the last event
  std::uint64_t value = 0;  // of kValue

  friend bool operator==(const TimedEvent&, const TimedEvent&) = default;
};

enum class MarkKind : std::uint8_t {
  kThread = 1,  // the following blocks belong to this thread
  kSignal = 2,  // a handler starts; the thread would continue at this address
  kGap = 3,     // so many blocks are not in the trace, because it is a sample
};
inline constexpr std::uint8_t kMaxMarkKind = static_cast<std::uint8_t>(MarkKind::kGap);

struct BlockMark {
  std::uint64_t position = 0;  // number of blocks of the batch before it
  MarkKind kind = MarkKind::kThread;
  std::uint64_t value = 0;

  friend bool operator==(const BlockMark&, const BlockMark&) = default;
};

// Executed blocks in order.
struct BlockBatch {
  std::vector<std::uint32_t> blocks;
  std::vector<std::uint64_t> words;  // of all blocks, in order
  std::vector<BlockMark> marks;      // by position

  bool IsEmpty() const { return blocks.empty() && marks.empty(); }
  void Clear();
  friend bool operator==(const BlockBatch&, const BlockBatch&) = default;
};

// A number with its interval, as in Measured.
struct TraceCost {
  double ns = 0;  // 0: not calibrated
  double low_ns = 0;
  double high_ns = 0;

  friend bool operator==(const TraceCost&, const TraceCost&) = default;
};

struct EventTraceHead {
  std::string program;
  std::vector<std::string> command;
  std::string source;   // "source", "valgrind", "compiled", "step", "qemu"
  std::string content;  // "blocks", "instructions", "addresses", "events"
  std::string machine;
  std::string time;           // ISO 8601
  std::string version;        // of tare
  std::string clock;          // of timed events: "tsc", "cntvct", "monotonic", "coarse"
  std::uint64_t tick_ns = 0;  // of a coarse clock; 0: finer than a nanosecond matters
  TraceEncoding encoding = TraceEncoding::kFull;
  TraceCost event_cost;           // of an event without a time
  TraceCost span_cost;            // a begin and its end together
  TraceCost inner_cost;           // the part of it between the two readings of the clock
  std::uint64_t sample_kept = 0;  // so many consecutive blocks of every sample_period; 0: all
  std::uint64_t sample_period = 0;

  friend bool operator==(const EventTraceHead&, const EventTraceHead&) = default;
};

// Tables only grow, in the order of the file.
struct EventTables {
  std::vector<TraceBlock> blocks;
  std::vector<TraceThread> threads;
  std::vector<EventSite> sites;
  std::vector<TraceFunction> functions;
  std::vector<std::uint32_t> block_functions;  // kNoFunction, or shorter than `blocks`: unknown

  // kNoFunction if unknown.
  std::uint32_t FunctionOf(std::uint32_t block) const {
    return block < block_functions.size() ? block_functions[block] : kNoFunction;
  }
};

// What a whole trace adds up to. A reader that only needs these need not decode its blocks.
struct BlockTotals {
  std::vector<std::uint64_t> executions;  // by block; may be shorter than the table
  std::uint64_t signals = 0;

  friend bool operator==(const BlockTotals&, const BlockTotals&) = default;
};

struct EventTraceEnd {
  std::uint64_t blocks = 0;  // executed blocks in the trace
  std::uint64_t timed = 0;
  std::uint64_t lost = 0;  // events that were not stored
  std::string loss;        // why
  std::uint64_t exit_status = 0;
  std::uint64_t wall_ns = 0;

  friend bool operator==(const EventTraceEnd&, const EventTraceEnd&) = default;
};

// What a reader finds out about a file as a whole.
struct EventTraceOutcome {
  bool complete = false;  // sealed, and nothing was lost
  std::string reason;     // why not: starts with "incomplete: "
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;  // of the whole chunks
  std::optional<EventTraceEnd> end;

  // The end record was read: the trace is complete unless events were lost.
  void StateEnd(const EventTraceEnd& of_file);
};

struct TouchedAddress {
  bool store = false;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Calls `visit` for the accesses of one execution, in program order. `words` are those of the
// execution; with fewer than the block has, nothing is visited.
void ForEachTouch(const TraceBlock& block, std::span<const std::uint64_t> words,
                  const std::function<void(const TouchedAddress&)>& visit);

}  // namespace tare::format
