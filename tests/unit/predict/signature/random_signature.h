// random_signature.h: signatures with random contents, for round trips.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "predict/signature/signature.h"

namespace tare::signature {

class RandomSignature {
 public:
  explicit RandomSignature(std::uint64_t seed) : random_(seed) {}

  Signature Make() {
    Signature s;
    s.source = Below(2) == 0 ? Source::kValgrind : Source::kCompiled;
    s.architecture = Below(2) == 0 ? decode::Architecture::kX86_64 : decode::Architecture::kAArch64;
    s.tare = Text();
    s.time = Text();
    s.machine = Text();
    for (std::uint64_t i = Below(4); i > 0; --i) s.command.push_back(Text());
    s.status = static_cast<int>(Below(256));
    if (Below(2) == 0) s.native_seconds = Real();
    if (Below(2) == 0) s.grid.max_ways = 1 + static_cast<unsigned>(Below(32));
    if (Below(2) == 0) s.grid.line_bytes = {32, 64, 128};
    s.sampled_lines = Real();
    s.sampled_time = Real();
    s.near_exact = Below(2) == 0;
    s.complete = Below(2) == 0;
    s.caveats.push_back({CaveatId::kIncomplete, Text()});
    for (std::uint64_t i = 1 + Below(3); i > 0; --i)
      s.objects.push_back({Text(), Text(), Number()});
    for (std::uint64_t i = 1 + Below(3); i > 0; --i) s.parts.push_back(MakePart(s));
    return s;
  }

 private:
  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }
  // Small, large and 0.
  std::uint64_t Number() { return Below(3) == 0 ? 0 : random_() >> Below(64); }
  double Real() {
    switch (Below(4)) {
      case 0:
        return static_cast<double>(Below(100'000));
      case 1:
        return static_cast<double>(Below(1000)) / 8;
      case 2:
        return -static_cast<double>(Below(1000));
      default:
        return static_cast<double>(random_()) * 1e-9;
    }
  }
  std::string Text() {
    std::string text;
    for (std::uint64_t i = Below(12); i > 0; --i) text += static_cast<char>(Below(256));
    return text;
  }

  Part MakePart(const Signature& s) {
    Part part;
    part.process = Number();
    part.thread = Number();
    part.program = Text();
    for (std::uint32_t i = 0; i < Below(5); ++i) {
      part.loops.push_back({Text(), Text(), static_cast<std::uint32_t>(Below(1U << 31)),
                            i == 0 ? kNoLoop : static_cast<std::uint32_t>(Below(i)), Number(),
                            Number(), Real()});
    }
    for (std::uint64_t i = Below(20); i > 0; --i) part.blocks.push_back(MakeBlock(s, part));
    return part;
  }

  Block MakeBlock(const Signature& s, const Part& part) {
    Block block;
    block.object = static_cast<std::uint32_t>(Below(s.objects.size()));
    block.offset = Number();
    block.bytes = static_cast<std::uint32_t>(Below(1000));
    block.function = Text();
    block.file = Text();
    block.line = static_cast<std::uint32_t>(Below(10'000));
    if (!part.loops.empty() && Below(2) == 0)
      block.loop = static_cast<std::uint32_t>(Below(part.loops.size()));
    block.executions = Number();
    block.mispredictions = Number();
    block.instructions = Real();
    for (double& value : block.categories) value = Real();
    for (double& value : block.work) value = Real();
    for (double& value : block.chain) value = Real();
    for (std::uint64_t i = Below(3); i > 0; --i)
      block.floats.push_back({Work::kFloatFused, 4, 8, Real(), Real()});
    block.loads_by_address = {Real(), Real(), Real()};
    block.loads = Number();
    block.stores = Number();
    block.load_bytes = Number();
    block.store_bytes = Number();
    block.strides = {Number(), Real(), Real(), Real(), Real(),
                     Real(),   Real(), Real(), Real(), Real()};
    if (Below(3) > 0) block.near.at_depth = Counters(s.grid.Shapes() * s.grid.Depths());
    if (Below(3) > 0) block.near.write_backs = Counters(s.grid.Shapes() * s.grid.max_ways);
    block.near.moved = Real();
    block.near.moved_error = Real();
    for (std::uint64_t i = Below(kDistanceBins + 1); i > 0; --i)
      block.far.at_distance.push_back(Real());
    for (std::uint64_t i = Below(kDistanceBins + 2); i > 0; --i)
      block.far.beyond_error.push_back(Real());
    block.far.cold = Real();
    for (std::size_t i = 0; i < s.grid.page_bytes.size(); ++i)
      block.pages.push_back({Counters(Below(kDistanceBins + 1)), Number()});
    return block;
  }

  std::vector<std::uint64_t> Counters(std::size_t size) {
    std::vector<std::uint64_t> counters(size);
    for (std::uint64_t& counter : counters) counter = Number();
    return counters;
  }

  std::mt19937_64 random_;
};

}  // namespace tare::signature
