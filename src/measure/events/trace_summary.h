// trace_summary.h: counts what is in an event trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/measured.h"
#include "base/result.h"
#include "format/event_reader.h"

namespace tare::events {

// The executions of one function's blocks.
struct FunctionTotals {
  std::string name;
  std::string object;
  std::uint64_t blocks = 0;
  std::uint64_t instructions = 0;
  Measured share;  // of the instructions; with an interval if the trace is a sample
};

// The events of all sites with one name.
struct SiteTotals {
  format::SiteKind kind = format::SiteKind::kEvent;
  std::string name;
  std::string absent;        // of the system: why there are none
  std::uint64_t events = 0;  // or spans that ended
  double seconds = 0;        // of spans, together, callees included
  double own_seconds = 0;    // without the spans inside
  Measured mean;             // of a span, in seconds
  Measured corrected;        // the mean without the cost of recording; absent without calibration
  double min_value = 0;      // of values
  double max_value = 0;
  double sum_value = 0;
};

struct TraceSummary {
  format::EventTraceHead head;
  format::EventTraceOutcome outcome;
  std::uint64_t blocks = 0;
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t words = 0;
  std::uint64_t timed = 0;
  std::uint64_t of_system = 0;  // of the timed events
  std::uint64_t skipped = 0;    // blocks that the sample leaves out
  std::uint64_t signals = 0;
  std::uint64_t different_blocks = 0;  // that ran
  std::uint64_t threads = 0;           // with events that are not of the system, if there are such
  std::uint64_t processes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t unmatched = 0;            // begins without an end, and ends without a begin
  double seconds = 0;                     // from the first timed event to the last
  std::vector<FunctionTotals> functions;  // most instructions first
  std::vector<SiteTotals> sites;          // longest, then most events first
};

// Adds up a trace while it is written or read.
class TraceTotals {
 public:
  // The header and the tables must outlive this object; the tables may grow.
  TraceTotals(const format::EventTraceHead& head, const format::EventTables& tables,
              double confidence);
  ~TraceTotals();
  TraceTotals(const TraceTotals&) = delete;
  TraceTotals& operator=(const TraceTotals&) = delete;

  void Take(const format::BlockBatch& blocks, std::span<const format::TimedEvent> timed);
  // Blocks that a reader did not list. Not for samples.
  void Add(const format::BlockTotals& blocks);
  // Of all blocks so far.
  format::BlockTotals Blocks() const;
  // Call once, at the end.
  TraceSummary Finish(const format::EventTraceOutcome& outcome);

 private:
  class Summarizer;
  std::unique_ptr<Summarizer> summarizer_;
};

// Reads the whole file, and decodes its blocks if that is needed. Fails only if its header cannot
// be read.
Result<TraceSummary> Summarize(const std::filesystem::path& path, double confidence);

}  // namespace tare::events
