// flow_descriptions.h: what the records of a flow tell, learnt while the engine appends it.
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
  std::uint16_t word = 0;         // of the record; 0: none, the offset is the address
  std::uint64_t offset = 0;       // added to the word
  std::uint32_t code_offset = 0;  // of the instruction, from the block's start
};

// What one kind of record tells.
struct FlowBlock {
  std::uint64_t block = 0;  // number of the block in the recording
  std::uint64_t address = 0;
  std::uint32_t code_bytes = 0;
  std::uint32_t instructions = 0;
  std::uint32_t flags = 0;  // tare_wire_block_flags
  // Of a repeated instruction: false when it was come to, for the first time or by its own way
  // back; true when its operation is done.
  bool operation = false;
  std::uint16_t words = 1;           // of a record, the first one included
  std::vector<FlowAccess> accesses;  // in the order of the program
  std::span<const std::byte> code;   // lives as long as the reader
};

class FlowDescriptions {
 public:
  // The next bytes of a recording's records, whole ones. kFormat for damage; what stands before it
  // is known then.
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

  std::deque<std::vector<std::byte>> held_;  // code points into it
  std::vector<Block> blocks_;
  std::vector<FlowBlock> described_;
};

}  // namespace tare::format
