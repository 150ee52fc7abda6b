// loop_work.cc: adds blocks up by loop.
#include "predict/convolve/loop_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace tare::convolve {
namespace {

using signature::Block;
using signature::Grid;
using signature::Work;

template <typename Number>
void AddTo(std::vector<Number>& sum, const std::vector<Number>& more) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

// An empty table says that every reference is at depth 0.
void AddNear(Block& sum, const Block& block, const Grid& grid) {
  const std::size_t depths = grid.Depths();
  const auto fill = [&](Block& one) {
    if (!one.near.at_depth.empty()) return;
    one.near.at_depth.resize(grid.Shapes() * depths);
    for (std::size_t shape = 0; shape < grid.Shapes(); ++shape) {
      one.near.at_depth[shape * depths] = one.References();
    }
  };
  if (block.near.at_depth.empty() && sum.near.at_depth.empty()) return;
  fill(sum);
  if (block.near.at_depth.empty()) {
    for (std::size_t shape = 0; shape < grid.Shapes(); ++shape) {
      sum.near.at_depth[shape * depths] += block.References();
    }
  } else {
    AddTo(sum.near.at_depth, block.near.at_depth);
  }
  sum.near.moved += block.near.moved;
  // Blocks share the sets that are sampled, so their errors do not cancel.
  sum.near.moved_error += block.near.moved_error;
}

void AddFar(signature::FarReuse& sum, const signature::FarReuse& more) {
  AddTo(sum.at_distance, more.at_distance);
  sum.cold += more.cold;
  auto& errors = sum.beyond_error;
  if (errors.size() < more.beyond_error.size()) errors.resize(more.beyond_error.size());
  for (std::size_t i = 0; i < more.beyond_error.size(); ++i) {
    errors[i] = std::hypot(errors[i], more.beyond_error[i]);
  }
}

void AddBlock(LoopWork& loop, const Block& block, const Grid& grid) {
  const auto executions = static_cast<double>(block.executions);
  loop.instructions += executions * block.instructions;
  for (std::size_t kind = 0; kind < signature::kWorkKinds; ++kind) {
    loop.work[kind] += executions * block.work[kind];
    loop.chain[kind] += executions * block.chain[kind];
  }
  double vectors = 0;
  for (const signature::FloatWork& work : block.floats) {
    const bool pipelined = work.work != Work::kFloatDivide;
    if (pipelined && work.lanes > 1) vectors += work.instructions;
  }
  const double floats = block.work[IndexOf(Work::kFloatAdd)] +
                        block.work[IndexOf(Work::kFloatMultiply)] +
                        block.work[IndexOf(Work::kFloatFused)];
  loop.vector_floats += executions * std::min(vectors, floats);
  loop.scalar_floats += executions * std::max(floats - vectors, 0.0);
  loop.mispredictions += static_cast<double>(block.mispredictions);
  loop.chained_loads += executions * block.loads_by_address.chained;
  const auto references = static_cast<double>(block.References());
  if (references > 0) {
    signature::Strides strides = block.strides;
    // Unknown strides are streams as far as their bytes explain the lines.
    if (strides.sampled == 0) {
      strides.one = 1;
      const double lines = references * kStrideLineBytes;
      strides.stream_loads = static_cast<double>(block.load_bytes) / lines;
      strides.stream_stores = static_cast<double>(block.store_bytes) / lines;
    }
    loop.loaded_stream_lines += references * strides.stream_loads;
    loop.stored_stream_lines += references * strides.stream_stores;
    loop.strided_lines += references * strides.strided_lines;
    const double streaming = strides.one + strides.two + strides.three_to_eight;
    loop.load_streams = std::max(loop.load_streams, block.load_places * streaming);
  }
  AddReuse(loop.reuse, block, grid);
}

void AddLoop(LoopWork& sum, const LoopWork& loop, const Grid& grid) {
  sum.blocks.insert(sum.blocks.end(), loop.blocks.begin(), loop.blocks.end());
  sum.instructions += loop.instructions;
  for (std::size_t kind = 0; kind < signature::kWorkKinds; ++kind) {
    sum.work[kind] += loop.work[kind];
    sum.chain[kind] += loop.chain[kind];
  }
  sum.scalar_floats += loop.scalar_floats;
  sum.vector_floats += loop.vector_floats;
  sum.mispredictions += loop.mispredictions;
  sum.chained_loads += loop.chained_loads;
  sum.loaded_stream_lines += loop.loaded_stream_lines;
  sum.stored_stream_lines += loop.stored_stream_lines;
  sum.strided_lines += loop.strided_lines;
  sum.load_streams = std::max(sum.load_streams, loop.load_streams);
  AddReuse(sum.reuse, loop.reuse, grid);
}

// Loops of one part, by innermost loop or by function.
std::vector<LoopWork> LoopsOf(const signature::Part& part, std::size_t index, const Grid& grid,
                              bool by_block) {
  using Key = std::tuple<std::uint32_t, std::string, std::uint32_t>;
  std::map<Key, LoopWork> loops;
  for (std::uint32_t i = 0; i < part.blocks.size(); ++i) {
    const Block& block = part.blocks[i];
    const bool in_loop = block.loop < part.loops.size();
    const Key key{in_loop ? block.loop : signature::kNoLoop, in_loop ? "" : block.function,
                  by_block ? i : 0};
    auto [found, is_new] = loops.try_emplace(key);
    LoopWork& loop = found->second;
    if (is_new) {
      loop.part = index;
      loop.is_loop = in_loop;
      loop.function = in_loop ? part.loops[block.loop].function : block.function;
      loop.file = in_loop ? part.loops[block.loop].file : block.file;
      loop.line = in_loop ? part.loops[block.loop].line : block.line;
      if (in_loop) loop.chain_span = part.loops[block.loop].chain_span;
    }
    loop.blocks.push_back(i);
    AddBlock(loop, block, grid);
  }
  std::vector<LoopWork> all;
  for (auto& [key, loop] : loops) all.push_back(std::move(loop));
  return all;
}

std::vector<Caveat> SignatureCaveats(const signature::Signature& signature, std::size_t processes) {
  std::vector<Caveat> caveats = signature.caveats;
  if (!signature.complete) {
    caveats.push_back({CaveatId::kIncomplete, "the signature ends before the program did"});
  }
  if (processes > 1) {
    caveats.push_back({CaveatId::kOneCore, fmt::format("{} processes", processes)});
  }
  const bool threads = std::ranges::any_of(
      signature.parts, [](const signature::Part& part) { return part.thread > 1; });
  if (threads) caveats.push_back({CaveatId::kOneCore, "several threads"});
  return caveats;
}

}  // namespace

void AddReuse(Block& sum, const Block& block, const Grid& grid) {
  AddNear(sum, block, grid);
  AddTo(sum.near.write_backs, block.near.write_backs);
  AddFar(sum.far, block.far);
  if (sum.pages.size() < block.pages.size()) sum.pages.resize(block.pages.size());
  for (std::size_t i = 0; i < block.pages.size(); ++i) {
    AddTo(sum.pages[i].at_distance, block.pages[i].at_distance);
    sum.pages[i].cold += block.pages[i].cold;
  }
  sum.loads += block.loads;
  sum.stores += block.stores;
  sum.load_bytes += block.load_bytes;
  sum.store_bytes += block.store_bytes;
}

SignatureWork WorkOf(const signature::Signature& signature, const WorkPlan& plan) {
  SignatureWork work;
  work.architecture = decode::Name(signature.architecture);
  work.grid = signature.grid;
  work.near_exact = signature.near_exact;
  std::size_t processes = 0;
  std::vector<LoopWork> all;
  for (std::size_t i = 0; i < signature.parts.size(); ++i) {
    if (signature.parts[i].thread != 0) continue;
    ++processes;
    for (LoopWork& loop : LoopsOf(signature.parts[i], i, signature.grid, plan.by_block)) {
      work.instructions += loop.instructions;
      work.references += static_cast<double>(loop.reuse.References());
      all.push_back(std::move(loop));
    }
  }
  std::ranges::stable_sort(all, std::greater(), &LoopWork::instructions);
  std::map<std::size_t, LoopWork> rest;
  for (LoopWork& loop : all) {
    const bool large =
        loop.instructions >= plan.min_share * work.instructions ||
        static_cast<double>(loop.reuse.References()) >= plan.min_share * work.references;
    if (large && work.loops.size() < plan.max_loops) {
      work.loops.push_back(std::move(loop));
      continue;
    }
    LoopWork& sum = rest[loop.part];
    sum.part = loop.part;
    AddLoop(sum, loop, signature.grid);
  }
  for (auto& [part, loop] : rest) {
    loop.function = "(other code)";
    work.loops.push_back(std::move(loop));
  }
  work.caveats = SignatureCaveats(signature, processes);
  return work;
}

}  // namespace tare::convolve
