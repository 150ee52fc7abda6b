// source_mix.cc: a second walk over all code, parallel to the rows of the line table.
#include "binary/mix/source_mix.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "base/check.h"

namespace tare::mix {
namespace {

// A range of an inlined body, for a sweep over addresses.
struct Body {
  std::uint64_t start;
  std::uint64_t end;
  std::uint32_t depth;
  std::uint32_t function;
};

struct Shallower {
  bool operator()(const Body* a, const Body* b) const { return a->depth < b->depth; }
};

std::vector<Body> BodiesOf(const dwarf::SourceMap& sources) {
  std::vector<Body> bodies;
  for (const auto& call : sources.inlined())
    for (const auto& range : sources.RangesOf(call))
      bodies.push_back({range.start, range.end, call.depth, call.function});
  std::ranges::sort(bodies, {}, [](const Body& one) {
    return std::tuple(one.start, one.depth, one.end, one.function);
  });
  return bodies;
}

class Sweep {
 public:
  explicit Sweep(const dwarf::SourceMap& sources)
      : rows_(sources.rows()), bodies_(BodiesOf(sources)) {}

  // Addresses must ascend.
  const dwarf::LineRow* RowAt(std::uint64_t address) {
    while (next_row_ < rows_.size() && rows_[next_row_].end <= address) ++next_row_;
    if (next_row_ == rows_.size() || rows_[next_row_].start > address) return nullptr;
    return &rows_[next_row_];
  }

  // The innermost body that contains the address.
  const Body* BodyAt(std::uint64_t address) {
    while (next_body_ < bodies_.size() && bodies_[next_body_].start <= address)
      open_.push(&bodies_[next_body_++]);
    // Ended bodies below the top are removed when they reach it, so each is removed once.
    while (!open_.empty() && open_.top()->end <= address) open_.pop();
    return open_.empty() ? nullptr : open_.top();
  }

 private:
  std::span<const dwarf::LineRow> rows_;
  std::vector<Body> bodies_;
  std::size_t next_row_ = 0;
  std::size_t next_body_ = 0;
  std::priority_queue<const Body*, std::vector<const Body*>, Shallower> open_;
};

}  // namespace

SourceMix SourceMixOf(const FileMix& file) {
  CHECK(file.sources.has_value());
  SourceMix result;
  Sweep sweep(*file.sources);
  std::map<std::pair<std::uint32_t, std::uint32_t>, Counts> lines;
  std::map<std::uint32_t, InlinedMix> inlined;
  decode::Decoder decoder(file.image->architecture());
  for (const auto& function : file.image->functions()) {
    code::FunctionWalk walk(*file.image, function, decoder, file.code->literals());
    while (walk.Next()) {
      const auto& piece = walk.piece();
      if (piece.kind != code::PieceKind::kInstruction) continue;
      const auto category = static_cast<std::size_t>(CategoryOf(piece.instruction));
      if (const auto* row = sweep.RowAt(piece.address)) {
        ++lines[{row->source.file, row->source.line}][category];
      } else {
        ++result.without_line[category];
      }
      if (const auto* body = sweep.BodyAt(piece.address))
        ++inlined[body->function].counts[category];
    }
  }
  std::map<std::uint32_t, std::set<std::uint64_t>> callers;
  for (const auto& call : file.sources->inlined()) {
    ++inlined[call.function].times;
    callers[call.function].insert(call.inside);
  }
  for (const auto& [place, counts] : lines)
    result.lines.push_back({{place.first, place.second}, counts});
  for (auto& [function, mix] : inlined) {
    mix.function = function;
    mix.callers = callers[function].size();
    result.inlined.push_back(mix);
  }
  return result;
}

}  // namespace tare::mix
