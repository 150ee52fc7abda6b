// front_lines.h: the few lines of a set that were used last, and their depths in all shapes at
// once.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tare::reuse {

// Depths or numbers of ways, a byte for each shape of a line size, from the one with the fewest
// sets. All are below 128.
using ShapeBytes = std::uint64_t;
inline constexpr unsigned kMaxSetCounts = 7;
inline constexpr ShapeBytes kOneEach = 0x0101010101010101;

// With more sets, one more bit of the address must agree for two lines to share a set.
class SharedSets {
 public:
  // How many shapes after the first have two lines in one set that are in one in the first, or
  // kNone: there is no second line.
  static constexpr unsigned kNone = kMaxSetCounts;

  // `first_bit`: of the tags, the lowest that does not select a set in the first shape.
  SharedSets(unsigned first_bit, unsigned set_counts)
      : first_bit_(first_bit), end_(1U << (set_counts - 1)) {}
  unsigned Of(std::uint32_t tag, std::uint32_t other) const {
    return static_cast<unsigned>(std::countr_zero((tag ^ other) >> first_bit_ | end_));
  }
  // Which set of a shape it is, of those into which the first shape's set is divided.
  std::size_t PartOf(std::uint32_t tag, std::size_t shape) const {
    return tag >> first_bit_ & ((1U << shape) - 1);
  }
  // 1 in each shape in which they share a set.
  static ShapeBytes Bytes(unsigned shared) {
    return shared == kNone ? 0 : kOneEach >> (8 * (7 - shared));
  }

 private:
  unsigned first_bit_;
  std::uint32_t end_;
};

// A line, and the largest numbers of ways with which it is clean.
struct FrontLine {
  ShapeBytes clean = 0;
  std::uint32_t tag = 0;    // 0: none
  std::uint32_t owner = 0;  // of the store that made it dirty
};
inline constexpr std::size_t kMaxFrontLines = 4;
// By last use.
using FrontLines = std::array<FrontLine, kMaxFrontLines>;

// The depths of a line that has one to three others of its set before it depend only on how many
// shapes it shares a set with each of them, in any order: 119 cases, which are counted as such.
class FrontCases {
 public:
  static constexpr std::size_t kCount = 120;  // of three from 8, in any order; one is not used

  FrontCases();
  // SharedSets::Of for each of the lines before it.
  std::size_t Of(unsigned first, unsigned second, unsigned third) const {
    return case_[first | second << 3 | third << 6];
  }
  ShapeBytes Depths(std::size_t number) const { return depths_[number]; }

 private:
  std::array<std::uint8_t, 512> case_{};
  std::array<ShapeBytes, kCount> depths_{};
};

// Whether no byte of `a` is less than that of `b`.
constexpr bool IsNowhereLess(ShapeBytes a, ShapeBytes b) {
  constexpr ShapeBytes kHigh = kOneEach << 7;
  return (((a | kHigh) - b) & kHigh) == kHigh;
}

// The greater of each two bytes.
constexpr ShapeBytes MaxOfEach(ShapeBytes a, ShapeBytes b) {
  constexpr ShapeBytes kHigh = kOneEach << 7;
  const ShapeBytes not_less = (((a | kHigh) - b) & kHigh) >> 7;  // 1 where a is not less
  const ShapeBytes mask = not_less * 0xff;
  return (a & mask) | (b & ~mask);
}

constexpr unsigned ByteOf(ShapeBytes bytes, std::size_t shape) {
  return static_cast<unsigned>(bytes >> (8 * shape)) & 0xff;
}

}  // namespace tare::reuse
