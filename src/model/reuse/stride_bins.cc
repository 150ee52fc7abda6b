// stride_bins.cc: compares an address with the last ones.
#include "model/reuse/stride_bins.h"

#include <algorithm>

#include "base/check.h"

namespace tare::reuse {

// Elements up to which steps are those of a stream.
constexpr std::uint64_t kNearElements = 8;

StrideBins::StrideBins(unsigned depth) : depth_(depth) { CHECK(depth >= 1 && depth <= kMaxDepth); }

StrideBins::Ring& StrideBins::Current(Ring& ring) const {
  if (ring.burst != burst_) {
    ring.burst = burst_;
    ring.used = 0;
    ring.addresses.resize(std::max(2U, depth_));
  }
  return ring;
}

// The smallest distance to a remembered address; UINT64_MAX if there is none.
std::uint64_t StrideBins::Nearest(const Ring& ring, std::uint64_t address) const {
  std::uint64_t nearest = UINT64_MAX;
  const std::uint64_t known = std::min<std::uint64_t>(ring.used, depth_);
  for (std::uint64_t i = 1; i <= known; ++i) {
    const std::uint64_t before = ring.addresses[(ring.used - i) % ring.addresses.size()];
    nearest = std::min(nearest, std::min(address - before, before - address));
  }
  return nearest;
}

bool StrideBins::HasLine(const Ring& ring, std::uint64_t address) const {
  const std::uint64_t known = std::min<std::uint64_t>(ring.used, depth_);
  for (std::uint64_t i = 1; i <= known; ++i) {
    const std::uint64_t before = ring.addresses[(ring.used - i) % ring.addresses.size()];
    if (before / kLineBytes == address / kLineBytes) return true;
  }
  return false;
}

void StrideBins::CountLine(Counts& counts, std::uint64_t elements, bool regular, bool store) {
  if (elements <= kNearElements) {
    ++(store ? counts.stream_stores : counts.stream_loads);
  } else if (regular) {
    ++counts.strided_lines;
  }
}

bool StrideBins::RepeatsStep(const Ring& ring, std::uint64_t address) const {
  if (ring.used < 2) return false;
  const std::uint64_t last = ring.addresses[(ring.used - 1) % ring.addresses.size()];
  const std::uint64_t before = ring.addresses[(ring.used - 2) % ring.addresses.size()];
  return address - last == last - before;
}

void StrideBins::Remember(Ring& ring, std::uint64_t address) const {
  ring.addresses[ring.used % ring.addresses.size()] = address;
  ++ring.used;
}

void StrideBins::Reference(std::uint64_t site, std::uint64_t address, std::uint32_t bytes,
                           bool store, std::uint32_t owner) {
  std::uint32_t& number = numbers_[site];
  if (number == 0) {
    sites_.emplace_back();
    number = static_cast<std::uint32_t>(sites_.size());
  }
  if (owner >= owners_.size()) {
    owners_.resize(owner + 1);
    counts_.resize(owner + 1);
  }
  Ring& of_site = Current(sites_[number - 1]);
  Ring& of_owner = Current(owners_[owner]);
  const std::uint64_t nearest = std::min(Nearest(of_site, address), Nearest(of_owner, address));
  const bool regular = RepeatsStep(of_site, address);
  const bool other_line = !HasLine(of_site, address) && !HasLine(of_owner, address);
  // The first reference of an owner in a burst has nothing to be compared with.
  const bool is_first = of_owner.used == 0;
  Remember(of_site, address);
  Remember(of_owner, address);
  if (is_first) return;

  Counts& counts = counts_[owner];
  const std::uint64_t elements = nearest / bytes + (nearest % bytes != 0 ? 1 : 0);
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
