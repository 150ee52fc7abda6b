// source_map_test.cc: compares source maps of compiled programs with binutils.
#include "binary/dwarf/source_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "built_program.h"
#include "tests/programs/toolchain.h"

namespace tare::dwarf {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Result<SourceMap> MapOf(const std::filesystem::path& path) {
  TRY(const auto image, elf::OpenElf(path));
  return SourceMap::Read(image);
}

std::string BaseName(const SourceMap& map, SourceLine source) {
  if (source.file == kUnknown) return "??";
  return std::filesystem::path(map.files()[source.file]).filename().string();
}

std::string LineText(const SourceMap& map, SourceLine source) {
  return BaseName(map, source) + ":" + std::to_string(source.line);
}

// Returns "counter.h:5" for each address where a row starts, as readelf prints it; "" where a
// sequence ends.
std::map<std::uint64_t, std::string> ReadelfLines(const Directory& directory,
                                                  const std::string& name) {
  std::map<std::uint64_t, std::string> lines;
  std::istringstream text(directory.Output("readelf -W --debug-dump=decodedline " + name));
  for (std::string row; std::getline(text, row);) {
    std::istringstream words(row);
    std::string file;
    std::string line;
    std::string address;
    if (!(words >> file >> line >> address) || !(address.starts_with("0x") || address == "0"))
      continue;
    const std::uint64_t at = std::strtoull(address.c_str(), nullptr, 16);
    const std::string base = std::filesystem::path(file).filename().string();
    // A sequence that starts where another ends takes precedence.
    if (line != "-")
      lines[at] = line == "0" ? "" : base + ":" + line;
    else
      lines.emplace(at, "");
  }
  return lines;
}

void ExpectLinesOfReadelf(const SourceMap& map, const std::map<std::uint64_t, std::string>& lines,
                          std::uint64_t bias) {
  ASSERT_GT(lines.size(), 10u);
  for (auto at = lines.begin(); at != lines.end(); ++at) {
    const auto next = std::next(at);
    std::vector<std::uint64_t> places = {at->first};
    if (next != lines.end() && !at->second.empty()) places.push_back(next->first - 1);
    for (const std::uint64_t place : places) {
      const auto found = map.LineAt(place + bias);
      EXPECT_EQ(found ? LineText(map, *found) : "", at->second) << std::hex << place;
    }
  }
}

// Returns the functions that contain an address, innermost first.
std::vector<std::string> InlineStack(const SourceMap& map, std::uint64_t address) {
  std::vector<const InlinedCall*> calls;
  for (const auto& call : map.inlined())
    if (std::ranges::any_of(map.RangesOf(call),
                            [&](const AddressRange& range) { return range.Contains(address); }))
      calls.push_back(&call);
  std::ranges::sort(calls, std::greater(), &InlinedCall::depth);
  std::vector<std::string> stack;
  std::string line = map.LineAt(address) ? LineText(map, *map.LineAt(address)) : "";
  for (const auto* call : calls) {
    stack.push_back(map.functions()[call->function].name + " " + line);
    line = LineText(map, call->call_site);
  }
  stack.push_back("* " + line);
  return stack;
}

// The same from addr2line; the outermost function's name is not compared.
std::vector<std::string> Addr2lineStack(const Directory& directory, const std::string& program,
                                        const std::string& name, std::uint64_t address) {
  char command[200];
  std::snprintf(command, sizeof(command), "%s -f -i -e %s 0x%llx", program.c_str(), name.c_str(),
                static_cast<unsigned long long>(address));
  std::istringstream text(directory.Output(command));
  std::vector<std::string> stack;
  for (std::string function, place; std::getline(text, function) && std::getline(text, place);) {
    place = place.substr(0, place.find(' '));
    stack.push_back(function + " " + place.substr(place.rfind('/') + 1));
  }
  if (!stack.empty()) stack.back().replace(0, stack.back().find(' '), "*");
  return stack;
}

struct Build {
  std::string compiler;
  std::string flags;
};

void PrintTo(const Build& build, std::ostream* out) { *out << build.compiler << build.flags; }

class CompiledProgram : public ::testing::TestWithParam<std::tuple<decode::Architecture, Build>> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(architecture()); !reason.empty()) GTEST_SKIP() << reason;
    if (!directory_.Runs(build().compiler + " --version") || !directory_.Runs("readelf --version"))
      GTEST_SKIP() << "no " << build().compiler << " or no binutils here";
    WriteProgram(directory_);
  }
  decode::Architecture architecture() const { return std::get<0>(GetParam()); }
  const Build& build() const { return std::get<1>(GetParam()); }
  bool Compile(const std::string& more) {
    return directory_.Runs(
        CommandFor(architecture(), build().compiler + " -O2 " + build().flags + " " + more));
  }

  Directory directory_;
};

TEST_P(CompiledProgram, EveryRowIsThatOfReadelf) {
  if (!Compile("program.cc -o program")) GTEST_SKIP() << "the compiler does not know these flags";
  const auto map = MapOf(directory_ / "program");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  ExpectLinesOfReadelf(*map, ReadelfLines(directory_, "program"), 0);
}

TEST_P(CompiledProgram, RowsOfAnObjectFileHaveTheAddressesOfItsCode) {
  if (!Compile("-c program.cc -o program.o"))
    GTEST_SKIP() << "the compiler does not know these flags";
  const auto image = elf::OpenElf(directory_ / "program.o");
  ASSERT_TRUE(image);
  if (image->functions().empty()) GTEST_SKIP() << "such an object file has no code yet";
  const auto map = SourceMap::Read(*image);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  std::set<std::string> seen;
  for (const auto& function : image->functions()) {
    const auto declared = map->DeclarationOf(function.start);
    ASSERT_TRUE(declared) << function.name;
    EXPECT_TRUE(map->LineAt(function.start)) << function.name;
    seen.insert(function.name + " " + LineText(*map, *declared));
  }
  EXPECT_THAT(seen, Contains("_Z4Kepti program.cc:18"));
  EXPECT_THAT(seen, Contains("main program.cc:27"));
}

TEST_P(CompiledProgram, InlinedFunctionsAreNamedAndNested) {
  if (!Compile("program.cc -o program")) GTEST_SKIP() << "the compiler does not know these flags";
  const auto image = elf::OpenElf(directory_ / "program");
  ASSERT_TRUE(image);
  const auto map = SourceMap::Read(*image);
  ASSERT_TRUE(map) << map.error().message;
  const auto kept = image->FindFunction("Kept(int)");
  ASSERT_TRUE(kept);
  std::map<std::string, std::uint32_t> depths;
  for (const auto& call : map->inlined()) {
    if (call.inside != kept->start) continue;
    for (const auto& range : map->RangesOf(call)) EXPECT_LT(range.start, range.end);
    depths[map->functions()[call.function].name + " at " + LineText(*map, call.call_site)] =
        call.depth;
  }
  // Members have symbol table names in every version; static functions in some.
  EXPECT_EQ(depths["_ZN7Counter5TwiceEi at program.cc:21"], 1u);
  EXPECT_EQ(depths["_ZN7Counter3AddEi at counter.h:6"], 2u);
  const auto squared = std::ranges::find_if(depths, [](const auto& entry) {
    return entry.first.find("Squared") != std::string::npos && entry.first.ends_with(":15");
  });
  ASSERT_NE(squared, depths.end());
  EXPECT_EQ(squared->second, 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Compilers, CompiledProgram,
    ::testing::Combine(
        ::testing::ValuesIn(kArchitectures),
        ::testing::Values(
            Build{"g++", "-gdwarf-2"}, Build{"g++", "-gdwarf-4"}, Build{"g++", "-gdwarf-5"},
            Build{"g++", "-gdwarf-5 -gdwarf64"}, Build{"g++", "-g -gz"},
            Build{"g++", "-g -gz=zlib-gnu"}, Build{"g++", "-g -gz=zstd"}, Build{"g++", "-g -flto"},
            Build{"g++", "-g -fdebug-types-section"}, Build{"clang++-19", "-gdwarf-2"},
            Build{"clang++-19", "-gdwarf-4"}, Build{"clang++-19", "-gdwarf-5"},
            Build{"clang++-19", "-gdwarf-5 -gdwarf64"}, Build{"clang++-19", "-g -gz"},
            Build{"clang++-19", "-g -gz=zstd"}, Build{"clang++-19", "-g -fdebug-types-section"})));

class CompiledInSections : public CompiledProgram {};

TEST_P(CompiledInSections, SeparateSectionsOfFunctionsAreAllThere) {
  if (!Compile("-ffunction-sections -Wl,--gc-sections program.cc -o program"))
    GTEST_SKIP() << "the compiler does not know these flags";
  const auto map = MapOf(directory_ / "program");
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_THAT(map->problems(), IsEmpty());
  ExpectLinesOfReadelf(*map, ReadelfLines(directory_, "program"), 0);
}

INSTANTIATE_TEST_SUITE_P(Compilers, CompiledInSections,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values(Build{"g++", "-gdwarf-4"},
                                                              Build{"g++", "-gdwarf-5"},
                                                              Build{"clang++-19", "-gdwarf-4"},
                                                              Build{"clang++-19", "-gdwarf-5"})));

class CompiledForAddr2line : public CompiledProgram {};

TEST_P(CompiledForAddr2line, EveryStackOfInlinedFunctionsIsThatOfAddr2line) {
  ASSERT_TRUE(Compile("program.cc -o program"));
  const std::string addr2line = CommandFor(architecture(), "addr2line");
  const auto image = elf::OpenElf(directory_ / "program");
  ASSERT_TRUE(image);
  const auto map = SourceMap::Read(*image);
  ASSERT_TRUE(map) << map.error().message;
  std::size_t nested = 0;
  for (const auto& row : map->rows()) {
    const auto stack = InlineStack(*map, row.start);
    nested += stack.size() > 2 ? 1U : 0U;
    auto other = Addr2lineStack(directory_, addr2line, "program", row.start);
    ASSERT_FALSE(other.empty());
    // addr2line gives the innermost function the enclosing symbol's name, unless that is mangled.
    const auto* symbol = image->FunctionAt(row.start);
    if (symbol != nullptr && other[0].starts_with(symbol->name + " "))
      other[0].replace(0, symbol->name.size(), stack[0].substr(0, stack[0].find(' ')));
    EXPECT_EQ(stack, other) << std::hex << row.start;
  }
  EXPECT_GE(nested, 2u);
}

// addr2line of binutils 2.40 does not find clang's DWARF 5.
INSTANTIATE_TEST_SUITE_P(Compilers, CompiledForAddr2line,
                         ::testing::Combine(::testing::ValuesIn(kArchitectures),
                                            ::testing::Values(Build{"g++", "-gdwarf-4"},
                                                              Build{"g++", "-gdwarf-5"},
                                                              Build{"clang++-19", "-gdwarf-4"})));

TEST(SourceMap, ThisProgramLacksDebugInformationOrKnowsItsFiles) {
  const auto map = MapOf("/proc/self/exe");
  if (!map) {
    EXPECT_EQ(map.error().kind, ErrorKind::kNotFound);
    GTEST_SKIP() << "this build has no debug information";
  }
  EXPECT_THAT(map->problems(), IsEmpty());
  EXPECT_THAT(map->files(), Contains(EndsWith("source_map_test.cc")));
}

class SourceMapOf : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
  static bool Compiles(const Directory& directory, const std::string& command) {
    return directory.Runs(CommandFor(GetParam(), command));
  }
};
INSTANTIATE_TEST_SUITE_P(Machines, SourceMapOf, ::testing::ValuesIn(kArchitectures));

TEST_P(SourceMapOf, AProgramWithoutDebugInformationIsAnErrorThatSaysSo) {
  Directory directory;
  WriteProgram(directory);
  ASSERT_TRUE(Compiles(directory, "g++ -O2 program.cc -o program"));
  const auto map = MapOf(directory / "program");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(map.error().message, HasSubstr("-g"));
}

TEST_P(SourceMapOf, SplitDebugInformationIsSaidToBeElsewhere) {
  Directory directory;
  WriteProgram(directory);
  for (const std::string flags : {"-gdwarf-4", "-gdwarf-5"}) {
    ASSERT_TRUE(Compiles(directory, "g++ -O2 -gsplit-dwarf " + flags + " program.cc -o program"));
    const auto map = MapOf(directory / "program");
    ASSERT_TRUE(map) << map.error().message;
    EXPECT_THAT(map->problems(), Contains(HasSubstr(".dwo"))) << flags;
    EXPECT_FALSE(map->rows().empty()) << flags;
    EXPECT_TRUE(map->inlined().empty()) << flags;
  }
}

TEST_P(SourceMapOf, FunctionsOfTheSameNameInTwoFilesAreTwo) {
  Directory directory;
  for (const std::string name : {"one", "two"})
    directory.Write(name + ".c",
                    "extern volatile int sink;\nstatic int Same(int v) { sink = v; return "
                    "v * v; }\nint " +
                        name + "(int v) { return Same(v) + Same(v + 1); }\n");
  directory.Write("main.c",
                  "volatile int sink; int one(int); int two(int);\nint main(void) { return "
                  "one(1) + two(2); }\n");
  ASSERT_TRUE(Compiles(directory, "gcc -O2 -g one.c two.c main.c -o program"));
  const auto map = MapOf(directory / "program");
  ASSERT_TRUE(map) << map.error().message;
  std::set<std::string> declared;
  for (const auto& call : map->inlined()) {
    const auto& function = map->functions()[call.function];
    EXPECT_EQ(function.name, "Same");
    declared.insert(LineText(*map, function.declared));
  }
  EXPECT_EQ(declared, (std::set<std::string>{"one.c:2", "two.c:2"}));
}

// Debian's builds map the working directory to a relative one, such as ./csu.
TEST_P(SourceMapOf, ARelativeWorkingDirectoryIsInAPathOnce) {
  Directory directory;
  WriteProgram(directory);
  for (const std::string compiler : {"g++", "clang++-19"})
    for (const std::string flags : {" -gdwarf-4", " -gdwarf-5"}) {
      ASSERT_TRUE(
          Compiles(directory,
                   compiler + flags + " -O2 -fdebug-prefix-map=$PWD=place program.cc -o program"));
      const auto map = MapOf(directory / "program");
      ASSERT_TRUE(map) << map.error().message;
      EXPECT_THAT(map->files(), Contains("place/program.cc")) << compiler << flags;
      EXPECT_THAT(map->files(), Not(Contains(HasSubstr("place/place")))) << compiler << flags;
    }
}

TEST_P(SourceMapOf, TheSameFileGivesTheSameMap) {
  Directory directory;
  WriteProgram(directory);
  std::string sources;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "part" + std::to_string(i);
    directory.Write(name + ".cc", "#define main " + name + "\n#define Kept Kept" + name +
                                      "\n#define Both Both" + name + "\n#define sink sink" + name +
                                      "\n#include \"program.cc\"\n");
    sources += " " + name + ".cc";
  }
  ASSERT_TRUE(
      Compiles(directory, "g++ -O1 -finline-functions -g -shared -fPIC" + sources + " -o all.so"));
  const auto first = MapOf(directory / "all.so");
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_GT(first->inlined().size(), 100u);
  for (int run = 0; run < 5; ++run) {
    const auto again = MapOf(directory / "all.so");
    ASSERT_TRUE(again);
    EXPECT_EQ(again->files(), first->files());
    ASSERT_EQ(again->rows().size(), first->rows().size());
    for (std::size_t i = 0; i < first->rows().size(); ++i)
      ASSERT_EQ(again->rows()[i].source, first->rows()[i].source);
    ASSERT_EQ(again->inlined().size(), first->inlined().size());
    for (std::size_t i = 0; i < first->inlined().size(); ++i)
      ASSERT_EQ(again->inlined()[i].function, first->inlined()[i].function);
  }
}

}  // namespace
}  // namespace tare::dwarf
