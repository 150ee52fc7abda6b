// stride_bins.cc: compares an address with the last ones.
#include "model/reuse/stride_bins.h"

#include <algorithm>

#include "base/check.h"

namespace tare::reuse {

namespace {

// Elements up to which steps are those of a stream.
constexpr std::uint64_t kNearElements = 8;

// Rounded up; more than kNearElements if there are more.
std::uint64_t Elements(std::uint64_t distance, std::uint32_t bytes) {
  if (distance > kNearElements * bytes) return kNearElements + 1;
  // In 32 bits, because a division of 64 bits takes several times as long.
  const auto near = static_cast<std::uint32_t>(distance);
  return near / bytes + (near % bytes != 0 ? 1 : 0);
}

}  // namespace

StrideBins::StrideBins(unsigned depth) : depth_(depth) { CHECK(depth >= 1 && depth <= kMaxDepth); }

void StrideBins::Resize(Rings& rings, std::size_t count) const {
  if (count <= rings.rings.size()) return;
  rings.rings.resize(count);
  rings.words.resize(count * depth_);
}

StrideBins::Ring& StrideBins::Current(Rings& rings, std::size_t number) const {
  Ring& ring = rings.rings[number];
  if (ring.burst != burst_) ring = {.burst = burst_};
  return ring;
}

// The order of the addresses does not matter.
inline void StrideBins::Compare(const Rings& rings, std::size_t number, std::uint64_t address,
                                Compared& compared) const {
  const std::uint64_t known = std::min<std::uint64_t>(rings.rings[number].used, depth_);
  const std::uint64_t* const words = rings.words.data() + number * depth_;
  for (std::uint64_t i = 0; i < known; ++i) {
    const std::uint64_t distance = std::min(address - words[i], words[i] - address);
    compared.nearest = std::min(compared.nearest, distance);
    compared.has_line |= words[i] / kLineBytes == address / kLineBytes;
  }
}

void StrideBins::CountLine(Counts& counts, std::uint64_t elements, bool regular, bool store) {
  if (elements <= kNearElements) {
    ++(store ? counts.stream_stores : counts.stream_loads);
  } else if (regular) {
    ++counts.strided_lines;
  }
}

bool StrideBins::RepeatsStep(const Ring& ring, std::uint64_t address) {
  return ring.used >= 2 && address - ring.last == ring.last - ring.before_last;
}

void StrideBins::Remember(Rings& rings, std::size_t number, std::uint64_t address) const {
  Ring& ring = rings.rings[number];
  rings.words[number * depth_ + ring.next] = address;
  ring.next = ring.next + 1 == depth_ ? 0 : ring.next + 1;
  ring.before_last = ring.last;
  ring.last = address;
  ++ring.used;
}

void StrideBins::Reference(std::uint64_t site, std::uint64_t address, std::uint32_t bytes,
                           bool store, std::uint32_t owner) {
  std::uint32_t& number = numbers_[site];
  if (number == 0) {
    number = static_cast<std::uint32_t>(sites_.rings.size() + 1);
    Resize(sites_, number);
  }
  if (owner >= counts_.size()) {
    Resize(owners_, owner + std::size_t{1});
    counts_.resize(owner + std::size_t{1});
  }
  const std::size_t at_site = number - 1;
  const bool regular = RepeatsStep(Current(sites_, at_site), address);
  // The first reference of an owner in a burst has nothing to be compared with.
  const bool is_first = Current(owners_, owner).used == 0;
  Compared compared;
  Compare(sites_, at_site, address, compared);
  Compare(owners_, owner, address, compared);
  Remember(sites_, at_site, address);
  Remember(owners_, owner, address);
  if (is_first) return;

  Counts& counts = counts_[owner];
  const std::uint64_t elements = Elements(compared.nearest, bytes);
  const bool other_line = !compared.has_line;
  if (other_line) CountLine(counts, elements, regular, store);
  if (elements == 0) {
    ++counts.same;
  } else if (elements == 1) {
    ++counts.one;
  } else if (elements == 2) {
    ++counts.two;
  } else if (elements <= kNearElements) {
    ++counts.three_to_eight;
  } else if (regular) {
    ++counts.larger;
  } else {
    ++counts.random;
  }
}

StrideBins::Counts StrideBins::CountsOf(std::uint32_t owner) const {
  return owner < counts_.size() ? counts_[owner] : Counts{};
}

}  // namespace tare::reuse
