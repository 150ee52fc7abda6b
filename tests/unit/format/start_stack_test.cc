// start_stack_test.cc: tests the addresses of the words on a start stack against numbers worked out
// by hand.
#include "format/start_stack.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

constexpr std::uint64_t kTop = 0x10000;

// A stack as the kernel builds it, in this process.
class OldStack {
 public:
  OldStack(std::vector<std::string> arguments, std::vector<std::string> variables,
           std::vector<std::uint64_t> auxiliary)
      : arguments_(std::move(arguments)), variables_(std::move(variables)) {
    words_.push_back(arguments_.size());
    for (const std::string& text : arguments_) words_.push_back(Address(text));
    words_.push_back(0);
    for (const std::string& text : variables_) words_.push_back(Address(text));
    words_.push_back(0);
    words_.insert(words_.end(), auxiliary.begin(), auxiliary.end());
    words_.insert(words_.end(), {TARE_AT_NULL, 0});
    start_ = tare_find_start_stack(words_.data());
  }
  OldStack(const OldStack&) = delete;
  OldStack& operator=(const OldStack&) = delete;

  static std::uint64_t Address(const std::string& text) {
    return reinterpret_cast<std::uint64_t>(text.c_str());
  }
  const tare_start_stack& start() const { return start_; }

 private:
  std::vector<std::string> arguments_;
  std::vector<std::string> variables_;
  std::vector<std::uint64_t> words_;
  tare_start_stack start_{};
};

// The layout below kTop in `room` bytes.
class NewStack {
 public:
  NewStack(const OldStack& old, std::uint64_t room, std::uint64_t hwcap = ~std::uint64_t{0})
      : image_(room / 8), room_(room) {
    tare_stack_layout layout{};
    layout.from = &old.start();
    layout.top = kTop;
    layout.image = reinterpret_cast<std::uint8_t*>(image_.data());
    layout.room = room;
    pointer = tare_lay_out_stack(&layout, hwcap);
  }
  std::uint64_t Word(std::uint64_t index) const {
    return image_[(pointer - (kTop - room_)) / 8 + index];
  }
  std::string Text(std::uint64_t address) const {
    return reinterpret_cast<const char*>(image_.data()) + (address - (kTop - room_));
  }
  std::uint8_t Byte(std::uint64_t address) const {
    return reinterpret_cast<const std::uint8_t*>(image_.data())[address - (kTop - room_)];
  }

  std::uint64_t pointer = 0;

 private:
  std::vector<std::uint64_t> image_;
  std::uint64_t room_;
};

// Words of the table in addition to arguments and variables: argc, two zeros and the auxiliary
// vector.
constexpr std::uint64_t kOtherWords = 3 + TARE_AUXILIARY_WORDS;

TEST(StartStack, PinnedRandomBytesCountUpInElevens) {
  EXPECT_EQ(tare_pinned_random(0), 0x00);
  EXPECT_EQ(tare_pinned_random(1), 0x11);
  EXPECT_EQ(tare_pinned_random(15), 0xff);
}

TEST(StartStack, IsFoundFromTheNumberOfArguments) {
  std::uint64_t words[] = {2, 100, 101, 0, 200, 0, TARE_AT_HWCAP, 7, TARE_AT_NULL, 0};
  const auto found = tare_find_start_stack(words);
  EXPECT_EQ(found.arguments, words + 1);
  EXPECT_EQ(found.environment, words + 4);
  EXPECT_EQ(found.auxiliary, words + 6);
  EXPECT_EQ(tare_auxiliary_value(found.auxiliary, TARE_AT_HWCAP), 7u);
  EXPECT_EQ(tare_auxiliary_value(found.auxiliary, TARE_AT_RANDOM), 0u);
}

TEST(StartStack, AuxiliaryVectorIsFixedInPlace) {
  std::uint8_t random[16] = {9, 9, 9};
  // A guest whose addresses are 0x1000 below this process's.
  std::uint64_t words[] = {TARE_AT_HWCAP,
                           0xff,
                           TARE_AT_RANDOM,
                           reinterpret_cast<std::uint64_t>(random) - 0x1000,
                           TARE_AT_HWCAP2,
                           0xff,
                           6,
                           4096,
                           TARE_AT_NULL,
                           0xff};
  tare_pin_auxiliary(words, 0x1f, 0, 0x1000);
  EXPECT_EQ(words[1], 0x1fu);
  EXPECT_EQ(words[5], 0u);
  EXPECT_EQ(words[7], 4096u);
  EXPECT_EQ(words[9], 0xffu);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(random[i], 0x11 * i);
}

// From the top 0x10000 down: 8 bytes, the name 7, "BB=22" 6, "A=1" 4, "ab" 3, "/bin/x" 7, platform
// 8 ("aarch64" with its zero): 0xffd5. Random bytes at (0xffd5 & ~15) - 16 = 0xffc0. The table has
// 1 + 2 + 1 + 2 + 1 words and the auxiliary vector, and is aligned to 16 below them.
TEST(StartStack, HasTheDocumentedLayout) {
  const std::string name = "/bin/x";
  const std::string platform = "aarch64";
  const OldStack old(
      {"/bin/x", "ab"}, {"A=1", "BB=22"},
      {33, 0x7000, TARE_AT_PLATFORM, OldStack::Address(platform), TARE_AT_HWCAP, 0xffff,
       TARE_AT_RANDOM, 0x1234, TARE_AT_EXECFN, OldStack::Address(name), 6, 4096});
  const NewStack now(old, 0x1000, 0xf0);
#if defined(__aarch64__)
  EXPECT_EQ(now.pointer, 0xfe50u);  // 0xffc0 - 45 * 8 = 0xfe58
#else
  EXPECT_EQ(now.pointer, 0xfe60u);  // 0xffc0 - 43 * 8 = 0xfe68
#endif
  EXPECT_EQ(now.Word(0), 2u);
  EXPECT_EQ(now.Word(1), 0xffddu);
  EXPECT_EQ(now.Word(2), 0xffe4u);
  EXPECT_EQ(now.Word(3), 0u);
  EXPECT_EQ(now.Word(4), 0xffe7u);
  EXPECT_EQ(now.Word(5), 0xffebu);
  EXPECT_EQ(now.Word(6), 0u);
  EXPECT_EQ(now.Text(0xffdd), "/bin/x");
  EXPECT_EQ(now.Text(0xffe4), "ab");
  EXPECT_EQ(now.Text(0xffe7), "A=1");
  EXPECT_EQ(now.Text(0xffeb), "BB=22");
  EXPECT_EQ(now.Text(0xfff1), "/bin/x");
  EXPECT_EQ(now.Text(0xffd5), "aarch64");
  for (std::uint64_t i = 0; i < 16; ++i) EXPECT_EQ(now.Byte(0xffc0 + i), 0x11 * i);
  // Without the vDSO (33), in QEMU's order, and with a second word of features (AT_HWCAP2) where
  // QEMU has one.
  const std::uint64_t expected[] = {6,
                                    4096,
                                    TARE_AT_HWCAP,
                                    0xf0,
                                    TARE_AT_RANDOM,
                                    0xffc0,
                                    TARE_AT_EXECFN,
                                    0xfff1,
#if defined(__aarch64__)
                                    TARE_AT_HWCAP2,
                                    0,
#endif
                                    TARE_AT_PLATFORM,
                                    0xffd5,
                                    TARE_AT_NULL,
                                    0};
  for (std::uint64_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(now.Word(7 + i), expected[i]) << i;
  }
}

TEST(StartStack, SecondWordOfFeaturesIsHiddenEntirely) {
  const OldStack old({}, {}, {TARE_AT_HWCAP2, 0xff, 6, 4096});
  const NewStack now(old, 0x1000);
  EXPECT_EQ(now.Word(3), 6u);
  EXPECT_EQ(now.Word(4), 4096u);
#if defined(__aarch64__)
  EXPECT_EQ(now.Word(5), std::uint64_t{TARE_AT_HWCAP2});
#else
  EXPECT_EQ(now.Word(5), std::uint64_t{TARE_AT_NULL});
#endif
  EXPECT_EQ(now.Word(6), 0u);
}

// 0x10000 - 8 = 0xfff8, random bytes at 0xffe0, and the table below.
TEST(StartStack, OfNothingHasItsZeros) {
  const OldStack old({}, {}, {});
  const NewStack now(old, 0x1000);
  EXPECT_EQ(now.pointer, (0xffe0 - 8 * kOtherWords) & ~std::uint64_t{15});
  // On AArch64 the vector starts with the one entry that is always present, whose value is also 0.
  const bool always = TARE_AUXILIARY_WORDS > 36;
  for (std::uint64_t i = 0; i < kOtherWords; ++i) {
    EXPECT_EQ(now.Word(i), always && i == 3 ? std::uint64_t{TARE_AT_HWCAP2} : 0u) << i;
  }
}

TEST(StartStack, TakesAllTheRoomThereIsAndNoMore) {
  const OldStack old({"program"}, {"A=1"}, {6, 4096});
  const std::uint64_t needed = kTop - NewStack(old, 0x1000).pointer;
  EXPECT_EQ(NewStack(old, needed).pointer, kTop - needed);
  for (std::uint64_t room = 16; room < needed; room += 16) {
    EXPECT_EQ(NewStack(old, room).pointer, 0u) << room;
  }
}

TEST(StartStack, HoldsManyVariables) {
  std::vector<std::string> variables;
  for (int i = 0; i < 1000; ++i) {
    variables.push_back("V" + std::to_string(i) + "=" +
                        std::string(static_cast<std::size_t>(i % 17), 'x'));
  }
  const OldStack old({"program", ""}, variables, {6, 4096});
  const NewStack now(old, 0xc000);
  ASSERT_NE(now.pointer, 0u);
  EXPECT_EQ(now.pointer % 16, 0u);
  EXPECT_EQ(now.Text(now.Word(1)), "program");
  EXPECT_EQ(now.Text(now.Word(2)), "");
  for (std::uint64_t i = 0; i < variables.size(); ++i) {
    EXPECT_EQ(now.Text(now.Word(4 + i)), variables[i]);
  }
  EXPECT_EQ(now.Word(4 + variables.size()), 0u);
  EXPECT_EQ(now.Word(5 + variables.size()), 6u);
}

TEST(StartStack, OnlyDependsOnWhatIsThere) {
  const OldStack first({"program"}, {"A=1"}, {6, 4096});
  const OldStack second({"program"}, {"A=1"}, {6, 4096});
  EXPECT_EQ(NewStack(first, 0x1000).pointer, NewStack(second, 0x2000).pointer);
}

}  // namespace
