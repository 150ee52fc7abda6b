// signature.cc: the grid of caches and the bins of distances.
#include "predict/signature/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "base/check.h"

namespace tare::signature {
namespace {

// The starts of the bins within an octave from 2^20 on, times 2^-20 (rounded up): 2^(n/4).
constexpr std::array<std::uint64_t, 4> kQuarters = {1048576, 1246975, 1482911, 1763488};
constexpr unsigned kQuarterShift = 20;

}  // namespace

unsigned Grid::SetCounts() const {
  CHECK(std::has_single_bit(min_way_bytes) && std::has_single_bit(max_way_bytes) &&
        min_way_bytes <= max_way_bytes);
  return static_cast<unsigned>(std::countr_zero(max_way_bytes) - std::countr_zero(min_way_bytes)) +
         1;
}

std::size_t Grid::Shapes() const { return line_bytes.size() * SetCounts(); }

std::size_t Grid::Depths() const { return std::size_t{max_ways} + 1; }

std::optional<std::size_t> Grid::ShapeOf(unsigned line, std::uint64_t sets) const {
  const auto found = std::ranges::find(line_bytes, line);
  if (found == line_bytes.end() || !std::has_single_bit(sets)) return std::nullopt;
  const std::uint64_t fewest = min_way_bytes / line;
  if (sets < fewest || sets > max_way_bytes / line) return std::nullopt;
  return static_cast<std::size_t>(found - line_bytes.begin()) * SetCounts() +
         static_cast<std::size_t>(std::countr_zero(sets) - std::countr_zero(fewest));
}

// A part of the references that moved their line is at least as evenly distributed over the groups
// of sets as a random part of the same size.
double NearReuse::ErrorOf(double count) const {
  return moved > 0 ? moved_error * std::sqrt(std::max(0.0, count) / moved) : 0;
}

std::uint64_t DistanceBinStart(std::size_t bin) {
  CHECK(bin < kDistanceBins);
  if (bin == 0) return 0;
  const auto octave = static_cast<unsigned>((bin - 1) / 4);
  const std::uint64_t quarter = kQuarters[(bin - 1) % 4];
  if (octave >= kQuarterShift) return quarter << (octave - kQuarterShift);
  const unsigned shift = kQuarterShift - octave;
  return (quarter + (std::uint64_t{1} << shift) - 1) >> shift;
}

std::size_t DistanceBin(std::uint64_t distance) {
  if (distance == 0) return 0;
  const auto octave = static_cast<unsigned>(std::bit_width(distance)) - 1;
  std::size_t bin = std::min<std::size_t>(1 + std::size_t{octave} * 4 + 3, kDistanceBins - 1);
  while (DistanceBinStart(bin) > distance) --bin;
  return bin;
}

std::string_view Name(Work work) {
  switch (work) {
    case Work::kInteger:
      return "integer";
    case Work::kIntegerMultiply:
      return "integer_multiply";
    case Work::kIntegerDivide:
      return "integer_divide";
    case Work::kVectorInteger:
      return "vector_integer";
    case Work::kFloatAdd:
      return "float_add";
    case Work::kFloatMultiply:
      return "float_multiply";
    case Work::kFloatFused:
      return "float_fused";
    case Work::kFloatDivide:
      return "float_divide";
    case Work::kLoad:
      return "load";
    case Work::kStore:
      return "store";
    case Work::kBranch:
      return "branch";
    case Work::kOther:
      break;
  }
  return "other";
}

std::string NameOf(const Signature& signature, const Block& block) {
  std::string object;
  if (block.object < signature.objects.size()) {
    object = std::filesystem::path(signature.objects[block.object].path).filename().string();
  }
  return fmt::format("{}+{:#x}", object.empty() ? "[anonymous]" : object, block.offset);
}

}  // namespace tare::signature
