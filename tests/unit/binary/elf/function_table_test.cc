// function_table_test.cc: tests overlaps, aliases and gaps of functions.
#include "binary/elf/function_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::elf {
namespace {

using ::testing::ElementsAre;

constexpr AddressRange kCodeRange[] = {{0x1000, 0x2000}, {0x3000, 0x3100}};

CodeSymbol Symbol(std::string_view name, std::uint64_t address, std::uint64_t size) {
  CodeSymbol symbol;
  symbol.name = name;
  symbol.address = address;
  symbol.size = size;
  symbol.exported = true;
  return symbol;
}

std::vector<std::string> ShownFunctions(const std::vector<Function>& functions) {
  std::vector<std::string> lines;
  for (const auto& one : functions) {
    char line[100];
    std::snprintf(line, sizeof(line), "%s %lx %lx", one.name.c_str(), one.start, one.end);
    lines.emplace_back(line);
  }
  return lines;
}

TEST(FunctionTable, AFunctionWithoutSizeEndsWhereTheNextBeginsOrItsSectionEnds) {
  const std::vector<CodeSymbol> symbols = {Symbol("b", 0x1100, 0), Symbol("a", 0x1000, 0),
                                           Symbol("c", 0x3000, 0)};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {}, {}, kCodeRange)),
              ElementsAre("a 1000 1100", "b 1100 2000", "c 3000 3100"));
}

TEST(FunctionTable, AnExportedNameWithoutUnderscoresWins) {
  auto local = Symbol("impl", 0x1000, 16);
  local.exported = false;
  auto weak = Symbol("puts", 0x1000, 16);
  weak.weak = true;
  const std::vector<CodeSymbol> symbols = {Symbol("_IO_puts", 0x1000, 16), local, weak,
                                           Symbol("__puts", 0x1000, 16)};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {}, {}, kCodeRange)),
              ElementsAre("puts 1000 1010"));
}

TEST(FunctionTable, AFunctionInTheMiddleOfAnotherSplitsIt) {
  const std::vector<CodeSymbol> symbols = {Symbol("outer", 0x1000, 0x100),
                                           Symbol("inner", 0x1040, 0x20)};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {}, {}, kCodeRange)),
              ElementsAre("outer 1000 1040", "inner 1040 1060", "outer 1060 1100"));
}

TEST(FunctionTable, FramesFillGapsOnly) {
  const std::vector<CodeSymbol> symbols = {Symbol("f", 0x1010, 0x20)};
  const std::vector<AddressRange> frames = {
      {0x1010, 0x1030}, {0x1030, 0x1050}, {0x1000, 0x1018}, {0x1018, 0x1040}, {0x5000, 0x5010}};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, frames, {}, kCodeRange)),
              ElementsAre("sub_1000 1000 1010", "f 1010 1030", "sub_1030 1030 1050"));
}

TEST(FunctionTable, AFrameKnowsTheSizeThatASymbolLacks) {
  const std::vector<CodeSymbol> symbols = {Symbol("f", 0x1010, 0)};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {{0x1010, 0x1020}}, {}, kCodeRange)),
              ElementsAre("f 1010 1020"));
}

TEST(FunctionTable, SizesThatReachTooFarAreCut) {
  const std::vector<CodeSymbol> symbols = {Symbol("f", 0x1f00, 0x10000),
                                           Symbol("g", 0x3000, UINT64_MAX - 0x3000)};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {}, {}, kCodeRange)),
              ElementsAre("f 1f00 2000", "g 3000 3100"));
}

TEST(FunctionTable, LabelsInsideOfAFunctionAreNone) {
  auto label = Symbol("again", 0x1008, 0);
  label.typed = false;
  auto alone = Symbol("asm_code", 0x1100, 0);
  alone.typed = false;
  const std::vector<CodeSymbol> symbols = {Symbol("f", 0x1000, 0x20), label, alone};
  EXPECT_THAT(ShownFunctions(FunctionTable(symbols, {}, {}, {}, kCodeRange)),
              ElementsAre("f 1000 1020", "asm_code 1100 2000"));
}

TEST(SplitAt, OnlyAFunctionWhoseEndIsAGuessIsCut) {
  const std::vector<Function> functions = {
      {"known", 0x1000, 0x1100, FunctionSource::kSymbol, false, false},
      {"open", 0x1100, 0x1200, FunctionSource::kSymbol, false, true},
      {"last", 0x1200, 0x1300, FunctionSource::kGuessed, false, true}};
  const std::vector<std::uint64_t> starts = {0x1010, 0x1100, 0x1140, 0x1180, 0x12ff, 0x1300};
  EXPECT_THAT(ShownFunctions(SplitAt(functions, starts)),
              ElementsAre("known 1000 1100", "open 1100 1140", "sub_1140 1140 1180",
                          "sub_1180 1180 1200", "last 1200 12ff", "sub_12ff 12ff 1300"));
}

}  // namespace
}  // namespace tare::elf
