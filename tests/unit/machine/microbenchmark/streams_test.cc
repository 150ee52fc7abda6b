// streams_test.cc: tests the contents of the arrays after a stream.
#include "machine/microbenchmark/streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "machine/microbenchmark/buffer.h"

namespace tare::microbenchmark {
namespace {

class ThreeArrays {
 public:
  explicit ThreeArrays(std::uint64_t bytes)
      : buffer_(*Buffer::Make(3 * (bytes + kBetween), Pages::kSystem)) {
    const auto part = [&](std::uint64_t i) {
      return buffer_.bytes().subspan(i * (bytes + kBetween), bytes);
    };
    arrays_ = {part(0), part(1), part(2)};
    for (std::uint64_t i = 0; i < bytes / sizeof(double); ++i) {
      Put(arrays_.a, i, 1 + static_cast<double>(i));
      Put(arrays_.b, i, 0.5 + 2 * static_cast<double>(i));
      Put(arrays_.c, i, 7 - static_cast<double>(i));
    }
  }

  const Arrays& arrays() const { return arrays_; }

  static double At(std::span<const std::byte> array, std::uint64_t i) {
    double value = 0;
    std::memcpy(&value, array.data() + i * sizeof value, sizeof value);
    return value;
  }

  bool BetweenIsUntouched() const {
    for (const auto& array : {arrays_.a, arrays_.b, arrays_.c}) {
      for (std::uint64_t i = 0; i < kBetween; ++i) {
        if (array.data()[array.size() + i] != std::byte{0}) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kBetween = 4096;

  static void Put(std::span<std::byte> array, std::uint64_t i, double value) {
    std::memcpy(array.data() + i * sizeof value, &value, sizeof value);
  }

  Buffer buffer_;
  Arrays arrays_;
};

// Expected values of element i of `a` and of `b` afterwards.
struct Expected {
  double a;
  double b;
};

Expected After(std::string_view name, double a, double b, double c) {
  if (name.starts_with("copy")) return {a, a};
  if (name == "triad") return {b + 3 * c, b};
  EXPECT_EQ(name, "store streaming");
  return {0, b};
}

TEST(Streams, DoWhatTheirNameSays) {
  for (const Stream& stream : Streams()) {
    for (const std::uint64_t bytes : {1024ULL, 3 * 1024ULL, 256 * 1024ULL}) {
      const ThreeArrays before(bytes);
      const ThreeArrays after(bytes);
      stream.run(after.arrays());
      for (std::uint64_t i = 0; i < bytes / sizeof(double); ++i) {
        const double c = ThreeArrays::At(before.arrays().c, i);
        const Expected expected = After(stream.name, ThreeArrays::At(before.arrays().a, i),
                                        ThreeArrays::At(before.arrays().b, i), c);
        ASSERT_EQ(ThreeArrays::At(after.arrays().a, i), expected.a) << stream.name << " " << i;
        ASSERT_EQ(ThreeArrays::At(after.arrays().b, i), expected.b) << stream.name << " " << i;
        ASSERT_EQ(ThreeArrays::At(after.arrays().c, i), c) << stream.name << " " << i;
      }
      EXPECT_TRUE(after.BetweenIsUntouched()) << stream.name;
    }
  }
}

TEST(Streams, CountTheBytesThatTheirLoopMoves) {
  std::vector<std::string_view> names;
  for (const Stream& stream : Streams()) {
    names.push_back(stream.name);
    const LoopRow& row = stream.loop;
    EXPECT_EQ((row.loads + row.stores) % stream.bytes_per_byte, 0U) << stream.name;
    // An iteration of 512 bytes, or of one byte for byte copies.
    const unsigned iteration_bytes = row.element_bytes == 1 ? 1 : 512;
    EXPECT_EQ((row.loads + row.stores) / stream.bytes_per_byte * row.element_bytes, iteration_bytes)
        << stream.name;
  }
  for (const char* name : {"copy", "triad", "copy streaming", "store streaming"})
    EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

}  // namespace
}  // namespace tare::microbenchmark
