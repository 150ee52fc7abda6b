// flow_descriptions.h: the meaning of a flow's records, read while the engine appends descriptions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/result.h"
#include "format/flow_wire.h"
#include "format/wire.h"

namespace tare::format {

struct FlowAccess {
  tare_flow_kind kind = TARE_FLOW_LOAD;
  std::uint32_t bytes = 0;
  std::uint16_t word = 0;    // index of the word in the record; 0: none, the offset is the address
  std::uint64_t offset = 0;  // added to the word
  std::uint32_t code_offset = 0;  // offset of the instruction from the block's start
};

// Describes one kind of record.
struct FlowBlock {
  std::uint64_t block = 0;  // number of the block in the recording
  std::uint64_t address = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t instructions = 0;
  std::uint32_t flags = 0;  // tare_wire_block_flags
  // For a repeated instruction: false if control reached it, from before or by its own repetition;
  // true if its operation was performed.
  bool operation = false;
  std::uint16_t words = 1;           // words per record, including the first
  std::vector<FlowAccess> accesses;  // in program order
  std::span<const std::byte> code;   // valid as long as the reader
};

class FlowDescriptions {
 public:
  // Parses the next bytes of a recording's records, which must be whole records. Fails (kFormat) on
  // damaged records; the descriptions before them are kept.
  Result<void> Append(std::vector<std::byte> records);

  std::span<const FlowBlock> Described() const { return described_; }
  std::uint64_t BlockCount() const { return blocks_.size(); }

 private:
  struct Block {
    tare_wire_block wire;
    std::span<const std::byte> code;
  };

  Result<void> AppendBlock(std::span<const std::byte> record);
  Result<void> AppendDescription(std::span<const std::byte> record);

  std::deque<std::vector<std::byte>> record_bytes_;  // FlowBlock::code points into it
  std::vector<Block> blocks_;
  std::vector<FlowBlock> described_;
};

}  // namespace tare::format
