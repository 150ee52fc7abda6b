// signature_archive.h: writes and reads the numbers, texts and sparse counters of a signature.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"

namespace tare::signature {

// A reader accepts no more counters than this, expanded from sparse form. tare writes far fewer.
inline constexpr std::uint64_t kMaxCounters = std::uint64_t{1} << 26;

// How a real number is stored; in the lowest bits of a varint.
enum RealForm : std::uint64_t { kWhole = 0, kFloat = 1, kDouble = 2 };
inline constexpr unsigned kFormBits = 2;
inline constexpr double kMaxWhole = 9007199254740992.0;  // 2^53

inline std::unexpected<Error> DamagedSignature(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("the signature is damaged: {}", what));
}

// Both archives have the same members. A writer takes values and never fails; a reader fills them
// in.
class SignatureWriter {
 public:
  static constexpr bool kReads = false;

  template <typename T>
  Result<void> Number(const T& value) {
    Put(static_cast<std::uint64_t>(value));
    return {};
  }

  Result<void> Real(double value) {
    const auto as_float = static_cast<float>(value);
    if (value >= 0 && value < kMaxWhole && value == std::floor(value)) {
      Put(static_cast<std::uint64_t>(value) << kFormBits | kWhole);
    } else if (static_cast<double>(as_float) == value) {
      Put(kFloat);
      Append(as_float);
    } else {
      Put(kDouble);
      Append(value);
    }
    return {};
  }

  // Texts are stored once.
  Result<void> Text(const std::string& text) {
    const auto [known, is_new] = texts_.try_emplace(text, texts_.size());
    Put(known->second);
    if (is_new) {
      Put(text.size());
      bytes_ += text;
    }
    return {};
  }

  // A list of things of at least one byte.
  template <typename T, typename Code>
  Result<void> List(const std::vector<T>& list, Code code) {
    Put(list.size());
    for (const T& element : list) TRY_VOID(code(element));
    return {};
  }

  Result<void> Flag(bool flag) { return Number(flag ? 1 : 0); }

  // Counters that are mostly 0.
  Result<void> Sparse(std::span<const std::uint64_t> counters) {
    std::uint64_t zeros = 0;
    for (const std::uint64_t counter : counters) {
      if (counter == 0) {
        ++zeros;
        continue;
      }
      Put(zeros);
      Put(counter);
      zeros = 0;
    }
    if (zeros > 0) Put(zeros);
    return {};
  }

  std::string Take() && { return std::move(bytes_); }

 private:
  void Put(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  template <typename T>
  void Append(T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes_.append(raw, sizeof raw);
  }

  std::string bytes_;
  std::map<std::string, std::uint64_t> texts_;
};

class SignatureReader {
 public:
  static constexpr bool kReads = true;

  explicit SignatureReader(std::string_view bytes) : reader_(bytes) {}

  template <typename T>
  Result<void> Number(T& value) {
    TRY(const std::uint64_t read, reader_.ReadVarint());
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    if constexpr (std::is_enum_v<T>) {
      max = std::numeric_limits<std::underlying_type_t<T>>::max();
    } else {
      max = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    }
    if (read > max) return DamagedSignature("a number is too large");
    value = static_cast<T>(read);
    return {};
  }

  Result<void> Real(double& value) {
    TRY(const std::uint64_t read, reader_.ReadVarint());
    switch (read & ((1U << kFormBits) - 1)) {
      case kWhole:
        value = static_cast<double>(read >> kFormBits);
        break;
      case kFloat: {
        TRY(const auto number, reader_.Read<float>());
        value = number;
        break;
      }
      case kDouble: {
        TRY(value, reader_.Read<double>());
        break;
      }
      default:
        return DamagedSignature("a number has no known form");
    }
    if (!std::isfinite(value)) return DamagedSignature("a number is not finite");
    return {};
  }

  Result<void> Text(std::string& text) {
    TRY(const std::uint64_t index, reader_.ReadVarint());
    if (index > texts_.size()) return DamagedSignature("a text does not exist");
    if (index == texts_.size()) {
      TRY(const std::uint64_t length, reader_.ReadVarint());
      TRY(const auto bytes, reader_.Take(length));
      texts_.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    // Short texts may be repeated by a few bytes each.
    text_bytes_ += texts_[index].size();
    if (text_bytes_ > kMaxCounters) return DamagedSignature("its texts are too long");
    text = texts_[index];
    return {};
  }

  template <typename T, typename Code>
  Result<void> List(std::vector<T>& list, Code code) {
    TRY(const std::uint64_t count, reader_.ReadVarint());
    if (count > reader_.Remaining()) return DamagedSignature("a list is longer than the file");
    for (std::uint64_t i = 0; i < count; ++i) {
      list.emplace_back();
      TRY_VOID(code(list.back()));
    }
    return {};
  }

  Result<void> Flag(bool& flag) {
    std::uint8_t number = 0;
    TRY_VOID(Number(number));
    if (number > 1) return DamagedSignature("a flag is neither 0 nor 1");
    flag = number == 1;
    return {};
  }

  Result<void> Sparse(std::span<std::uint64_t> counters) {
    std::uint64_t at = 0;
    while (at < counters.size()) {
      TRY(const std::uint64_t zeros, reader_.ReadVarint());
      if (zeros > counters.size() - at) return DamagedSignature("a list of counters is too long");
      at += zeros;
      if (at == counters.size()) break;
      TRY(counters[at], reader_.ReadVarint());
      if (counters[at] == 0) return DamagedSignature("a counter of 0 is stored");
      ++at;
    }
    return {};
  }

  // Call before memory for counters is allocated.
  Result<void> Reserve(std::uint64_t counters) {
    counters_ += counters;
    if (counters_ > kMaxCounters) return DamagedSignature("it has too many counters");
    return {};
  }

  bool AtEnd() const { return reader_.AtEnd(); }

 private:
  ByteReader reader_;
  std::vector<std::string> texts_;
  std::uint64_t text_bytes_ = 0;
  std::uint64_t counters_ = 0;
};

}  // namespace tare::signature
