// flow_graph.h: the control-flow graph of a function: basic blocks and edges.
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

// Represents everything outside of the function.
inline constexpr std::uint32_t kOutside = UINT32_MAX;

enum class FlowKind : std::uint8_t {
  kEnter,
  kNext,     // fall-through
  kTaken,    // of a direct branch
  kTable,    // of an indirect jump
  kUnwound,  // an exception propagated out of a call
  kAgain,    // a call returned a second time, as setjmp does
  kReturn,
  kTailCall,
  kStop,  // a call that never returns, or a trap
  kLost,  // a call that did not return, although it could have
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
  bool calls = false;                   // ends in a call; may contain others
  std::optional<std::uint64_t> callee;  // of a direct call or tail call at the end
};

struct FlowGraph {
  std::vector<FlowBlock> blocks;  // by address
  std::vector<FlowEdge> edges;

  // The block that contains an address, or kOutside.
  std::uint32_t BlockAt(std::uint64_t address) const;
};

// Facts about a function that its code does not contain. Addresses are those of the file.
struct FlowHints {
  std::set<std::uint64_t> no_return;   // the next call after each address never returns
  std::set<std::uint64_t> comes_back;  // the call before each address may return again
  std::vector<elf::LandingPad> pads;
  std::set<std::uint64_t> came_back;  // the call before each address always returns
  bool calls_may_not_return = false;
  bool may_stop_anywhere = false;  // each block may be the last
};

FlowGraph ReadFlowGraph(const elf::ElfImage& image, const elf::Function& function,
                        decode::Decoder& decoder, const FlowHints& hints);

}  // namespace tare::code
