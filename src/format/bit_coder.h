// bit_coder.h: arithmetic coding of single bits whose chances adapt to what was seen.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tare::format {

// The chance of a 1, learnt from the bits seen. The lower bits count them: the first bits move it
// far, later ones less.
class BitChance {
 public:
  // Never 0 or 65536.
  std::uint32_t Of16() const { return std::clamp(value_ >> 16, 24u, 65536u - 24u); }
  std::uint32_t Seen() const { return value_ & kCount; }
  // Seen often, and nearly always with the same outcome, which Likely() returns.
  bool IsCertain() const {
    return Seen() == kMaxSeen && (value_ < kRare || value_ > UINT32_MAX - kRare);
  }
  bool Likely() const { return value_ >> 31 != 0; }
  void Learn(bool bit) {
    const std::uint32_t seen = value_ & kCount;
    const std::int64_t goal = bit ? kTop : 0;
    const auto now = static_cast<std::int64_t>(value_ & ~kCount);
    const auto next = static_cast<std::uint32_t>(now + (goal - now) * kRates[seen] / kRateUnit);
    value_ = (next & ~kCount) | (seen < kMaxSeen ? seen + 1 : seen);
  }

 private:
  static constexpr std::uint32_t kCount = 63;
  static constexpr std::uint32_t kMaxSeen = 40;
  static constexpr std::uint32_t kRare = UINT32_MAX / 1024;
  static constexpr std::int64_t kTop = 0xffffffc0;
  static constexpr std::int64_t kRateUnit = 65536;
  static constexpr std::array<std::int64_t, kMaxSeen + 1> kRates = [] {
    std::array<std::int64_t, kMaxSeen + 1> rates{};
    for (std::size_t i = 0; i < rates.size(); ++i)
      rates[i] = kRateUnit * 2 / (2 * static_cast<std::int64_t>(i) + 3);
    return rates;
  }();

  std::uint32_t value_ = 1u << 31;
};

// A range coder: [low, high] shrinks with each bit, and equal leading bytes are written.
class BitEncoder {
 public:
  bool Code(bool bit, std::uint32_t chance16) {
    const auto middle =
        low_ + static_cast<std::uint32_t>(std::uint64_t{high_ - low_} * chance16 >> 16);
    if (bit) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) & 0xff000000u) == 0) {
      bytes_ += static_cast<char>(high_ >> 24);
      low_ <<= 8;
      high_ = high_ << 8 | 0xff;
    }
    return bit;
  }
  // Starts again afterwards.
  std::string Take() {
    for (int i = 0; i < 4; ++i, low_ <<= 8) bytes_ += static_cast<char>(low_ >> 24);
    std::string taken;
    taken.swap(bytes_);
    low_ = 0;
    high_ = UINT32_MAX;
    return taken;
  }

 private:
  std::uint32_t low_ = 0;
  std::uint32_t high_ = UINT32_MAX;
  std::string bytes_;
};

// Reads zeros after the end of its bytes.
class BitDecoder {
 public:
  explicit BitDecoder(std::string_view bytes) : bytes_(bytes) {
    for (int i = 0; i < 4; ++i) Shift();
  }
  bool Code(bool, std::uint32_t chance16) {
    const auto middle =
        low_ + static_cast<std::uint32_t>(std::uint64_t{high_ - low_} * chance16 >> 16);
    const bool bit = code_ <= middle;
    if (bit) {
      high_ = middle;
    } else {
      low_ = middle + 1;
    }
    while (((low_ ^ high_) & 0xff000000u) == 0) {
      low_ <<= 8;
      high_ = high_ << 8 | 0xff;
      Shift();
    }
    return bit;
  }

 private:
  void Shift() {
    const auto next = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_++]) : 0u;
    code_ = code_ << 8 | next;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::uint32_t low_ = 0;
  std::uint32_t high_ = UINT32_MAX;
  std::uint32_t code_ = 0;
};

// The chances of a number's bits: first its length, then the bits below the highest.
class NumberChances {
 public:
  // `bits` is a BitEncoder or a BitDecoder, which ignores `actual` and returns the number.
  template <typename Bits>
  std::uint64_t Code(Bits& bits, std::uint64_t actual) {
    const auto length = static_cast<unsigned>(std::bit_width(actual));
    unsigned coded = 0;
    while (coded < 64 && !CodeBit(bits, coded == length, lengths_[coded])) ++coded;
    if (coded < 2) return coded;
    std::uint64_t number = 1;
    for (unsigned left = coded - 1; left > 0; --left) {
      const bool bit = (actual >> (left - 1) & 1) != 0;
      // Lower bits look random.
      const bool coded_bit =
          number < 4 ? CodeBit(bits, bit, high_[coded][number]) : bits.Code(bit, kHalf);
      number = number << 1 | (coded_bit ? 1u : 0u);
    }
    return number;
  }

 private:
  static constexpr std::uint32_t kHalf = 32768;
  static bool CodeBit(auto& bits, bool actual, BitChance& chance) {
    const bool bit = bits.Code(actual, chance.Of16());
    chance.Learn(bit);
    return bit;
  }

  std::array<BitChance, 64> lengths_;
  std::array<std::array<BitChance, 4>, 65> high_;
};

}  // namespace tare::format
