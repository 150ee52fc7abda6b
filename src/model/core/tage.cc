// tage.cc: a TAGE predictor (Seznec and Michaud 2006), written without branches that the host could
// not predict.
#include "model/core/tage.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/vector_clones.h"
#include "model/core/two_bit_counters.h"

namespace tare::model {
namespace {

// A prime, so that a repeating pattern does not cancel itself out, as with a power of two.
constexpr unsigned kFoldedBits = 31;
constexpr std::uint32_t kFoldedMask = (1U << kFoldedBits) - 1;

// The number of outcomes per word of the ring. Folded histories are longer than this.
constexpr unsigned kWordBits = 16;

// Odd numbers without a pattern: 2^64 / sqrt(3), and 2^32 / golden ratio.
constexpr std::uint64_t kSpreadAddress = 0x93cd3a2c8198e269;
constexpr std::uint32_t kSpread = 0x9e3779b1;

constexpr unsigned kTagBits = 11;
constexpr unsigned kTagMask = (1U << kTagBits) - 1;
constexpr unsigned kTagAt = 5;
constexpr unsigned kStateMask = (1U << kTagAt) - 1;  // counter and usefulness
constexpr unsigned kCounterAt = 2;
constexpr unsigned kTakenAt = 4;  // the counter's upper bit
constexpr unsigned kUsefulMask = 3;

constexpr unsigned kMaxCounter = 7;
constexpr unsigned kWeaklyNot = 3;
constexpr unsigned kWeaklyTaken = 4;

constexpr std::uint64_t kBranchesUntilAgeing = 1U << 18;

constexpr unsigned Useful(unsigned entry) { return entry & kUsefulMask; }
constexpr bool Taken(unsigned entry) { return (entry >> kTakenAt & 1U) != 0; }
constexpr bool Fresh(unsigned entry) {
  const unsigned state = entry & kStateMask;
  return state == kWeaklyNot << kCounterAt || state == kWeaklyTaken << kCounterAt;
}

constexpr unsigned Toward(bool more, unsigned value, unsigned most) {
  if (more) return value < most ? value + 1 : most;
  return value > 0 ? value - 1 : 0;
}

// The next counter and usefulness of an entry, indexed by their current values, the branch outcome
// and `learns`. For kLearnt, `learns` says whether to update at all; for kUsed, whether the
// alternative predicted differently. Tables avoid branches on the program's outcomes, which the
// host could not predict.
using States = std::array<std::uint8_t, 4 * (kStateMask + 1)>;

constexpr std::size_t StateIndex(unsigned entry, bool taken, bool learns) {
  return (entry & kStateMask) | (taken ? 1U : 0U) << kTagAt | (learns ? 2U : 0U) << kTagAt;
}

constexpr States MakeStates(bool of_provider) {
  States states{};
  for (unsigned state = 0; state <= kStateMask; ++state) {
    for (const bool taken : {false, true}) {
      for (const bool learns : {false, true}) {
        const unsigned counter = Toward(taken, state >> kCounterAt, kMaxCounter);
        const unsigned useful = Toward(Taken(state) == taken, Useful(state), kUsefulMask);
        const unsigned after = of_provider
                                   ? counter << kCounterAt | (learns ? useful : Useful(state))
                               : learns ? counter << kCounterAt | Useful(state)
                                        : state;
        states[StateIndex(state, taken, learns)] = static_cast<std::uint8_t>(after);
      }
    }
  }
  return states;
}

constexpr States kUsed = MakeStates(true);
constexpr States kLearnt = MakeStates(false);

std::uint16_t After(unsigned entry, const States& states, bool taken, bool learns) {
  return static_cast<std::uint16_t>((entry & ~kStateMask) |
                                    states[StateIndex(entry, taken, learns)]);
}

std::uint16_t NewEntry(unsigned tag, bool taken) {
  return static_cast<std::uint16_t>(tag << kTagAt | (taken ? kWeaklyTaken : kWeaklyNot)
                                                        << kCounterAt);
}

// Whether the branch was predicted correctly and would change no state, regardless of the
// alternative. Base entries have no usefulness.
bool Settled(unsigned entry, bool taken, bool base) {
  const unsigned state = (entry & kStateMask) | (base ? kUsefulMask : 0U);
  return state == (taken ? kStateMask : kUsefulMask);
}

std::uint32_t Spread(std::uint64_t address) {
  return static_cast<std::uint32_t>(address * kSpreadAddress >> 32);
}

unsigned Longest(unsigned matches) { return static_cast<unsigned>(std::bit_width(matches)) - 1U; }

}  // namespace

std::vector<unsigned> Tage::HistoryLengths(unsigned history_bits, unsigned tables) {
  if (tables == 1) return {history_bits};
  std::vector<unsigned> lengths;
  const double growth = static_cast<double>(history_bits) / kShortestTageHistory;
  for (unsigned table = 0; table < tables; ++table) {
    const double exponent = static_cast<double>(table) / (tables - 1);
    const auto length =
        static_cast<unsigned>(std::lround(kShortestTageHistory * std::pow(growth, exponent)));
    lengths.push_back(lengths.empty() ? length : std::max(length, lengths.back() + 1));
  }
  return lengths;
}

Tage::Tage(unsigned entries, unsigned history_bits, unsigned tables)
    : tables_(tables),
      groups_((tables + kLanes - 1) / kLanes),
      known_((1U << tables) - 1),
      index_bits_(static_cast<unsigned>(std::countr_zero(entries))),
      entries_(std::size_t{entries} * (groups_ * kLanes + 1), NewEntry(0, false)),
      lengths_(HistoryLengths(history_bits, tables)) {
  CHECK(tables > 0 && tables <= kMaxTageTables);
  CHECK(std::has_single_bit(entries) && entries > 1 && entries <= kMaxTageEntries);
  CHECK(lengths_.back() == history_bits && history_bits <= kLongestTageHistory);
  for (unsigned table = 0; table < tables; ++table) {
    Group& group = history_[table / kLanes];
    const unsigned lane = table % kLanes;
    const unsigned length = lengths_[table];
    group.mask[lane] = length < kFoldedBits ? (1U << length) - 1 : kFoldedMask;
    group.leaves_from[lane] = length < kFoldedBits ? 0 : 1U << length % kFoldedBits;
  }
}

TARE_VECTOR_CLONES bool Tage::Mispredicts(std::uint64_t address, bool taken) {
  const std::uint32_t spread = Spread(address);
  const unsigned matches = Match(spread);
  const unsigned provider = Longest(matches);
  const std::uint16_t entry = Entry(provider, address, spread);
  // Most branches change nothing.
  bool wrong = false;
  if (!Settled(entry, taken, provider == 0)) wrong = Learn(address, taken, matches);
  Remember(taken);
  return wrong;
}

bool Tage::Learn(std::uint64_t address, bool taken, unsigned matches) {
  const std::uint32_t spread = Spread(address);
  const unsigned provider = Longest(matches);
  const unsigned alternative = Longest((matches ^ 1U << provider) | 1U);
  std::uint16_t& provider_entry = Entry(provider, address, spread);
  std::uint16_t& alternative_entry = Entry(alternative, address, spread);
  const unsigned entry = provider_entry;
  const unsigned other = alternative_entry;

  const bool right = Taken(entry) == taken;
  const bool differ = Taken(entry) != Taken(other);
  bool wrong = !right;
  if (differ && Fresh(entry)) {
    if (trust_new_ < 0) wrong = right;
    trust_new_ = std::clamp(trust_new_ + (right ? 1 : -1), -8, 7);
  }
  alternative_entry = After(other, kLearnt, taken, Useful(entry) == 0);
  // Written last, because it is the same entry if the base provides the prediction.
  provider_entry = After(entry, kUsed, taken, differ);
  if (wrong && !right) Allocate(spread, provider, taken);
  return wrong;
}

// One bit per table with a matching tag, starting at bit 1. Bit 0 is the base, which always
// matches.
inline unsigned Tage::Match(std::uint32_t spread) const {
  const unsigned index_shift = 32 - index_bits_;
  const unsigned tag_shift = index_shift - kTagBits;
  const std::uint16_t* table = entries_.data();
  const std::size_t entries = std::size_t{1} << index_bits_;
  unsigned matches = 0;
  for (unsigned group = 0; group < groups_; ++group) {
    const Lanes hashes = (history_[group].folded ^ spread) * kSpread;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t hash = hashes[lane];
      const unsigned differs =
          ((hash >> tag_shift) ^ (table[hash >> index_shift] >> kTagAt)) & kTagMask;
      matches |= (differs == 0 ? 1U : 0U) << (group * kLanes + lane);
      table += entries;
    }
  }
  return (matches & known_) << 1 | 1U;
}

inline Tage::Place Tage::Find(unsigned table, std::uint32_t spread) const {
  const std::uint32_t hash = (history_[table / kLanes].folded[table % kLanes] ^ spread) * kSpread;
  const unsigned index_shift = 32 - index_bits_;
  return {.at = (table << index_bits_) + (hash >> index_shift),
          .tag = (hash >> (index_shift - kTagBits)) & kTagMask};
}

// `match` is the number of a bit that Match set.
inline std::uint16_t& Tage::Entry(unsigned match, std::uint64_t address, std::uint32_t spread) {
  const std::uint64_t of_base = MixBranchAddress(address) & ((1U << index_bits_) - 1);
  const std::uint64_t base_at = (std::uint64_t{groups_ * kLanes} << index_bits_) + of_base;
  const std::uint32_t at = Find(match == 0 ? 0 : match - 1, spread).at;
  return entries_[match == 0 ? base_at : at];
}

// Allocates an entry in the first table with a longer history whose entry is not useful. Every
// fourth time one table is skipped, so that two branches do not evict each other forever. If all
// entries are useful, their usefulness is reduced.
void Tage::Allocate(std::uint32_t spread, unsigned from, bool taken) {
  if (++allocations_ % 4 == 0 && from + 1 < tables_) ++from;
  for (unsigned table = from; table < tables_; ++table) {
    const Place place = Find(table, spread);
    if (Useful(entries_[place.at]) != 0) continue;
    entries_[place.at] = NewEntry(place.tag, taken);
    return;
  }
  for (unsigned table = from; table < tables_; ++table) --entries_[Find(table, spread).at];
}

inline void Tage::Remember(bool taken) {
  const std::uint32_t bit = taken ? 1 : 0;
  for (unsigned group = 0; group < groups_; ++group) {
    Group& of = history_[group];
    const Lanes left = (0U - (of.leaving >> 31)) & of.leaves_from;
    const Lanes turned = of.folded << 1 | of.folded >> (kFoldedBits - 1);
    of.folded = (turned ^ (left ^ bit)) & of.mask;
    of.leaving <<= 1;
  }
  recent_ = recent_ << 1 | bit;
  if ((recent_ >> kWordBits) != 0) ForeseeLeaving();
}

void Tage::ForeseeLeaving() {
  outcomes_[branches_ / kWordBits % outcomes_.size()] = static_cast<std::uint16_t>(recent_);
  recent_ = 1;
  branches_ += kWordBits;
  for (unsigned table = 0; table < tables_; ++table) {
    const unsigned length = lengths_[table];
    if (length < kFoldedBits) continue;
    // Outcomes before the first branch are 0, as in an empty ring.
    const std::uint64_t oldest = branches_ - length;
    const std::size_t word = oldest / kWordBits % outcomes_.size();
    const std::size_t next = (word + 1) % outcomes_.size();
    const std::uint32_t both = std::uint32_t{outcomes_[word]} << kWordBits | outcomes_[next];
    history_[table / kLanes].leaving[table % kLanes] = both << oldest % kWordBits;
  }
  if (branches_ % kBranchesUntilAgeing == 0) Age();
}

void Tage::Age() {
  const unsigned cleared = clears_upper_bit_ ? 2U : 1U;
  clears_upper_bit_ = !clears_upper_bit_;
  for (std::uint16_t& entry : entries_) entry = static_cast<std::uint16_t>(entry & ~cleared);
}

}  // namespace tare::model
