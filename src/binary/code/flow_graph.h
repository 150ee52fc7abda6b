// flow_graph.h: the straight pieces of a function's code and how control goes from one to another.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"
#include "binary/elf/unwind_frames.h"

namespace tare::code {

// Stands for all that is not the function.
inline constexpr std::uint32_t kOutside = UINT32_MAX;

enum class FlowKind : std::uint8_t {
  kEnter,
  kNext,     // on to the next instruction
  kTaken,    // of a direct branch
  kTable,    // of an indirect jump
  kUnwound,  // an exception came out of a call
  kAgain,    // a call came back once more, as setjmp does
  kReturn,
  kTailCall,
  kStop,  // a call that never comes back, a trap
  kLost,  // a call that did not come back, although it could have
};

struct FlowEdge {
  std::uint32_t from = kOutside;
  std::uint32_t to = kOutside;
  FlowKind kind = FlowKind::kNext;
};

struct FlowBlock {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t instructions = 0;
  bool conditional = false;             // ends in a conditional branch
  bool calls = false;                   // ends in a call; others may be inside
  std::optional<std::uint64_t> callee;  // of a direct call or tail call at the end
};

struct FlowGraph {
  std::vector<FlowBlock> blocks;  // by address
  std::vector<FlowEdge> edges;

  // The block around an address, or kOutside.
  std::uint32_t BlockAt(std::uint64_t address) const;
};

// What is known about a function beyond its code. Addresses are those of the file.
struct FlowHints {
  std::set<std::uint64_t> no_return;   // the next call behind each never comes back
  std::set<std::uint64_t> comes_back;  // the call in front of each may come back again
  std::vector<elf::LandingPad> pads;
  std::set<std::uint64_t> came_back;  // the call in front of each always comes back
  bool calls_may_not_return = false;
  bool may_stop_anywhere = false;  // each block may be the last
};

FlowGraph ReadFlowGraph(const elf::ElfImage& image, const elf::Function& function,
                        decode::Decoder& decoder, const FlowHints& hints);

}  // namespace tare::code
