// synthetic_blocks.h: blocks of hand-assembled code, as an engine would record them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "format/recording.h"

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

inline format::Block SyntheticBlock(std::vector<std::byte> code, std::uint32_t instructions,
                                    std::uint64_t executions) {
  format::Block block;
  block.address = 0x1000;
  block.code = std::move(code);
  block.instructions = instructions;
  block.executions = executions;
  return block;
}

inline format::Block Conditional(format::Block block, std::uint64_t went_on) {
  block.conditional = true;
  block.second = went_on;
  return block;
}

inline format::Block Repeated(format::Block block, std::uint64_t iterations) {
  block.repeated = true;
  block.second = iterations;
  return block;
}

inline format::Recording SyntheticRecording(std::uint16_t machine,
                                            std::vector<format::Block> blocks) {
  format::Recording recording;
  recording.machine = machine;
  recording.process = 1;
  recording.threads = 1;
  recording.blocks = std::move(blocks);
  return recording;
}

inline format::Recording X86(std::vector<format::Block> blocks) {
  return SyntheticRecording(TARE_WIRE_X86_64, std::move(blocks));
}

inline format::Recording Arm(std::vector<format::Block> blocks) {
  return SyntheticRecording(TARE_WIRE_AARCH64, std::move(blocks));
}

}  // namespace tare::count
