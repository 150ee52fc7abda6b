// machine_code_test.cc: tests that the microbenchmarks' machine code does what their rows say.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "binary/code/function_walk.h"
#include "binary/decode/decoder.h"
#include "binary/decode/register_effect.h"
#include "binary/elf/elf_image.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/mixed_loop.h"
#include "machine/microbenchmark/operation.h"
#include "machine/microbenchmark/streams.h"

namespace tare::microbenchmark {
namespace {

struct Place {
  std::uint64_t address;
  decode::Instruction instruction;
};

const elf::ElfImage& OwnImage() {
  static const elf::ElfImage image = *elf::OpenElf("/proc/self/exe");
  return image;
}

std::vector<Place> InstructionsOf(const std::string& symbol) {
  const Result<elf::Function> function = OwnImage().FindFunction(symbol);
  EXPECT_TRUE(function.has_value()) << symbol;
  std::vector<Place> places;
  if (!function) return places;
  decode::Decoder decoder(OwnImage().architecture());
  code::FunctionWalk walk(OwnImage(), *function, decoder, {});
  while (walk.Next()) {
    if (walk.piece().kind == code::PieceKind::kInstruction)
      places.push_back({walk.piece().address, walk.piece().instruction});
  }
  return places;
}

// Returns the code from the target of the shortest backward branch to the branch itself.
std::vector<Place> InnermostLoop(std::string_view symbol) {
  const std::vector<Place> all = InstructionsOf(std::string(symbol));
  std::uint64_t min = ~std::uint64_t{0};
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  for (const Place& place : all) {
    const auto& target = place.instruction.target;
    if (place.instruction.branch != decode::BranchKind::kConditional || !target) continue;
    if (*target > place.address || place.address - *target >= min) continue;
    min = place.address - *target;
    first = *target;
    last = place.address;
  }
  std::vector<Place> loop;
  std::ranges::copy_if(all, std::back_inserter(loop), [&](const Place& place) {
    return place.address >= first && place.address <= last;
  });
  return loop;
}

std::uint64_t LoadBytes(const std::vector<Place>& loop) {
  std::uint64_t bytes = 0;
  for (const Place& place : loop) bytes += place.instruction.load_bytes;
  return bytes;
}

std::uint64_t StoreBytes(const std::vector<Place>& loop) {
  std::uint64_t bytes = 0;
  for (const Place& place : loop) bytes += place.instruction.store_bytes;
  return bytes;
}

std::uint64_t Branches(const std::vector<Place>& loop) {
  return static_cast<std::uint64_t>(std::ranges::count_if(loop, [](const Place& place) {
    return place.instruction.branch != decode::BranchKind::kNone;
  }));
}

// The only branch is the loop's own; every memory access has the width of an element or a pair.
void ExpectRow(const LoopRow& row) {
  const std::vector<Place> loop = InnermostLoop(row.symbol);
  ASSERT_FALSE(loop.empty()) << row.symbol;
  EXPECT_EQ(LoadBytes(loop), row.loads * row.element_bytes) << row.symbol;
  EXPECT_EQ(StoreBytes(loop), row.stores * row.element_bytes) << row.symbol;
  EXPECT_EQ(Branches(loop), 1U) << row.symbol;
  EXPECT_EQ(loop.front().address % 64, 0U) << row.symbol;
  for (const Place& place : loop) {
    for (const unsigned bytes : {place.instruction.load_bytes, place.instruction.store_bytes})
      EXPECT_TRUE(bytes == 0 || bytes == row.element_bytes || bytes == 2 * row.element_bytes)
          << row.symbol << ": " << bytes;
  }
}

TEST(MachineCode, MemoryMicrobenchmarksAccessWhatTheirRowsState) {
  ASSERT_FALSE(MemoryLoopRows().empty());
  for (const LoopRow& row : MemoryLoopRows()) {
    EXPECT_GT(row.loads + row.stores, 0U) << row.symbol;
    ExpectRow(row);
  }
}

TEST(MachineCode, StreamsAccessWhatTheirRowsSay) {
  ASSERT_FALSE(AllStreams().empty());
  for (const Stream& stream : AllStreams()) ExpectRow(stream.loop);
}

TEST(MachineCode, AChainedLoadGivesTheAddressOfTheNext) {
  for (const char* symbol : {"tare_load_chained_8", "tare_update_chained_8"}) {
    unsigned links = 0;
    std::uint8_t chain = decode::kNoRegister;
    for (const Place& place : InnermostLoop(symbol)) {
      if (place.instruction.load_bytes == 0) continue;
      const decode::RegisterEffect effect =
          decode::EffectOf(OwnImage().architecture(),
                           OwnImage().Code(place.address, place.instruction.length), place.address);
      EXPECT_EQ(effect.kind, decode::RegisterEffect::Kind::kLoad) << symbol;
      EXPECT_EQ(effect.to, effect.base) << symbol;
      if (links++ == 0) chain = effect.to;
      EXPECT_EQ(effect.to, chain) << symbol;
    }
    EXPECT_EQ(links, kChainedElements) << symbol;
  }
}

TEST(MachineCode, OperationsAreAsManyAsTheirRowsSay) {
  const decode::Architecture architecture = OwnImage().architecture();
  for (const Operation& operation : AllOperations()) {
    const std::vector<Place> loop = InnermostLoop(operation.symbol);
    ASSERT_FALSE(loop.empty()) << operation.symbol;
    std::map<std::string, unsigned> seen;
    for (const Place& place : loop)
      ++seen[decode::MnemonicName(architecture, place.instruction.mnemonic)];
    EXPECT_EQ(seen[std::string(operation.mnemonic)], operation.instructions) << operation.symbol;
    EXPECT_EQ(LoadBytes(loop) + StoreBytes(loop), 0U) << operation.symbol;
    EXPECT_EQ(Branches(loop), 1U) << operation.symbol;
  }
}

// A fused multiply-add counts twice per lane.
TEST(MachineCode, FloatingPointOperationsAreCountedByLane) {
  for (const Operation& operation : AllOperations()) {
    if (operation.unit != "flop") continue;
    unsigned operations = 0;
    for (const Place& place : InnermostLoop(operation.symbol))
      operations += place.instruction.floating_operations;
    EXPECT_EQ(operations, operation.per_iteration) << operation.symbol;
  }
}

TEST(MachineCode, LineLoopsDoAsMuchWorkAsTheirRowsSay) {
  const decode::Architecture architecture = OwnImage().architecture();
  for (const LineLoop& line_loop : LineLoops()) {
    ExpectRow(line_loop.row);
    unsigned additions = 0;
    for (const Place& place : InnermostLoop(line_loop.row.symbol)) {
      if (decode::MnemonicName(architecture, place.instruction.mnemonic) == "add") ++additions;
    }
    EXPECT_EQ(additions, line_loop.additions) << line_loop.row.symbol;
  }
}

TEST(MachineCode, MixedInstructionsAreAsManyAsTheirRowSays) {
  for (const InstructionMix& mix : {MixedInstructions(), LoadsWithStores()}) {
    const std::vector<Place> loop = InnermostLoop(mix.row.symbol);
    EXPECT_EQ(loop.size(), mix.instructions);
    EXPECT_EQ(Branches(loop), mix.branches);
    EXPECT_EQ(LoadBytes(loop), mix.row.loads * mix.row.element_bytes);
    EXPECT_EQ(StoreBytes(loop), mix.row.stores * mix.row.element_bytes);
  }
}

TEST(MachineCode, EachStoreOfAForwardingChainIsLoadedNext) {
  ExpectRow(StoreForwarding().row);
  bool stored = false;
  for (const Place& place : InnermostLoop(StoreForwarding().row.symbol)) {
    if (place.instruction.load_bytes != 0) {
      EXPECT_TRUE(stored);
    }
    stored = place.instruction.store_bytes != 0;
  }
}

// The branch of the pattern and that of the loop, and the load of one direction.
TEST(MachineCode, TheBranchOfAPatternIsARealOne) {
  const std::vector<Place> loop = InnermostLoop("tare_branches");
  EXPECT_EQ(Branches(loop), 2U);
  EXPECT_EQ(LoadBytes(loop), 1U);
  EXPECT_EQ(StoreBytes(loop), 0U);
  for (const Place& place : loop) {
    if (place.instruction.branch == decode::BranchKind::kNone) continue;
    EXPECT_EQ(place.instruction.branch, decode::BranchKind::kConditional);
    EXPECT_LE(*place.instruction.target, loop.back().address);
  }
}

}  // namespace
}  // namespace tare::microbenchmark
