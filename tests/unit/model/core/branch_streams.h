// branch_streams.h: branches of synthetic programs, and how often a predictor mispredicts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/core/branch_unit.h"

namespace tare::model {

struct Branch {
  std::uint64_t address = 0;
  bool taken = false;
};

using Branches = std::vector<Branch>;

inline std::uint64_t Mispredicted(const Branching& branching, const Branches& branches,
                                  unsigned aligned_bits = 2) {
  BranchUnit unit(branching, aligned_bits);
  EventCounts counts;
  for (const Branch& branch : branches) unit.Conditional(branch.address, branch.taken, counts);
  return counts[Event::kConditionalMispredictions];
}

// One branch that repeats `pattern`: 'T' is taken.
inline Branches Repeat(const std::string& pattern, unsigned times, std::uint64_t address = 0x4000) {
  Branches branches;
  for (unsigned time = 0; time < times; ++time)
    for (const char way : pattern) branches.push_back({address, way == 'T'});
  return branches;
}

// `sites` branch addresses of any alignment, each with its own probability of being taken.
inline Branches Noise(unsigned sites, unsigned count, unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<Branch> places(sites);
  std::vector<std::uint64_t> percent(sites);
  for (unsigned site = 0; site < sites; ++site) {
    places[site].address = 0x10000 + draw() % 0x40000;
    percent[site] = draw() % 101;
  }
  Branches branches;
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t site = draw() % sites;
    branches.push_back({places[site].address, draw() % 100 < percent[site]});
  }
  return branches;
}

// Nested loops of successively changing lengths, with a branch that depends on the previous two.
inline Branches Structured(unsigned rounds) {
  Branches branches;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned outer = 0; outer < 3 + round % 4; ++outer) {
      for (unsigned inner = 0; inner < 5; ++inner) {
        const bool odd = (inner + outer) % 2 != 0;
        const bool third = (inner + round) % 3 == 0;
        branches.push_back({0x400100, odd});
        branches.push_back({0x400122, third});
        branches.push_back({0x400144, odd != third});
        branches.push_back({0x400170, inner + 1 < 5});
      }
      branches.push_back({0x400190, outer + 1 < 3 + round % 4});
    }
  }
  return branches;
}

}  // namespace tare::model
