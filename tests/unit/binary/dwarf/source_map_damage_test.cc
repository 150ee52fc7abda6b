// source_map_damage_test.cc: tests truncated, changed and malicious debug information.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "binary/dwarf/source_map.h"
#include "built_program.h"
#include "tests/programs/toolchain.h"

namespace tare::dwarf {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Checks the invariants of every map, whatever it was read from.
void ExpectSound(const SourceMap& map) {
  std::uint64_t covered = 0;
  for (const auto& row : map.rows()) {
    ASSERT_GE(row.start, covered);
    ASSERT_LT(row.start, row.end);
    ASSERT_TRUE(row.source.file == kUnknown || row.source.file < map.files().size());
    ASSERT_GT(row.source.line, 0u);
    covered = row.end;
  }
  for (const auto& call : map.inlined()) {
    ASSERT_LT(call.function, map.functions().size());
    ASSERT_GE(call.depth, 1u);
    ASSERT_FALSE(map.RangesOf(call).empty());
    ASSERT_TRUE(map.FunctionStartingAt(call.inside));
  }
}

// Returns whether it could be read at all.
bool ReadsSoundly(std::string bytes) {
  const auto image = elf::ElfImage::Parse(std::move(bytes));
  if (!image) return false;
  const auto map = SourceMap::Read(*image);
  if (map) ExpectSound(*map);
  return map.has_value();
}

using Damaged = std::tuple<decode::Architecture, std::string>;

std::string SmallObject(const Directory& directory, const Damaged& build) {
  const auto& [architecture, flags] = build;
  directory.Write("small.c",
                  "static int Add(int a, int b) { return a + b; }\n"
                  "int Use(int a) { return Add(a, 1) * Add(a, 2); }\n");
  const std::string command =
      CommandFor(architecture, "gcc -O2 " + flags + " -c small.c -o small.o");
  return directory.Runs(command) ? directory.Contents("small.o") : "";
}

class DamagedObject : public ::testing::TestWithParam<Damaged> {};

TEST_P(DamagedObject, CutAtAnyByteItIsRefused) {
  Directory directory;
  const std::string whole = SmallObject(directory, GetParam());
  if (whole.empty()) GTEST_SKIP() << "no gcc for it, or one that does not know its flags";
  ASSERT_TRUE(ReadsSoundly(whole));
  // The section headers are at its end.
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(ReadsSoundly(whole.substr(0, length))) << length;
}

TEST_P(DamagedObject, WithADebugSectionCutAtAnyByteWhatIsLeftIsRead) {
  Directory directory;
  const std::string whole = SmallObject(directory, GetParam());
  if (whole.empty()) GTEST_SKIP() << "no gcc for it, or one that does not know its flags";
  const auto file = elf::ReadElfFile(std::as_bytes(std::span(whole)));
  ASSERT_TRUE(file);
  std::size_t cuts = 0;
  for (std::size_t number = 0; number < file->sections.size(); ++number) {
    const auto& section = file->sections[number];
    if (section.name.find(".debug_") == std::string_view::npos) continue;
    const std::size_t size_at = static_cast<std::size_t>(file->header.e_shoff) +
                                number * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_size);
    for (std::uint64_t size = 1; size < section.contents.size(); ++size) {
      std::string cut = whole;
      std::memcpy(cut.data() + size_at, &size, sizeof(size));
      EXPECT_TRUE(ReadsSoundly(std::move(cut))) << section.name << " " << size;
      ++cuts;
    }
  }
  EXPECT_GT(cuts, 100u);
}

TEST_P(DamagedObject, WithAnyByteOfItsDebugSectionsChangedItIsReadOrRefused) {
  Directory directory;
  const std::string whole = SmallObject(directory, GetParam());
  if (whole.empty()) GTEST_SKIP() << "no gcc for it, or one that does not know its flags";
  const auto file = elf::ReadElfFile(std::as_bytes(std::span(whole)));
  ASSERT_TRUE(file);
  std::size_t changed = 0;
  for (const auto& section : file->sections) {
    if (section.name.find(".debug_") == std::string_view::npos) continue;
    const auto begin = static_cast<std::size_t>(section.contents.data() - file->bytes.data());
    for (std::size_t i = begin; i < begin + section.contents.size(); ++i)
      for (const unsigned flip : {0xffU, 0x01U, 0x80U}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
        ReadsSoundly(std::move(damaged));
        ++changed;
      }
  }
  EXPECT_GT(changed, 300u);
}

INSTANTIATE_TEST_SUITE_P(Versions, DamagedObject,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values("-gdwarf-2", "-gdwarf-4", "-gdwarf-5",
                                                              "-g -gz")));

// An object file of hand-written debug sections: `info`, `abbrev` and others are assembler text.
class HandWritten : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
  bool Assembles() const {
    return directory_.Runs(CommandFor(GetParam(), "g++ -c hand.s -o hand.o"));
  }
  Result<SourceMap> Map(const std::string& info, const std::string& abbrev,
                        const std::string& more = "") {
    directory_.Write("hand.s",
                     ".text\nbegin:\n.rept 64\n.byte 0\n.endr\nend:\n"
                     ".section .debug_info,\"\",%progbits\n" +
                         info + "\n.section .debug_abbrev,\"\",%progbits\n" + abbrev + "\n" + more +
                         "\n");
    if (!Assembles()) return Fail(ErrorKind::kUsage, "the assembler refuses it");
    TRY(const auto image, elf::OpenElf(directory_ / "hand.o"));
    return SourceMap::Read(image);
  }

  // A DWARF 4 unit with the given entries.
  static std::string Unit(const std::string& entries) {
    return ".long 1f-0f\n0: .short 4\n.long 0\n.byte 8\n" + entries + "\n1:\n";
  }

  Directory directory_;
};

// 1: unit with children. 2: subprogram with low, high (data8), name; children. 3: subprogram with
// origin (ref4), low, high; children. 4: inlined with origin (ref4), low, high; children.
// 5: inlined with ranges (sec_offset).
constexpr const char* kShapes =
    ".byte 1,0x11,1,0,0\n"
    ".byte 2,0x2e,1,0x11,1,0x12,7,3,8,0,0\n"
    ".byte 3,0x2e,1,0x31,0x13,0x11,1,0x12,7,0,0\n"
    ".byte 4,0x1d,1,0x31,0x13,0x11,1,0x12,7,0,0\n"
    ".byte 5,0x1d,0,0x31,0x13,0x55,0x17,0,0\n"
    ".byte 0\n";

TEST_P(HandWritten, AFunctionAndWhatIsInlinedInIt) {
  const auto map = Map(Unit(".byte 1\n.byte 2\n.quad begin\n.quad 64\n.asciz \"outer\"\n"
                            ".byte 4\n.long 12\n.quad begin+8\n.quad 8\n.byte 0\n.byte 0\n.byte 0"),
                       kShapes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  ASSERT_EQ(map->inlined().size(), 1u);
  const auto& call = map->inlined()[0];
  EXPECT_EQ(map->functions()[call.function].name, "outer");
  ASSERT_EQ(map->RangesOf(call).size(), 1u);
  EXPECT_EQ(map->RangesOf(call)[0].start, call.inside + 8);
  EXPECT_EQ(map->RangesOf(call)[0].end, call.inside + 16);
}

TEST_P(HandWritten, AFunctionThatIsItsOwnOriginIsNamelessAndSaidToBe) {
  const auto map =
      Map(Unit(".byte 1\n.byte 3\n.long 12\n.quad begin\n.quad 64\n.byte 0\n.byte 0"), kShapes);
  ASSERT_TRUE(map) << map.error().message;
  ASSERT_EQ(map->concrete().size(), 1u);
  EXPECT_EQ(map->functions()[map->concrete()[0].function].name, "");
  EXPECT_THAT(map->problems(), Contains(HasSubstr("refer to missing entries")));
}

TEST_P(HandWritten, AFunctionOfASupplementaryFileIsNamelessAndSaidToBeThere) {
  // DW_FORM_GNU_ref_alt, as dwz writes it.
  const auto map =
      Map(Unit(".byte 1\n.byte 2\n.quad begin\n.quad 64\n.asciz \"outer\"\n"
               ".byte 6\n.long 99\n.quad begin+8\n.quad 8\n.byte 0\n.byte 0"),
          ".byte 6,0x1d,0,0x31\n.uleb128 0x1f20\n.byte 0x11,1,0x12,7,0,0\n" + std::string(kShapes));
  ASSERT_TRUE(map) << map.error().message;
  ASSERT_EQ(map->inlined().size(), 1u);
  EXPECT_EQ(map->functions()[map->inlined()[0].function].name, "");
  EXPECT_THAT(map->problems(), Contains(HasSubstr("supplementary file")));
}

TEST_P(HandWritten, ManyEntriesThatShareALongListAreStoppedSoon) {
  const auto map = Map(Unit(".byte 1\n.byte 2\n.quad begin\n.quad 64\n.asciz \"outer\"\n"
                            ".rept 20000\n.byte 5\n.long 12\n.long 0\n.endr\n.byte 0\n.byte 0"),
                       kShapes,
                       ".section .debug_ranges,\"\",%progbits\n.rept 100000\n.quad begin\n"
                       ".quad begin+4\n.endr\n.quad 0,0\n");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_FALSE(map->complete());
  ExpectSound(*map);
}

TEST_P(HandWritten, DeepNestingIsWalkedWithoutAStack) {
  const auto map = Map(Unit(".byte 1\n.byte 2\n.quad begin\n.quad 64\n.asciz \"outer\"\n"
                            ".rept 50000\n.byte 4\n.long 12\n.quad begin\n.quad 8\n.endr\n"
                            ".rept 50002\n.byte 0\n.endr"),
                       kShapes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  ASSERT_EQ(map->inlined().size(), 50000u);
  EXPECT_EQ(map->inlined().back().depth, 50000u);
}

TEST_P(HandWritten, NestingWithoutEndIsStopped) {
  const auto map = Map(Unit(".byte 1\n.rept 200000\n.byte 1\n.endr"), kShapes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("too deep")));
}

TEST_P(HandWritten, AUnitLongerThanTheSectionIsSaidToBe) {
  const auto map = Map(".long 0x7fffffff\n.short 4\n.long 0\n.byte 8\n.byte 1\n", kShapes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("longer than the rest of the section")));
}

TEST_P(HandWritten, AnUnknownVersionIsPassedOver) {
  const auto map = Map(".long 1f-0f\n0: .short 9\n.long 0\n.byte 8\n.byte 1\n1:\n" +
                           Unit(".byte 1\n.byte 2\n.quad begin\n.quad 64\n.asciz \"outer\"\n"
                                ".byte 0\n.byte 0"),
                       kShapes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("not of DWARF version 2 to 5")));
  EXPECT_EQ(map->concrete().size(), 1u);
}

// A unit with a line table and nothing else; the table's bytes follow its length.
constexpr const char* kLineUnit = ".byte 1\n.long 0\n";
constexpr const char* kLineShapes = ".byte 1,0x11,0,0x10,0x17,0,0,0\n";

std::string LineSection(const std::string& header, const std::string& opcodes) {
  return ".section .debug_line,\"\",%progbits\n.long 3f-2f\n2:\n" + header + opcodes + "3:\n";
}

// Version 4; instructions of 4 bytes; line base -5, range 14, opcodes from 13; one file.
constexpr const char* kLineHeader =
    ".short 4\n.long 5f-4f\n4: .byte 4,1,1,-5,14,13\n.byte 0,1,1,1,1,0,0,0,1,0,0,1\n"
    ".byte 0\n.asciz \"a.c\"\n.byte 0,0,0\n.byte 0\n5:\n";

TEST_P(HandWritten, OpcodesOfALineTableMoveAddressAndLine) {
  const auto map = Map(Unit(kLineUnit), kLineShapes,
                       LineSection(kLineHeader,
                                   ".byte 0,9,2\n.quad begin\n"  // set address
                                   ".byte 3,9,1\n"               // line 10, copy
                                   ".byte 2,2,1\n"               // 2 instructions on, copy
                                   ".byte 13+5+1+14*3\n"         // special: line + 1, 3 on
                                   ".byte 9\n.short 6\n"         // 6 bytes on
                                   ".byte 8\n"                   // constant: (255-13)/14 = 17 on
                                   ".byte 3,0x7d,1\n"            // line - 3, copy
                                   ".byte 4,7,2,1,1\n"           // unknown file
                                   ".byte 2,2,0,1,1\n"));        // end
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  ASSERT_FALSE(map->rows().empty());
  const std::uint64_t begin = map->rows()[0].start;
  std::vector<std::array<std::uint64_t, 3>> rows;
  for (const auto& row : map->rows())
    rows.push_back({row.start - begin, row.end - begin, row.source.line});
  // The last row would end at 106, beyond the 64 bytes of code.
  EXPECT_EQ(rows, (std::vector<std::array<std::uint64_t, 3>>{{0, 20, 10}, {20, 64, 11}}));
  EXPECT_EQ(map->files(), std::vector<std::string>{"a.c"});
}

TEST_P(HandWritten, ALineTableThatRunsBackwardsIsSaidTo) {
  const auto map = Map(Unit(kLineUnit), kLineShapes,
                       LineSection(kLineHeader,
                                   ".byte 0,9,2\n.quad begin+32\n.byte 1\n.byte 2,2,3,1,1\n"
                                   ".byte 0,9,2\n.quad begin\n.byte 3,5,1\n.byte 2,4,0,1,1\n"));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("has decreasing addresses")));
  ASSERT_EQ(map->rows().size(), 2u);
  ExpectSound(*map);
}

TEST_P(HandWritten, ALineRangeOfZeroIsRefused) {
  const std::string header =
      ".short 4\n.long 5f-4f\n4: .byte 4,1,1,-5,0,13\n.byte 0,1,1,1,1,0,0,0,1,0,0,1\n"
      ".byte 0,0\n5:\n";
  const auto map = Map(Unit(kLineUnit), kLineShapes, LineSection(header, ".byte 8,200,8\n"));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("damaged header")));
}

TEST_P(HandWritten, BillionsOfFilesThatTakeNoBytesAreRefused) {
  const std::string header =
      ".short 5\n.byte 8,0\n.long 5f-4f\n4: .byte 4,1,1,-5,14,13\n"
      ".byte 0,1,1,1,1,0,0,0,1,0,0,1\n"
      ".byte 0\n.uleb128 0xffffffffffff\n.byte 1,1,0x19\n.uleb128 0xffffffffffff\n5:\n";
  const auto map = Map(Unit(kLineUnit), kLineShapes, LineSection(header, ".byte 1\n"));
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("damaged header")));
}

TEST_P(HandWritten, ASectionThatClaimsToHoldMoreThanItsStreamCanIsRefused) {
  // SHF_COMPRESSED, zlib, 1 GiB of 8 bytes.
  directory_.Write(
      "hand.s",
      ".section .debug_info,\"\\x800\",%progbits\n.long 1,0\n.quad 0x40000000,1\n.quad 0\n");
  if (!Assembles()) {
    directory_.Write("hand.s",
                     ".section .debug_info,\"0x800\",%progbits\n.long 1,0\n"
                     ".quad 0x40000000,1\n.quad 0\n");
    ASSERT_TRUE(Assembles());
  }
  const auto image = elf::OpenElf(directory_ / "hand.o");
  ASSERT_TRUE(image);
  const auto map = SourceMap::Read(*image);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), Contains(HasSubstr("cannot result from")));
}

// Relocations of debug sections have different numbers on each architecture.
INSTANTIATE_TEST_SUITE_P(Machines, HandWritten, ::testing::ValuesIn(kArchitectures));

}  // namespace
}  // namespace tare::dwarf
