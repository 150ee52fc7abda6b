// abstract_blocks.h: stores executed blocks as the outcomes that their control flow leaves open.
//
// A block that has one successor needs nothing, a conditional branch one bit, a return nothing if
// it goes back to its call. Bits and targets are predicted from what happened before, and only the
// surprise is stored. What breaks the rules (a signal, an exception, changed code) is stored as an
// exception, so that every sequence of blocks is regenerated exactly. docs/methods/event-traces.md
// describes the method.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "format/event_trace.h"

namespace tare::format {

class AbstractModel;

// Chunks must be encoded in the order of the trace.
class AbstractEncoder {
 public:
  AbstractEncoder();
  ~AbstractEncoder();
  AbstractEncoder(AbstractEncoder&&) noexcept;
  AbstractEncoder& operator=(AbstractEncoder&&) noexcept;

  // Call before Encode() when the tables have grown.
  void Learn(const EventTables& tables);
  // Replaces `raw`. All blocks of the batch must have been learnt.
  void Encode(const BlockBatch& batch, std::string& raw);

 private:
  std::unique_ptr<AbstractModel> model_;  // several MiB; made when it is needed
};

// Chunks must be decoded in the order in which they were encoded.
class AbstractDecoder {
 public:
  AbstractDecoder();
  ~AbstractDecoder();
  AbstractDecoder(AbstractDecoder&&) noexcept;
  AbstractDecoder& operator=(AbstractDecoder&&) noexcept;

  // Replaces the contents of `batch`.
  Result<void> Decode(std::span<const std::byte> raw, const EventTables& tables, BlockBatch& batch);

 private:
  std::unique_ptr<AbstractModel> model_;  // several MiB; made when it is needed
};

}  // namespace tare::format
