// example_signature.h: kernels whose use of memory is known, as signatures for tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machine/profile/machine_profile.h"
#include "predict/signature/signature.h"
#include "tests/unit/machine/profile/example_profile.h"

namespace tare::convolve {

// References that find their line after `distance` other lines.
struct Reuse {
  std::uint64_t distance;
  std::uint64_t references;
};

inline void SetReuse(signature::Block& block, const signature::Grid& grid,
                     const std::vector<Reuse>& reuses) {
  block.near.at_depth.assign(grid.Shapes() * grid.Depths(), 0);
  block.far.at_distance.assign(signature::kDistanceBins, 0);
  block.pages.assign(grid.page_bytes.size(), {});
  for (signature::PageReuse& page : block.pages) {
    page.at_distance.assign(signature::kDistanceBins, 0);
  }
  for (const Reuse& reuse : reuses) {
    for (std::size_t line = 0; line < grid.line_bytes.size(); ++line) {
      std::uint64_t sets = grid.min_way_bytes / grid.line_bytes[line];
      for (unsigned i = 0; i < grid.SetCounts(); ++i, sets *= 2) {
        const std::size_t shape = *grid.ShapeOf(grid.line_bytes[line], sets);
        // Lines spread evenly over the sets.
        const std::uint64_t depth =
            std::min<std::uint64_t>((reuse.distance + sets - 1) / sets, grid.max_ways);
        block.near.at_depth[shape * grid.Depths() + depth] += reuse.references;
      }
    }
    block.far.at_distance[signature::DistanceBin(reuse.distance)] +=
        static_cast<double>(reuse.references);
    for (std::size_t i = 0; i < grid.page_bytes.size(); ++i) {
      const std::uint64_t pages = reuse.distance * 64 / grid.page_bytes[i];
      block.pages[i].at_distance[signature::DistanceBin(pages)] += reuse.references;
    }
  }
}

// A block that is executed `executions` times and loads `loads` words each time.
inline signature::Block LoadBlock(std::uint64_t executions, std::uint64_t loads) {
  signature::Block block;
  block.function = "kernel";
  block.executions = executions;
  block.instructions = static_cast<double>(loads) + 2;
  block.work[static_cast<std::size_t>(signature::Work::kLoad)] = static_cast<double>(loads);
  block.work[static_cast<std::size_t>(signature::Work::kInteger)] = 1;
  block.work[static_cast<std::size_t>(signature::Work::kBranch)] = 1;
  block.loads_by_address.independent = static_cast<double>(loads);
  block.loads = executions * loads;
  block.load_bytes = 8 * block.loads;
  block.strides.sampled = block.loads;
  return block;
}

// Far beyond every cache of the example machine.
inline constexpr std::uint64_t kFarLines = 1 << 20;

// Sums `words` words again and again: one line in eight loads comes from memory.
inline signature::Block StreamBlock(const signature::Grid& grid, std::uint64_t words) {
  signature::Block block = LoadBlock(words / 8, 8);
  block.strides.one = 1;
  block.strides.stream_loads = 1.0 / 8;
  SetReuse(block, grid, {{kFarLines, words / 8}, {0, words - words / 8}});
  return block;
}

// Every load misses; its address is known (`random`) or is in the line before (`chained`).
inline signature::Block MissBlock(const signature::Grid& grid, std::uint64_t loads, bool chained) {
  signature::Block block = LoadBlock(loads, 1);
  block.strides.random = 1;
  if (chained) {
    block.loads_by_address = {0, 0, 1};
    block.chain[static_cast<std::size_t>(signature::Work::kLoad)] = 1;
  }
  SetReuse(block, grid, {{kFarLines, loads}});
  return block;
}

// All loads hit the first cache; each execution has a chain of `links` additions.
inline signature::Block ArithmeticBlock(const signature::Grid& grid, std::uint64_t executions,
                                        double links) {
  signature::Block block = LoadBlock(executions, 1);
  block.chain[static_cast<std::size_t>(signature::Work::kFloatAdd)] = links;
  block.work[static_cast<std::size_t>(signature::Work::kFloatAdd)] = links;
  block.strides.same = 1;
  SetReuse(block, grid, {{0, executions}});
  return block;
}

inline signature::Signature SignatureOf(std::vector<signature::Block> blocks,
                                        std::vector<signature::Loop> loops = {}) {
  signature::Signature signature;
  signature.architecture = decode::Architecture::kAArch64;  // as the example profile
  signature.command = {"./kernel", "1"};
  signature::Part part;
  part.process = 1;
  part.blocks = std::move(blocks);
  part.loops = std::move(loops);
  signature.parts.push_back(std::move(part));
  return signature;
}

// The example machine of the profile tests with all rates that predictions need: 1 GHz, four
// instructions and two loads per cycle, additions of floating-point numbers take 4 cycles.
inline machine_profile::Profile ExampleMachine() {
  using machine_profile::Plain;
  machine_profile::Profile profile = machine_profile::ExampleProfile();
  profile.curves.clear();
  profile.conditions.clear();
  profile.tlbs = {{"TLB 1", 4096, 1 << 20, machine_profile::Origin::kMeasured, Plain(20e-9)}};
  profile.levels.front().load = Plain(16e9);
  profile.levels.front().store = Plain(8e9);
  const auto add = [&](const char* name, const char* unit, double value) {
    profile.rates.push_back({name, unit, Plain(value), ""});
  };
  add("clock", "Hz", 1e9);
  add("widest element", "B", 8);
  add("mixed instructions", "op/s", 4e9);
  add("store forwarding latency", "s", 5e-9);
  add("overlap", "", 1);
  for (const char* kind : {"integer add", "integer multiply", "integer add vector"}) {
    add(kind, "op/s", 2e9);
    add(fmt::format("{} latency", kind).c_str(), "s", 1e-9);
  }
  for (const char* kind : {"fp64 add", "fp64 multiply", "fp64 add vector"}) {
    add(kind, "flop/s", 2e9);
    add(fmt::format("{} latency", kind).c_str(), "s", 4e-9);
  }
  add("integer divide latency", "s", 20e-9);
  add("fp64 divide latency", "s", 15e-9);
  return profile;
}

}  // namespace tare::convolve
