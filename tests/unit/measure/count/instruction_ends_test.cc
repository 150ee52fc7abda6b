// instruction_ends_test.cc: tests that engines and the decoder agree on the ends of blocks.
#include "engines/instruction_ends.h"

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "binary/decode/instruction.h"

namespace tare::count {
namespace {

using decode::Architecture;
using decode::BranchKind;

struct X86Case {
  const char* text;
  std::vector<std::uint8_t> code;
  tare_end end;
  bool repeated;
};

const X86Case kX86Cases[] = {
    {"jz short", {0x74, 0x05}, TARE_END_CONDITIONAL, false},
    {"jg short", {0x7f, 0x05}, TARE_END_CONDITIONAL, false},
    {"jo near", {0x0f, 0x80, 1, 0, 0, 0}, TARE_END_CONDITIONAL, false},
    {"jg near", {0x0f, 0x8f, 1, 0, 0, 0}, TARE_END_CONDITIONAL, false},
    {"bnd jnz", {0xf2, 0x75, 0x05}, TARE_END_CONDITIONAL, false},
    {"jnz, said to be taken", {0x3e, 0x75, 0x05}, TARE_END_CONDITIONAL, false},
    {"loopne", {0xe0, 0x05}, TARE_END_CONDITIONAL, false},
    {"loop", {0xe2, 0x05}, TARE_END_CONDITIONAL, false},
    {"jrcxz", {0xe3, 0x05}, TARE_END_CONDITIONAL, false},
    {"jecxz", {0x67, 0xe3, 0x05}, TARE_END_CONDITIONAL, false},
    {"jmp short", {0xeb, 0x05}, TARE_END_OTHER, false},
    {"jmp near", {0xe9, 1, 0, 0, 0}, TARE_END_OTHER, false},
    {"jmp rax", {0xff, 0xe0}, TARE_END_OTHER, false},
    {"notrack jmp rax", {0x3e, 0xff, 0xe0}, TARE_END_OTHER, false},
    {"call near", {0xe8, 1, 0, 0, 0}, TARE_END_CALL, false},
    {"data16 rex.w call near", {0x66, 0x48, 0xe8, 1, 0, 0, 0}, TARE_END_CALL, false},
    {"call rax", {0xff, 0xd0}, TARE_END_CALL, false},
    {"call r8", {0x41, 0xff, 0xd0}, TARE_END_CALL, false},
    {"call [rip]", {0xff, 0x15, 1, 0, 0, 0}, TARE_END_CALL, false},
    {"call fs:[16]", {0x64, 0xff, 0x14, 0x25, 0x10, 0, 0, 0}, TARE_END_CALL, false},
    {"ret", {0xc3}, TARE_END_RETURN, false},
    {"bnd ret", {0xf2, 0xc3}, TARE_END_RETURN, false},
    {"repz ret", {0xf3, 0xc3}, TARE_END_RETURN, false},
    {"ret 8", {0xc2, 8, 0}, TARE_END_RETURN, false},
    {"inc dword [rax]", {0xff, 0x00}, TARE_END_OTHER, false},
    {"push [rax]", {0xff, 0x30}, TARE_END_OTHER, false},
    {"setz al", {0x0f, 0x94, 0xc0}, TARE_END_OTHER, false},
    {"cmovz eax, eax", {0x0f, 0x44, 0xc0}, TARE_END_OTHER, false},
    {"syscall", {0x0f, 0x05}, TARE_END_OTHER, false},
    {"nop", {0x90}, TARE_END_OTHER, false},
    {"movsb", {0xa4}, TARE_END_OTHER, false},
    {"rep movsb", {0xf3, 0xa4}, TARE_END_OTHER, true},
    {"rep movsq", {0xf3, 0x48, 0xa5}, TARE_END_OTHER, true},
    {"rep movsw", {0x66, 0xf3, 0xa5}, TARE_END_OTHER, true},
    {"repe cmpsb", {0xf3, 0xa6}, TARE_END_OTHER, true},
    {"repne scasb", {0xf2, 0xae}, TARE_END_OTHER, true},
    {"rep stosq", {0xf3, 0x48, 0xab}, TARE_END_OTHER, true},
    {"rep lodsb", {0xf3, 0xac}, TARE_END_OTHER, true},
    {"addr32 rep movsb fs", {0x64, 0x67, 0xf3, 0xa4}, TARE_END_OTHER, true},
    {"pause", {0xf3, 0x90}, TARE_END_OTHER, false},
    {"movss xmm0, [rax]", {0xf3, 0x0f, 0x10, 0x00}, TARE_END_OTHER, false},
    {"popcnt eax, eax", {0xf3, 0x0f, 0xb8, 0xc0}, TARE_END_OTHER, false},
    {"test al, 1", {0xa8, 0x01}, TARE_END_OTHER, false},
};

tare_end EndOf(BranchKind kind) {
  switch (kind) {
    case BranchKind::kConditional:
      return TARE_END_CONDITIONAL;
    case BranchKind::kCall:
    case BranchKind::kIndirectCall:
      return TARE_END_CALL;
    case BranchKind::kReturn:
      return TARE_END_RETURN;
    case BranchKind::kNone:
    case BranchKind::kJump:
    case BranchKind::kIndirectJump:
      break;
  }
  return TARE_END_OTHER;
}

TEST(InstructionEnds, OfX86) {
  for (const X86Case& tried : kX86Cases) {
    const auto size = static_cast<std::uint32_t>(tried.code.size());
    EXPECT_EQ(tare_x86_end(tried.code.data(), size), tried.end) << tried.text;
    EXPECT_EQ(tare_x86_is_repeated(tried.code.data(), size) != 0, tried.repeated) << tried.text;
    const auto decoded =
        decode::Decode(Architecture::kX86_64, std::as_bytes(std::span(tried.code)), 0x1000);
    ASSERT_TRUE(decoded) << tried.text;
    EXPECT_EQ(decoded->length, tried.code.size()) << tried.text;
    EXPECT_EQ(EndOf(decoded->branch), tried.end) << tried.text;
    EXPECT_EQ(decoded->repeated, tried.repeated) << tried.text;
  }
}

TEST(InstructionEnds, OfAArch64) {
  const struct {
    const char* text;
    std::uint32_t word;
    tare_end end;
  } cases[] = {
      {"b.ne", 0x54ffffe1, TARE_END_CONDITIONAL},
      {"b.al", 0x5400000e, TARE_END_CONDITIONAL},
      {"cbz w0", 0x34000040, TARE_END_CONDITIONAL},
      {"cbnz x0", 0xb5000040, TARE_END_CONDITIONAL},
      {"tbz w0, #1", 0x36080040, TARE_END_CONDITIONAL},
      {"tbnz x0, #33", 0xb7080040, TARE_END_CONDITIONAL},
      {"b", 0x14000002, TARE_END_OTHER},
      {"br x1", 0xd61f0020, TARE_END_OTHER},
      {"bl", 0x94000002, TARE_END_CALL},
      {"bl backwards", 0x97fffffe, TARE_END_CALL},
      {"blr x1", 0xd63f0020, TARE_END_CALL},
      {"blraaz x1", 0xd63f083f, TARE_END_CALL},
      {"blraa x1, x2", 0xd73f0822, TARE_END_CALL},
      {"ret", 0xd65f03c0, TARE_END_RETURN},
      {"ret x1", 0xd65f0020, TARE_END_RETURN},
      {"retaa", 0xd65f0bff, TARE_END_RETURN},
      {"svc", 0xd4000001, TARE_END_OTHER},
      {"nop", 0xd503201f, TARE_END_OTHER},
      {"csel", 0x9a810000, TARE_END_OTHER},
      {"ldr x0, [x1]", 0xf9400020, TARE_END_OTHER},
  };
  for (const auto& tried : cases) EXPECT_EQ(tare_a64_end(tried.word), tried.end) << tried.text;
}

TEST(InstructionEnds, AgreeWithTheDecoderOnRandomWordsOfAArch64) {
  std::mt19937 random(1);
  std::size_t branches = 0;
  for (int i = 0; i < 400000; ++i) {
    std::uint32_t word = static_cast<std::uint32_t>(random());
    // Half of them are in the encoding group of branches and system instructions.
    if (i % 2 == 0) word = (word & 0xe3ffffff) | 0x14000000;
    const auto decoded =
        decode::Decode(Architecture::kAArch64, std::as_bytes(std::span(&word, 1)), 0x1000);
    if (!decoded) continue;
    branches += decoded->branch != BranchKind::kNone ? 1u : 0u;
    ASSERT_EQ(tare_a64_end(word), EndOf(decoded->branch)) << std::hex << word;
  }
  EXPECT_GT(branches, 10000u);
}

// Prefixes before a possible branch or string operation, and random bytes after it.
TEST(InstructionEnds, AgreeWithTheDecoderOnRandomBytesOfX86) {
  std::mt19937 random(1);
  const std::uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x65};
  std::size_t seen = 0;
  for (int i = 0; i < 400000; ++i) {
    std::vector<std::uint8_t> code;
    for (std::uint32_t left = static_cast<std::uint32_t>(random()) % 3; left > 0; --left) {
      code.push_back(prefixes[random() % std::size(prefixes)]);
    }
    if (random() % 4 == 0) code.push_back(static_cast<std::uint8_t>(0x40 + random() % 16));
    while (code.size() < 16) code.push_back(static_cast<std::uint8_t>(random()));
    const auto decoded =
        decode::Decode(Architecture::kX86_64, std::as_bytes(std::span(code)), 0x1000);
    if (!decoded) continue;
    seen += decoded->branch != BranchKind::kNone || decoded->repeated ? 1u : 0u;
    const auto text =
        testing::PrintToString(std::vector(code.begin(), code.begin() + decoded->length));
    ASSERT_EQ(tare_x86_end(code.data(), decoded->length), EndOf(decoded->branch)) << text;
    ASSERT_EQ(tare_x86_is_repeated(code.data(), decoded->length) != 0, decoded->repeated) << text;
  }
  EXPECT_GT(seen, 10000u);
}

}  // namespace
}  // namespace tare::count
