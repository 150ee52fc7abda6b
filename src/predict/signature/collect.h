// collect.h: runs a program once and collects how each of its blocks uses memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/recording.h"
#include "machine/host/engine_files.h"
#include "measure/engine/engine_run.h"
#include "measure/run/process.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// How much of the run is looked at. Executions, loads and stores are always exact.
struct Sampling {
  // Near zone: so many of the 32 groups of sets that all shapes have in common, chosen by the seed.
  // 32: exact.
  unsigned near_groups = 2;
  // Far zone: the share of lines is 2^-far_bits; it is halved whenever there are more than
  // max_far_lines.
  unsigned far_bits = 6;
  std::uint64_t max_far_lines = 1 << 18;
  // Distances of pages are exact with 1. With more, they may be wrong by this many pages.
  unsigned page_entries = 8;
  // Pages are looked at in the first page_chunks of every page_period chunks, and counted in the
  // second half of them.
  unsigned page_chunks = 32;
  unsigned page_period = 256;
  // Strides: in the first burst_chunks of every burst_period chunks of 65,536 bytes of the flow.
  unsigned burst_chunks = 1;
  unsigned burst_period = 256;
  // Branches are predicted in the first branch_chunks of every branch_period chunks, and counted
  // from the second of them on.
  unsigned branch_chunks = 3;
  unsigned branch_period = 32;
  // Pages, strides and branches, from the valgrind source, without vectors, regions and separate
  // threads: in the first window_parts of every window_period parts of the run. Strides
  // are taken in burst_chunks of every 16 chunks of a window; pages are counted after page_chunks /
  // 2, branches after 1.
  unsigned window_parts = 1;
  unsigned window_period = 32;
  std::uint64_t seed = 1;

  // The near zone and branches are exact. Far distances, pages and strides are sampled all the
  // same.
  static Sampling Exact();
};

struct CollectPlan {
  Source source = Source::kValgrind;
  host::EngineFiles files;
  engine::EnginePlan engine;  // virtual_pmu is ignored
  Grid grid;
  Sampling sampling;
  unsigned stride_depth = 8;   // earlier references that a reference is compared with
  bool threads_apart = false;  // also each thread with caches of its own
  // Instructions per basic-block vector of the first process; 0: no vectors.
  std::uint64_t vector_instructions = 0;
};

// The use of memory by one block in the whole run.
struct BlockUse {
  std::uint64_t executions = 0;  // as in format::Block
  std::uint64_t second = 0;      // as in format::Block
  std::uint64_t mispredictions = 0;
  std::uint64_t loads = 0;  // accesses, each once, whatever lines it spans
  std::uint64_t stores = 0;
  std::uint64_t load_bytes = 0;
  std::uint64_t store_bytes = 0;
  Strides strides;
  NearReuse near;
  FarReuse far;
  std::vector<PageReuse> pages;  // by Grid::page_bytes
};

// One process between two execve calls, or one of its threads.
struct CollectedPart {
  std::size_t recording = 0;       // index into Collected::recordings
  std::uint64_t thread = 0;        // from 1; 0: all threads of the process together
  std::vector<BlockUse> blocks;    // by format::Block::number
  bool has_mispredictions = true;  // false: the source sees no branches
};

// Executions of blocks in one interval of the run, for SimPoint.
struct BlockVector {
  struct Element {
    std::uint32_t block = 0;  // format::Block::number
    std::uint64_t executions = 0;
  };
  std::vector<Element> blocks;  // by number; only those that ran
};

struct Collected {
  Source source = Source::kValgrind;
  run::Finished finished;
  std::vector<format::Recording> recordings;  // with the counts of the whole process
  std::optional<engine::Coverage> coverage;   // of the compiled source
  std::vector<CollectedPart> parts;           // in order of recordings; threads after their process
  std::vector<BlockVector> vectors;           // of recordings[0]
  std::vector<Caveat> caveats;
  Grid grid;
  double sampled_lines = 1;  // as in Signature
  double sampled_time = 1;
  bool near_exact = true;
  bool complete = true;
};

// Runs the program once. kUnsupported when the engine is missing, or the program has no stream.
Result<Collected> Collect(const CollectPlan& plan);

}  // namespace tare::signature
