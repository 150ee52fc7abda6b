// block_times.cc: divides the times of loops among their blocks, and blocks into disjoint pieces.
#include "predict/convolve/block_times.h"

#include <algorithm>
#include <limits>
#include <map>

#include "predict/convolve/loop_time.h"
#include "predict/convolve/loop_work.h"

namespace tare::convolve {
namespace {

constexpr auto kAllLoops = std::numeric_limits<std::size_t>::max();

signature::Signature OnlyCodeOf(const signature::Signature& signature, std::uint32_t object) {
  signature::Signature only;
  only.architecture = signature.architecture;
  only.grid = signature.grid;
  only.near_exact = signature.near_exact;
  for (const signature::Part& part : signature.parts) {
    if (part.thread != 0) continue;
    signature::Part& kept = only.parts.emplace_back();
    kept.loops = part.loops;
    std::ranges::copy_if(part.blocks, std::back_inserter(kept.blocks),
                         [object](const auto& block) { return block.object == object; });
  }
  return only;
}

// For each loop of the work, its seconds.
std::vector<double> SecondsOf(const SignatureWork& work, const MachineRates& rates) {
  const auto uses = UsesOf(work, rates);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < work.loops.size(); ++i) {
    seconds.push_back(TimeOf(work.loops[i], uses[i], rates.costs, Model::kOverlap).total);
  }
  return seconds;
}

// By part and block.
using BlockSeconds = std::vector<std::vector<double>>;

BlockSeconds AloneSeconds(const signature::Signature& signature, const MachineRates& rates) {
  const auto work = WorkOf(signature, {0, kAllLoops, true});
  const auto seconds = SecondsOf(work, rates);
  BlockSeconds alone;
  for (const signature::Part& part : signature.parts) alone.emplace_back(part.blocks.size(), 0);
  for (std::size_t i = 0; i < work.loops.size(); ++i) {
    const LoopWork& loop = work.loops[i];
    for (const std::uint32_t block : loop.blocks) alone[loop.part][block] = seconds[i];
  }
  return alone;
}

BlockSeconds SharedSeconds(const signature::Signature& signature, const MachineRates& rates) {
  BlockSeconds shared = AloneSeconds(signature, rates);
  const auto work = WorkOf(signature, {0, kAllLoops, false});
  const auto seconds = SecondsOf(work, rates);
  for (std::size_t i = 0; i < work.loops.size(); ++i) {
    const LoopWork& loop = work.loops[i];
    double sum = 0;
    for (const std::uint32_t block : loop.blocks) sum += shared[loop.part][block];
    if (!(sum > 0)) continue;
    for (const std::uint32_t block : loop.blocks) shared[loop.part][block] *= seconds[i] / sum;
  }
  return shared;
}

// What begins or ends at a place of the file.
struct Change {
  double seconds_per_byte = 0;  // of all executions
  double executions = 0;
  int blocks = 0;
};

}  // namespace

BlockTimes::BlockTimes(const signature::Signature& signature, std::uint32_t object,
                       const MachineRates& rates) {
  const auto only = OnlyCodeOf(signature, object);
  const auto seconds = SharedSeconds(only, rates);
  std::map<std::uint64_t, Change> changes;
  double executed_bytes = 0;
  for (std::size_t part = 0; part < only.parts.size(); ++part) {
    for (std::size_t i = 0; i < only.parts[part].blocks.size(); ++i) {
      const signature::Block& block = only.parts[part].blocks[i];
      const auto bytes = static_cast<double>(block.bytes);
      const auto executions = static_cast<double>(block.executions);
      if (bytes == 0 || executions == 0) continue;
      const double density = seconds[part][i] / bytes;
      const auto apply = [&](std::uint64_t place, int sign) {
        Change& change = changes[place];
        change.seconds_per_byte += sign * density;
        change.executions += sign * executions;
        change.blocks += sign;
      };
      apply(block.offset, 1);
      apply(block.offset + block.bytes, -1);
      total_ += seconds[part][i];
      executed_bytes += bytes * executions;
    }
  }
  if (executed_bytes > 0) mean_ = total_ / executed_bytes;
  Change now;
  for (auto at = changes.begin(); at != changes.end(); ++at) {
    now.seconds_per_byte += at->second.seconds_per_byte;
    now.executions += at->second.executions;
    now.blocks += at->second.blocks;
    if (now.blocks == 0) now = {};  // without what rounding left
    const auto next = std::next(at);
    if (now.blocks == 0 || next == changes.end()) continue;
    pieces_.push_back({at->first, next->first, now.seconds_per_byte / now.executions});
  }
}

double BlockTimes::Seconds(std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t end = offset + bytes;
  double seconds = 0;
  std::uint64_t covered = 0;
  auto piece = std::ranges::upper_bound(pieces_, offset, {}, &Piece::end);
  for (; piece != pieces_.end() && piece->start < end; ++piece) {
    const std::uint64_t both = std::min(end, piece->end) - std::max(offset, piece->start);
    seconds += static_cast<double>(both) * piece->seconds_per_byte;
    covered += both;
  }
  return seconds + static_cast<double>(bytes - covered) * mean_;
}

}  // namespace tare::convolve
