// stride_bins.h: how regular the addresses of instructions and blocks are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/reuse/flat_map.h"

namespace tare::reuse {

// Each reference is compared with the last references of the same instruction and of the same
// owner. The smallest distance decides, in elements of the access's size; distances that are not a
// multiple are rounded up. (Carrington et al. 2002, section 2.3.)
class StrideBins {
 public:
  struct Counts {
    std::uint64_t same = 0;
    std::uint64_t one = 0;
    std::uint64_t two = 0;
    std::uint64_t three_to_eight = 0;
    std::uint64_t larger = 0;  // the instruction repeats a larger step
    std::uint64_t random = 0;

    // References to another line than those before, by how they came there.
    std::uint64_t stream_loads = 0;  // at most eight elements away
    std::uint64_t stream_stores = 0;
    std::uint64_t strided_lines = 0;  // by a larger step that repeats

    std::uint64_t Sum() const { return same + one + two + three_to_eight + larger + random; }
  };

  // `depth` earlier references, 1 to kMaxDepth.
  explicit StrideBins(unsigned depth);

  void Reference(std::uint64_t site, std::uint64_t address, std::uint32_t bytes, bool store,
                 std::uint32_t owner);
  // The references before were skipped: what is remembered is too old to compare with.
  void StartBurst() { ++burst_; }

  Counts CountsOf(std::uint32_t owner) const;

  static constexpr unsigned kMaxDepth = 64;
  static constexpr unsigned kLineBytes = 64;

 private:
  // The last addresses, in a ring of depth_ words.
  struct Ring {
    std::uint64_t burst = 0;
    std::uint64_t used = 0;  // addresses since the start of the burst
    std::uint64_t last = 0;
    std::uint64_t before_last = 0;
    std::size_t next = 0;  // the word that is overwritten next
  };
  // Rings with the words of all of them in one array.
  struct Rings {
    std::vector<Ring> rings;
    std::vector<std::uint64_t> words;
  };
  // How an address compares with those of a ring.
  struct Compared {
    std::uint64_t nearest = UINT64_MAX;  // the smallest distance
    bool has_line = false;
  };

  void Resize(Rings& rings, std::size_t count) const;
  Ring& Current(Rings& rings, std::size_t number) const;
  void Compare(const Rings& rings, std::size_t number, std::uint64_t address,
               Compared& compared) const;
  static void CountLine(Counts& counts, std::uint64_t elements, bool regular, bool store);
  static bool RepeatsStep(const Ring& ring, std::uint64_t address);
  void Remember(Rings& rings, std::size_t number, std::uint64_t address) const;

  unsigned depth_;
  std::uint64_t burst_ = 1;
  FlatMap<std::uint32_t> numbers_;  // of sites_, from 1
  Rings sites_;
  Rings owners_;
  std::vector<Counts> counts_;
};

}  // namespace tare::reuse
