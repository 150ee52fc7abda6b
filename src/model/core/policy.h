// policy.h: the replacement policy of a cache or TLB.
#pragma once

#include <cstdint>

#include "model/core/line_entry.h"
#include "model/core/lru.h"
#include "model/core/processor.h"
#include "model/core/random_replacement.h"
#include "model/core/stamped_lru.h"
#include "model/core/tree_plru.h"

namespace tare::model {

enum class PolicyKind {
  kLru,
  kStampedLru,
  kTreePlru,
  kRandom,
  kGiven,  // chosen at run time
};

// With `stamped`, times of use are stored where other code can update them, too.
constexpr PolicyKind KindOf(Replacement replacement, unsigned ways, bool stamped) {
  switch (replacement) {
    case Replacement::kTreePlru:
      return PolicyKind::kTreePlru;
    case Replacement::kRandom:
      return PolicyKind::kRandom;
    default:
      return stamped || ways > kMaxLruWays ? PolicyKind::kStampedLru : PolicyKind::kLru;
  }
}

// If the compiler knows the kind, nothing is checked at run time.
template <PolicyKind kKind>
class Policy {
 public:
  // `kind` must be kKind unless that is kGiven. `clock` is as for StampedLru.
  Policy(PolicyKind kind, std::uint64_t seed, std::uint64_t* clock)
      : kind_(kind), stamped_(clock), random_(seed) {}

  // The initial order of a set.
  std::uint64_t Start(unsigned ways) const {
    return kind_ == PolicyKind::kLru ? Lru::Start(ways) : 0;
  }

  // Records a use of the entry.
  void Touch(const SetView& set, unsigned way) {
    With([&](auto& policy) { policy.Touch(set, way); });
  }
  // Inserts an entry as most recently used.
  Placed Insert(const SetView& set, std::uint64_t entry) {
    return With([&](auto& policy) { return policy.Insert(set, entry); });
  }
  // Frees the way.
  void Remove(const SetView& set, unsigned way) {
    With([&](auto& policy) { policy.Remove(set, way); });
  }

 private:
  template <typename Work>
  auto With(Work work) {
    switch (kKind == PolicyKind::kGiven ? kind_ : kKind) {
      case PolicyKind::kStampedLru:
        return work(stamped_);
      case PolicyKind::kTreePlru:
        return work(tree_);
      case PolicyKind::kRandom:
        return work(random_);
      default:
        return work(lru_);
    }
  }

  PolicyKind kind_;
  Lru lru_;
  StampedLru stamped_;
  TreePlru tree_;
  RandomReplacement random_;
};

}  // namespace tare::model
