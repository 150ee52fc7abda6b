// decoder_test.cc: compares the caching decoder with the plain one.
#include "binary/decode/decoder.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace tare::decode {
namespace {

// Returns false for bytes that neither decodes as an instruction.
bool ExpectSame(Decoder& decoder, Architecture architecture, std::span<const std::byte> code,
                std::uint64_t address) {
  const auto plain = Decode(architecture, code, address);
  const auto quick = decoder.TryDecode(code, address);
  EXPECT_EQ(plain.has_value(), quick.has_value());
  if (!plain || !quick) return false;
  EXPECT_EQ(*plain, *quick) << MnemonicName(architecture, plain->mnemonic);
  return true;
}

// Random bytes with prefixes that are more frequent in real code than by chance.
void Fill(std::mt19937_64& random, std::span<std::byte> code) {
  constexpr auto kBeginnings = std::to_array<std::uint8_t>(
      {0x66, 0xf2, 0xf3, 0xf0, 0x64, 0x67, 0x48, 0x41, 0x4c, 0x0f, 0x0f, 0xc5, 0xc4, 0x62, 0x8f});
  for (auto& byte : code) byte = static_cast<std::byte>(random());
  const std::size_t count = random() % 4;
  for (std::size_t at = 0; at < count && at < code.size(); ++at)
    code[at] = static_cast<std::byte>(kBeginnings[random() % kBeginnings.size()]);
}

Instruction At(Decoder& decoder, std::span<const std::byte> code, std::uint64_t address) {
  const auto found = decoder.TryDecode(code, address);
  EXPECT_TRUE(found);
  return found.value_or(Instruction{});
}

TEST(Decoder, RemembersNothingThatLaterBytesWouldChange) {
  std::mt19937_64 random(1);
  Decoder decoder(Architecture::kX86_64);
  std::array<std::byte, 24> code;
  int decoded = 0;
  for (int round = 0; round < 100'000; ++round) {
    Fill(random, code);
    decoded += ExpectSame(decoder, Architecture::kX86_64, code, random()) ? 1 : 0;
    for (std::size_t at = 4; at < code.size(); ++at) code[at] = static_cast<std::byte>(random());
    ExpectSame(decoder, Architecture::kX86_64, code, random());
    if (HasFailure()) return;
  }
  EXPECT_GT(decoded, 10'000);
}

TEST(Decoder, DoesNotReadBeyondTheEnd) {
  Decoder decoder(Architecture::kX86_64);
  // lea rax, [rip + 16], cached from a long text, and then truncated.
  std::vector<std::byte> code(32, std::byte{0x90});
  constexpr auto kLea = std::to_array<std::uint8_t>({0x48, 0x8d, 0x05, 0x10, 0, 0, 0});
  for (std::size_t at = 0; at < kLea.size(); ++at) code[at] = std::byte{kLea[at]};
  EXPECT_EQ(At(decoder, code, 0x1000).refers_to, 0x1017U);
  for (std::size_t length = 0; length < kLea.size(); ++length)
    EXPECT_FALSE(decoder.TryDecode(
        std::vector(code.begin(), code.begin() + static_cast<long>(length)), 0x1000));
  const std::vector<std::byte> exact(code.begin(), code.begin() + kLea.size());
  EXPECT_EQ(At(decoder, exact, 0x2000).refers_to, 0x2017U);
}

TEST(Decoder, GivesEachPlaceItsOwnTarget) {
  Decoder decoder(Architecture::kX86_64);
  std::vector<std::byte> code(32, std::byte{0});
  code[0] = std::byte{0xe8};
  EXPECT_EQ(At(decoder, code, 0x1000).target, 0x1005U);
  code[1] = std::byte{0xfb};
  for (std::size_t at = 2; at < 5; ++at) code[at] = std::byte{0xff};
  EXPECT_EQ(At(decoder, code, 0x2000).target, 0x2000U);
}

TEST(Decoder, IsThePlainOneOnA64) {
  std::mt19937_64 random(2);
  Decoder decoder(Architecture::kAArch64);
  std::array<std::byte, 4> code;
  for (int round = 0; round < 50'000; ++round) {
    for (auto& byte : code) byte = static_cast<std::byte>(random());
    ExpectSame(decoder, Architecture::kAArch64, code, random() & ~std::uint64_t{3});
  }
  EXPECT_FALSE(decoder.TryDecode(std::span(code).first(3), 0));
}

}  // namespace
}  // namespace tare::decode
