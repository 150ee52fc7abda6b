// sign_usage.h: the use of memory by groups of blocks: one block, a function, a loop, a process.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/signature/cache_hits.h"
#include "predict/signature/signature.h"

namespace tare::cli {

struct MemoryUsage {
  std::string name;      // unique in its table
  std::string function;  // empty: unknown
  std::string source;    // "file.c:12"; empty: unknown
  std::uint64_t executions = 0;
  std::uint64_t entries = 0;     // of a loop
  std::uint64_t iterations = 0;  // of a loop
  unsigned depth = 0;            // of a loop: 1 for an outermost one
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  double bytes = 0;
  double instructions = 0;
  double flops = 0;
  signature::Strides strides;  // shares of all references
  signature::LoadsByAddress addresses;
  signature::WorkCounts chain = {};
  std::vector<signature::LevelUse> levels;  // by hierarchy

  double References() const { return static_cast<double>(loads + stores); }
};

struct SignUsages {
  MemoryUsage total;
  std::vector<MemoryUsage> blocks;  // all by references, descending
  std::vector<MemoryUsage> functions;
  std::vector<MemoryUsage> loops;  // innermost: without the loops inside of them
  std::vector<MemoryUsage> parts;
};

// Blocks at the same place in several processes are one row. Threads that were collected apart are
// only in `parts`: the processes contain them.
SignUsages SumUsages(const signature::Signature& signature,
                     std::span<const signature::Hierarchy> hierarchies);

}  // namespace tare::cli
