// made_blocks.h: blocks of hand-assembled code, as an engine would have recorded them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "trace/recording.h"

namespace tare::count {

inline std::vector<std::byte> Bytes(std::initializer_list<unsigned> bytes) {
  std::vector<std::byte> code;
  for (const unsigned byte : bytes) code.push_back(static_cast<std::byte>(byte));
  return code;
}

inline std::vector<std::byte> Words(std::initializer_list<std::uint32_t> words) {
  std::vector<std::byte> code;
  for (const std::uint32_t word : words) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      code.push_back(static_cast<std::byte>(word >> shift & 0xff));
    }
  }
  return code;
}

inline trace::Block MadeBlock(std::vector<std::byte> code, std::uint32_t instructions,
                              std::uint64_t executions) {
  trace::Block block;
  block.address = 0x1000;
  block.code = std::move(code);
  block.instructions = instructions;
  block.executions = executions;
  return block;
}

inline trace::Block Conditional(trace::Block block, std::uint64_t went_on) {
  block.conditional = true;
  block.second = went_on;
  return block;
}

inline trace::Block Repeated(trace::Block block, std::uint64_t iterations) {
  block.repeated = true;
  block.second = iterations;
  return block;
}

inline trace::Recording MadeRecording(std::uint16_t machine, std::vector<trace::Block> blocks) {
  trace::Recording recording;
  recording.machine = machine;
  recording.process = 1;
  recording.threads = 1;
  recording.blocks = std::move(blocks);
  return recording;
}

inline trace::Recording X86(std::vector<trace::Block> blocks) {
  return MadeRecording(TARE_WIRE_X86_64, std::move(blocks));
}

inline trace::Recording Arm(std::vector<trace::Block> blocks) {
  return MadeRecording(TARE_WIRE_AARCH64, std::move(blocks));
}

}  // namespace tare::count
