// signature_file_test.cc: round trips, and files that are refused.
#include "predict/signature/signature_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/file.h"
#include "base/private_directory.h"
#include "predict/signature/signature_codec.h"
#include "random_signature.h"

namespace tare::signature {
namespace {

std::string FileOf(const Signature& signature) {
  const auto raw = EncodeSignature(signature);
  EXPECT_TRUE(raw) << (raw ? "" : raw.error().message);
  return PackSignature(*raw).value();
}

TEST(SignatureFile, ReturnsWhatWasWritten) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Signature signature = RandomSignature(seed).Make();
    const auto path = directory->path() / "signature";
    const auto written = WriteSignature(signature, path);
    ASSERT_TRUE(written) << written.error().message;
    const auto read = ReadSignature(path);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_TRUE(*read == signature) << seed;
  }
}

// A file that was written by another program from the description of the format.
TEST(SignatureFile, IsAsDocumented) {
  const auto read =
      ReadSignature(std::string(TARE_SOURCE_DIR) + "/tests/fuzz/corpus/signature/whole");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->command, (std::vector<std::string>{"/bin/x", "-c"}));
  EXPECT_EQ(read->native_seconds, 0.125);
  EXPECT_EQ(read->caveats, (std::vector<Caveat>{{CaveatId::kIncomplete, "process 1"}}));
  ASSERT_EQ(read->parts.size(), 1U);
  ASSERT_EQ(read->parts[0].blocks.size(), 2U);
  const Block& block = read->parts[0].blocks[0];
  EXPECT_EQ(block.function, "main");
  EXPECT_EQ(block.loop, 0U);
  EXPECT_EQ(read->parts[0].loops.at(0).chain_span, 48);
  EXPECT_EQ(block.loads, 200U);
  EXPECT_EQ(block.load_places, 2);
  EXPECT_EQ(block.strides.one, 0.25);
  EXPECT_EQ(block.strides.stream_loads, 0.0625);
  EXPECT_EQ(block.strides.stream_stores, 0);
  EXPECT_EQ(block.strides.strided_lines, 0.125);
  ASSERT_EQ(block.near.at_depth.size(), 14U * 25);
  // 300 references, 7 of them at depth 24; the same number in the shapes that follow.
  EXPECT_EQ(block.near.at_depth[0], 293U);
  EXPECT_EQ(block.near.at_depth[24], 7U);
  EXPECT_EQ(block.near.at_depth[25], 300U);
  EXPECT_EQ(block.near.write_backs.at(0), 3U);
  EXPECT_EQ(block.far.at_distance, (std::vector<double>{250, 0, 64}));
  EXPECT_EQ(block.pages.at(2).cold, 4U);
  EXPECT_TRUE(read->parts[0].blocks[1].near.at_depth.empty());
}

TEST(SignatureFile, NamesBothVersions) {
  std::string file = FileOf(RandomSignature(1).Make());
  file[8] = 7;
  const auto read = ParseSignature(file);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
  EXPECT_EQ(read.error().message, "it is a signature of version 7; this tare reads version 3");
}

TEST(SignatureFile, IsNotMistakenForAnother) {
  for (const std::string text :
       {"", "tare", "{\"schema\": \"tare-machine\"}", "traesign????????"}) {
    const auto read = ParseSignature(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message, "it is not a signature of tare");
  }
}

TEST(SignatureFile, NamesTheFile) {
  const auto directory = PrivateDirectory::Make();
  ASSERT_TRUE(directory);
  const auto path = directory->path() / "x.sig";
  ASSERT_TRUE(WriteFileAtomically(path, "nothing"));
  const auto read = ReadSignature(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, path.string() + ": it is not a signature of tare");
  EXPECT_FALSE(ReadSignature(directory->path() / "missing"));
}

TEST(SignatureFile, IsRefusedIfAnyByteIsChangedOrMissing) {
  Signature small;
  small.objects.emplace_back();
  small.parts.emplace_back();
  small.parts[0].blocks.emplace_back();
  const std::string file = FileOf(small);
  ASSERT_TRUE(ParseSignature(file));
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_FALSE(ParseSignature(damaged)) << i;
    EXPECT_FALSE(ParseSignature(file.substr(0, i))) << i;
  }
  EXPECT_FALSE(ParseSignature(file + 'x'));
}

// With a valid checksum the contents themselves must be refused or be a signature.
TEST(SignatureCodec, RefusesDamageThatTheChecksumDoesNotShow) {
  Signature signature = RandomSignature(3).Make();
  signature.parts.resize(1);
  signature.parts[0].blocks.resize(2);
  const std::string raw = EncodeSignature(signature).value();
  std::size_t refused = 0;
  for (std::size_t i = 0; i < raw.size(); i += 3) {
    std::string damaged = raw;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    const auto read = DecodeSignature(damaged);
    if (!read) {
      EXPECT_EQ(read.error().kind, ErrorKind::kFormat);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0U);
  for (std::size_t i = 0; i < raw.size(); i += 7) EXPECT_FALSE(DecodeSignature(raw.substr(0, i)));
}

TEST(SignatureCodec, RefusesImpossibleContents) {
  const auto message_of = [](auto change) {
    Signature signature = RandomSignature(5).Make();
    signature.parts[0].loops = {{"f", "f.c", 1, kNoLoop, 1, 1}};
    signature.parts[0].blocks.resize(1);
    signature.parts[0].blocks[0] = {};
    change(signature);
    const auto raw = EncodeSignature(signature);
    return raw ? std::string() : raw.error().message;
  };
  EXPECT_EQ(message_of([](Signature&) {}), "");
  EXPECT_EQ(message_of([](Signature& s) { s.parts.clear(); }),
            "the signature is damaged: it has no part");
  EXPECT_EQ(message_of([](Signature& s) { s.parts[0].blocks[0].object = 9; }),
            "the signature is damaged: a block is in no file");
  EXPECT_EQ(message_of([](Signature& s) { s.parts[0].blocks[0].loop = 9; }),
            "the signature is damaged: a block is in a loop that does not exist");
  EXPECT_EQ(message_of([](Signature& s) { s.parts[0].loops[0].parent = 0; }),
            "the signature is damaged: a loop is inside itself");
  EXPECT_EQ(message_of([](Signature& s) { s.grid.max_ways = 0; }),
            "the signature is damaged: its grid of caches is impossible");
  EXPECT_EQ(message_of([](Signature& s) { s.parts[0].blocks[0].near.at_depth = {1, 2}; }),
            "the signature is damaged: a block has counters of another grid");
}

// A few bytes per block that expand to all counters of the grid.
TEST(SignatureCodec, DoesNotExpandAFewBytesWithoutLimit) {
  Signature signature;
  signature.objects.emplace_back();
  signature.grid.line_bytes = {16, 32, 64, 128};
  signature.grid.max_way_bytes = 4096U << 15;
  signature.grid.max_ways = 32;
  signature.parts.emplace_back();
  Block block;
  block.near.at_depth.resize(signature.grid.Shapes() * signature.grid.Depths());
  block.near.at_depth[0] = 1;
  signature.parts[0].blocks.assign(100, block);
  std::string raw = EncodeSignature(signature).value();
  ASSERT_TRUE(DecodeSignature(raw));
  // The number of blocks is the varint before the first of them: 100 blocks of equal length.
  signature.parts[0].blocks.resize(1);
  const std::string one = EncodeSignature(signature).value();
  const std::size_t block_bytes = (raw.size() - one.size()) / 99;
  const std::size_t start = one.size() - block_bytes;
  constexpr std::uint64_t kBlocks = 40'000;  // times 2,112 counters are more than 2^26
  std::string forged = one.substr(0, start - 1);
  for (std::uint64_t left = kBlocks; left > 0; left >>= 7)
    forged += static_cast<char>((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
  for (std::uint64_t i = 0; i < kBlocks; ++i) forged += one.substr(start);
  const auto read = DecodeSignature(forged);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "the signature is damaged: it has too many counters");
}

}  // namespace
}  // namespace tare::signature
