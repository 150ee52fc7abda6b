// bit_mixer.h: one chance of a bit from several, each weighted by how well it has predicted so far.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "format/bit_coder.h"

namespace tare::format {

// Logistic mixing: the logarithms of the odds are added with weights, and the weights follow the
// gradient of the coding cost (Mahoney, "Adaptive Weighing of Context Models for Lossless Data
// Compression", 2005). Integers only, so that every machine computes the same.
template <std::size_t kCount>
class BitMixer {
 public:
  // In units of 1 / 65536.
  struct Weights {
    std::array<std::int32_t, kCount> of;
    Weights() { of.fill(kFirstWeight); }
  };

  // Both arguments must outlive this object.
  BitMixer(const std::array<BitChance*, kCount>& chances, Weights& weights)
      : chances_(chances), weights_(weights) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      odds_[i] = kOdds[chances_[i]->Of16() >> 4];
      sum += std::int64_t{odds_[i]} * weights_.of[i];
    }
    const std::int64_t odds = std::clamp<std::int64_t>(sum >> 16, -kMaxOdds, kMaxOdds);
    mixed_ = kChances[static_cast<std::size_t>(odds + kMaxOdds)];
  }

  // The chance of a 1, of 65536.
  std::uint32_t Of16() const { return static_cast<std::uint32_t>(mixed_) * 16 + 8; }

  void Learn(bool bit) {
    const std::int32_t error = ((bit ? 4096 : 0) - mixed_) * kRate;
    for (std::size_t i = 0; i < kCount; ++i) {
      weights_.of[i] += (odds_[i] * error + 0x8000) >> 16;
      chances_[i]->Learn(bit);
    }
  }

 private:
  static constexpr std::int32_t kFirstWeight = 65536 * 2 / 5;
  static constexpr std::int32_t kRate = 40;
  static constexpr std::int32_t kMaxOdds = 2047;  // logarithms in units of 1 / 256

  // By odds from -kMaxOdds on: the chance, of 4096.
  static constexpr std::array<std::int16_t, 2 * kMaxOdds + 1> kChances = [] {
    std::array<std::int16_t, 2 * kMaxOdds + 1> chances{};
    for (std::int32_t i = -kMaxOdds; i <= kMaxOdds; ++i) {
      // exp(x) = exp(x / 4096) ^ 4096, because std::exp is no constant expression yet.
      double power = 1.0 - i / 256.0 / 4096;
      for (int square = 0; square < 12; ++square) power *= power;
      const double chance = 4096 / (1 + power);
      chances[static_cast<std::size_t>(i + kMaxOdds)] =
          static_cast<std::int16_t>(std::clamp(chance, 1.0, 4095.0));
    }
    return chances;
  }();
  // By chance: the smallest odds that have at least this chance.
  static constexpr std::array<std::int16_t, 4096> kOdds = [] {
    std::array<std::int16_t, 4096> odds{};
    std::int32_t at = -kMaxOdds;
    for (std::int32_t chance = 0; chance < 4096; ++chance) {
      while (at < kMaxOdds && kChances[static_cast<std::size_t>(at + kMaxOdds)] < chance) ++at;
      odds[static_cast<std::size_t>(chance)] = static_cast<std::int16_t>(at);
    }
    return odds;
  }();

  std::array<BitChance*, kCount> chances_;
  Weights& weights_;
  std::array<std::int32_t, kCount> odds_;
  std::int32_t mixed_;
};

}  // namespace tare::format
