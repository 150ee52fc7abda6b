// trace_builder.h: gives blocks and threads their numbers in a trace, and keeps a sample of blocks.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

#include "format/event_writer.h"
#include "measure/count/images.h"
#include "measure/events/system_events.h"

namespace tare::events {

// k consecutive blocks of every P. With `kept` 0, all.
struct BlockSampling {
  std::uint64_t kept = 0;
  std::uint64_t period = 0;
};

class TraceBuilder {
 public:
  TraceBuilder(format::EventTraceWriter& writer, const BlockSampling& sampling)
      : writer_(writer), sampling_(sampling) {}

  // Equal blocks get the same number.
  std::uint32_t BlockNumber(const format::TraceBlock& block);
  std::uint32_t ThreadNumber(const format::TraceThread& thread);

  // The events that Pause() takes, too; they must outlive this object.
  void TakeFrom(SystemEvents& system) { system_ = &system; }
  // To be called often: adds what the system did, and flushes the trace if that is due.
  void Pause();

  void SetThread(std::uint32_t thread) {
    if (thread == thread_) return;
    thread_ = thread;
    if (IsKept()) MarkThread();
  }
  void AddSignal(std::uint64_t address) {
    if (IsKept()) writer_.AddMark(format::MarkKind::kSignal, address);
  }
  void AddBlock(std::uint32_t block, std::span<const std::uint64_t> words) {
    if (sampling_.kept == 0) {
      writer_.AddBlock(block, words);
      return;
    }
    AddSampled(block, words);
  }
  // Blocks without words.
  void AddBlocks(std::span<const std::uint32_t> blocks) {
    if (sampling_.kept == 0) {
      writer_.AddBlocks(blocks);
      return;
    }
    for (const std::uint32_t block : blocks) AddSampled(block, {});
  }
  // Call at the end: states the blocks after the last sample.
  void Finish();

  // Names the function of a block that is at this offset of a file.
  void NameBlock(std::uint32_t block, const std::string& path, std::uint64_t offset);

  format::EventTraceWriter& writer() { return writer_; }

 private:
  bool IsKept() const { return sampling_.kept == 0 || place_ < sampling_.kept; }
  void MarkThread() {
    writer_.AddMark(format::MarkKind::kThread, thread_);
    marked_ = thread_;
  }
  void AddSampled(std::uint32_t block, std::span<const std::uint64_t> words);

  format::EventTraceWriter& writer_;
  BlockSampling sampling_;
  SystemEvents* system_ = nullptr;
  std::unordered_map<std::string, std::uint32_t> blocks_;  // by what describes them
  std::map<std::string, std::uint32_t> functions_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> threads_;
  count::Images images_;
  std::uint32_t thread_ = UINT32_MAX;
  std::uint32_t marked_ = UINT32_MAX;
  std::uint64_t place_ = 0;    // in the period
  std::uint64_t skipped_ = 0;  // since the last sample
};

}  // namespace tare::events
