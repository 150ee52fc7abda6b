// loop_work.h: the work of a signature by loop, as far as the models need it: for any machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "predict/signature/signature.h"

namespace tare::convolve {

// The index of a kind in WorkCounts.
constexpr std::size_t IndexOf(signature::Work work) { return static_cast<std::size_t>(work); }

// Blocks whose executions a core overlaps: those of one innermost loop, or those of a function that
// are in no loop. All numbers are of the whole run.
struct LoopWork {
  std::string function;    // empty: unknown
  std::string file;        // empty: unknown
  std::uint32_t line = 0;  // of the loop; 0: unknown
  bool is_loop = false;
  std::size_t part = 0;               // of the signature
  std::vector<std::uint32_t> blocks;  // of the part, by index

  double instructions = 0;
  signature::WorkCounts work = {};
  signature::WorkCounts chain = {};  // on the chains of dependences of its blocks, added up
  double chain_span = 0;             // instructions after which chains start anew; 0: never
  double scalar_floats = 0;          // additions, multiplications and fused ones
  double vector_floats = 0;
  double mispredictions = 0;
  double chained_loads = 0;
  // Lines of 64 bytes that steps of one to eight elements lead to, and larger ones that repeat.
  double loaded_stream_lines = 0;
  double stored_stream_lines = 0;
  double strided_lines = 0;
  double load_streams = 0;  // different ones, in the block that has most
  // Reuse and references of all blocks, added up.
  signature::Block reuse;
};

inline constexpr double kStrideLineBytes = 64;

struct SignatureWork {
  std::string architecture;
  signature::Grid grid;
  bool near_exact = true;
  std::vector<LoopWork> loops;  // by instructions, descending
  double instructions = 0;
  double references = 0;
  std::vector<Caveat> caveats;  // of the signature
};

struct WorkPlan {
  // Loops that have less than this share of instructions and of references are added to the rest of
  // their part.
  double min_share = 0.0005;
  std::size_t max_loops = 400;
  bool by_block = false;  // every block is a loop of its own
};

// All processes, one after another; a part that is one thread of a process is left out, because the
// part of its process contains it.
SignatureWork WorkOf(const signature::Signature& signature, const WorkPlan& plan = {});

// Adds the reuse and the counts of the whole run of `block` to those of `sum`. Both must be of the
// same grid.
void AddReuse(signature::Block& sum, const signature::Block& block, const signature::Grid& grid);

}  // namespace tare::convolve
