// code_graph.h: the control flow among the blocks of a function that ran, and its loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "binary/code/jump_tables.h"
#include "binary/decode/architecture.h"
#include "binary/decode/instruction.h"
#include "binary/decode/register_use.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// A recorded block. Blocks may overlap: a jump into the middle of one starts another.
struct RecordedBlock {
  std::uint64_t address = 0;
  std::span<const std::byte> code;
  std::uint32_t instructions = 0;
  std::uint64_t executions = 0;
  bool conditional = false;
  std::uint64_t not_taken = 0;  // of a conditional block
};

struct CodeStep {
  std::uint64_t address = 0;
  decode::Instruction instruction;
  decode::RegisterUse use;
};

// A part of a recorded block that is entered only at its start: all recorded blocks are made of
// whole pieces.
struct CodePiece {
  std::size_t first = 0;  // in CodeGraph::steps
  std::size_t steps = 0;
  std::uint64_t executions = 0;
  std::vector<std::uint32_t> next;
  std::vector<std::uint64_t> taken;  // by `next`: how often; UINT64_MAX: unknown
  std::vector<std::uint32_t> previous;
  std::uint32_t order = 0;  // in reverse post-order from the entries
  std::uint32_t loop = kNoLoop;
};

// A natural loop: the header dominates every piece.
struct CodeLoop {
  std::uint32_t header = 0;
  std::uint32_t parent = kNoLoop;
  std::vector<std::uint32_t> pieces;
  std::uint64_t entries = 0;
  std::uint64_t iterations = 0;
};

struct CodeGraph {
  std::vector<CodeStep> steps;  // by address
  std::vector<CodePiece> pieces;
  std::vector<CodeLoop> loops;  // inner ones before the loops that contain them
  std::unordered_map<std::uint64_t, std::size_t> step_at;
  std::vector<std::uint32_t> piece_of;  // by step
};

// Edges are those that were taken: falling through, direct branches, returns from calls to the
// instruction behind them, and indirect jumps to the targets in `jumps` (by address at run time).
// Blocks whose code cannot be decoded end there.
CodeGraph BuildCodeGraph(decode::Architecture architecture, std::span<const RecordedBlock> blocks,
                         const code::JumpTargets& jumps);

}  // namespace tare::signature
