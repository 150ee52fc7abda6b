// predicted_blocks.h: stores executed blocks as what a quick predictor did not foresee.
//
// The last blocks predict the next one, as in VPC3 (Burtscher, 2004). Only misses are stored. This
// takes a fraction of the time of abstract_blocks.h, and some more bytes.
// docs/methods/event-traces.md describes the method.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "format/event_trace.h"

namespace tare::format {

class BlockPredictor;
class MissParts;

// Chunks must be encoded in the order of the trace.
class PredictedEncoder {
 public:
  PredictedEncoder();
  ~PredictedEncoder();
  PredictedEncoder(PredictedEncoder&&) noexcept;
  PredictedEncoder& operator=(PredictedEncoder&&) noexcept;

  // Call before Encode() when the tables have grown.
  void Learn(const EventTables& tables);
  // Replaces `raw`. All blocks of the batch must have been learnt.
  void Encode(const BlockBatch& batch, std::string& raw);

 private:
  // Several MiB; made when they are needed.
  std::unique_ptr<BlockPredictor> predictor_;
  std::unique_ptr<MissParts> parts_;
};

// Chunks must be decoded in the order in which they were encoded.
class PredictedDecoder {
 public:
  PredictedDecoder();
  ~PredictedDecoder();
  PredictedDecoder(PredictedDecoder&&) noexcept;
  PredictedDecoder& operator=(PredictedDecoder&&) noexcept;

  // Replaces the contents of `batch`.
  Result<void> Decode(std::span<const std::byte> raw, const EventTables& tables, BlockBatch& batch);

 private:
  std::unique_ptr<BlockPredictor> predictor_;  // several MiB; made when it is needed
};

}  // namespace tare::format
