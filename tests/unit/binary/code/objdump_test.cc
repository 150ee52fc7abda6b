// objdump_test.cc: compares instructions, categories and call targets of Debian's binaries with
// objdump's. TARE_OBJDUMP_FILES names other files, TARE_OBJDUMP the objdump of their architecture;
// TARE_OBJDUMP_ALL prints every difference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <sstream>

#include "base/progress.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"
#include "tests/unit/binary/code/objdump_comparison.h"

namespace tare::code {
namespace {

constexpr std::size_t kMinFiles = 30;
constexpr std::uintmax_t kLargestBytes = 6'000'000;

// Programs and libraries of the packages that building this project needs, and their dependencies;
// the libraries of the compiler are compared below, for every architecture.
constexpr std::string_view kPrograms =
    "bash dash ls cp sort sha512sum factor od stat dd tail date join pr sed mawk gawk grep "
    "gzip dpkg dpkg-deb file make ninja objdump strip c++filt addr2line "
    "find xargs diff cmp xz mount lsblk fdisk login ps valgrind pkgconf apt-get";
constexpr std::string_view kLibraries =
    "libcrypto.so.3 libz.so.1 libgmp.so.10 libgomp.so.1 liblzma.so.5 libbz2.so.1.0 "
    "libselinux.so.1 libmagic.so.1 libpfm.so.4 libZydis.so.4.0 "
    "libgslcblas.so.0 libfmt.so.9 libbenchmark.so.1 libncursesw.so.6 libtinfo.so.6 libexpat.so.1 "
    "libopcodes-2.40-system.so";

std::string Objdump() {
  const char* named = std::getenv("TARE_OBJDUMP");
  return named == nullptr ? "objdump" : named;
}

std::vector<std::filesystem::path> WordsAsPaths(std::string_view text) {
  std::istringstream words{std::string(text)};
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::filesystem::path> InstalledFiles() {
  std::vector<std::filesystem::path> found;
  const auto add = [&](const std::filesystem::path& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error || bytes > kLargestBytes || !elf::OpenElf(path)) return false;
    found.push_back(path);
    return true;
  };
  for (const auto& name : WordsAsPaths(kPrograms)) add("/usr/bin" / name);
#if defined(__x86_64__)
  const std::filesystem::path libraries = "/usr/lib/x86_64-linux-gnu";
#else
  const std::filesystem::path libraries = "/usr/lib/aarch64-linux-gnu";
#endif
  for (const auto& name : WordsAsPaths(kLibraries)) add(libraries / name);
  for (const auto* name : {"ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2"}) add(libraries / name);
  return found;
}

// Expects a cause for every difference, and no cause above its limit.
void Compare(const std::filesystem::path& path, const std::string& objdump) {
  SCOPED_TRACE(path);
  const auto image = elf::OpenElf(path);
  ASSERT_TRUE(image) << image.error().message;
  const auto code = ProgramCode::Read(*image, 0, NoProgress);
  ASSERT_TRUE(code);
  Listing listing(image->architecture(), image->type() == elf::FileType::kObject);
  ASSERT_TRUE(listing.Read(objdump, path));
  const Comparison result = ObjdumpComparison(*code, listing).Run();
  const auto all = static_cast<double>(result.instructions);
  std::string causes;
  for (std::size_t i = 0; i < kCauses; ++i) {
    const CauseRow& row = kCauseRows[i];
    if (result.causes[i] == 0) continue;
    causes += fmt::format("; {} {}", row.name, result.causes[i]);
    constexpr double kFew = 8;
    const double most = row.max_share == 0 ? 0 : std::max(kFew, row.max_share * all);
    EXPECT_LE(static_cast<double>(result.causes[i]), most) << row.name << ": " << row.sentence;
  }
  fmt::print("{}: {} instructions, {:.1f} % with a category by text, {} calls, {} targets{}\n",
             path.filename().string(), result.instructions,
             100 * static_cast<double>(result.mapped) / all, result.calls, result.targets, causes);
  EXPECT_GT(result.instructions, 0U);
  EXPECT_GE(static_cast<double>(result.mapped), 0.9 * all);
  for (const auto& complaint : result.complaints) ADD_FAILURE() << complaint;
}

std::vector<ListedLine> LinesOf(decode::Architecture architecture, std::string_view text) {
  Listing listing(architecture, false);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) listing.AddLine(line);
  return listing.lines();
}

TEST(ObjdumpListing, X86LinesAreTakenApart) {
  using decode::Category;
  const auto lines = LinesOf(decode::Architecture::kX86_64,
                             "Disassembly of section .text:\n"
                             "0000000000001040 <main>:\n"
                             "    1040:\tsub    rsp,0x18\n"
                             "    1044:\tlock xadd DWORD PTR [rdi],eax\n"
                             "    1048:\tmov    rax,QWORD PTR fs:0x28\n"
                             "    1051:\tbnd jmp 1030 <puts@plt>\n"
                             "    1056:\tjne,pn 1040 <main>\n"
                             "    1059:\trex.W\n"
                             "    105a:\t(bad)\n"
                             "\t...\n");
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0].category, Category::kStackOps);
  EXPECT_EQ(lines[1].category, Category::kArith);
  EXPECT_EQ(lines[2].category, Category::kMem);
  EXPECT_EQ(lines[3].category, Category::kUnconditionalBranches);
  EXPECT_TRUE(lines[3].has_target);
  EXPECT_EQ(lines[3].target, 0x1030U);
  EXPECT_NE(lines[3].name, 0U);
  EXPECT_EQ(lines[4].category, Category::kBranches);
  EXPECT_EQ(lines[4].target, 0x1040U);
  EXPECT_EQ(lines[5].kind, LineKind::kPrefix);
  EXPECT_EQ(lines[6].kind, LineKind::kBad);
}

TEST(ObjdumpListing, A64LinesAreTakenApart) {
  using decode::Category;
  const auto lines = LinesOf(decode::Architecture::kAArch64,
                             "   31d04:\tstp\tx29, x30, [sp, #-16]!\n"
                             "   31d08:\tmov\tx29, sp\n"
                             "   31d0c:\tldr\tx0, 31d40 <_start+0x34>\n"
                             "   31d10:\ttbnz\tw0, #3, 31d30 <_start+0x24>\n"
                             "   31d14:\tb.eq\t31d04 <_start>  // b.none\n"
                             "   31d18:\tadrp\tx16, 14e000 <o_options+0x10a0>\n"
                             "   31d1c:\t.inst\t0x00000c11 ; undefined\n"
                             "   31d20:\t.word\t0x00000c11\n");
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[0].category, Category::kStackOps);
  EXPECT_EQ(lines[1].category, Category::kUnclassified);
  EXPECT_EQ(lines[2].category, Category::kMem);
  EXPECT_EQ(lines[3].category, Category::kBranches);
  EXPECT_EQ(lines[3].target, 0x31d30U);
  EXPECT_EQ(lines[4].target, 0x31d04U);
  EXPECT_EQ(lines[5].category, Category::kArith);
  EXPECT_FALSE(lines[5].has_target);
  EXPECT_EQ(lines[6].kind, LineKind::kBad);
  EXPECT_EQ(lines[7].kind, LineKind::kData);
}

// With an exception, a switch, and calls of other files, of itself and through pointers.
constexpr std::string_view kSource = R"(
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() = default; virtual double Area() const = 0; };
struct Square : Shape { double side = 2; double Area() const override { return side * side; } };
static int Depth(int n) { return n < 2 ? 1 : Depth(n - 1) + Depth(n - 2); }
int Chooses(int n) {
  switch (n) {
    case 0: return std::puts("zero");
    case 1: return Depth(12);
    case 2: throw std::runtime_error("two");
    case 3: return n * 17;
    case 4: return Depth(n);
    case 5: return n / 3;
    default: return -n;
  }
}
int main(int count, char** words) {
  std::vector<std::string> all(words, words + count);
  Square square;
  const Shape* shape = &square;
  double sum = shape->Area();
  for (const auto& one : all) sum += static_cast<double>(one.size()) * 0.5;
  try { return Chooses(count) + static_cast<int>(sum); } catch (const std::exception&) { return 3; }
}
)";

class ObjdumpComparisons : public ::testing::TestWithParam<decode::Architecture> {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
  }
  const std::string objdump_ = CommandFor(GetParam(), "objdump");
};

TEST_P(ObjdumpComparisons, ProgramsOfEveryKindDifferOnlyForNamedCauses) {
  const BuildDirectory directory;
  if (!directory.Runs(objdump_ + " --version")) GTEST_SKIP() << "no " << objdump_;
  directory.Write("a.cc", kSource);
  // Debian's libm.a for a foreign x86-64 names files of a native one; nothing here needs it.
  const std::string libraries =
      " -static -nodefaultlibs a.cc -lstdc++ -Wl,--start-group -lgcc -lgcc_eh -lc -Wl,--end-group";
  const std::vector<std::pair<std::string, std::string>> builds = {
      {"object.o", "g++ -O2 -c -o object.o a.cc"},
      {"sections.o", "g++ -O2 -ffunction-sections -c -o sections.o a.cc"},
      {"plain", "g++ -O0 -g -o plain a.cc"},
      {"fixed", "g++ -O2 -no-pie -o fixed a.cc"},
      {"static", "g++ -O2 -o static" + libraries},
      {"stripped", "g++ -O2 -s -o stripped a.cc"},
      {"stripped-static", "g++ -O2 -s -o stripped-static" + libraries},
  };
  for (const auto& [name, command] : builds) {
    ASSERT_TRUE(directory.Runs(CommandFor(GetParam(), command))) << command;
    Compare(directory / name, objdump_);
  }
}

// Libraries of the cross compiler, or of the host's own.
TEST_P(ObjdumpComparisons, LibrariesOfTheCompilerDifferOnlyForNamedCauses) {
  const BuildDirectory directory;
  if (!directory.Runs(objdump_ + " --version")) GTEST_SKIP() << "no " << objdump_;
  for (const std::string name : {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6"}) {
    std::string path = directory.Output(CommandFor(GetParam(), "g++ -print-file-name=") + name);
    path = path.substr(0, path.find('\n'));
    ASSERT_TRUE(path.starts_with("/")) << name;
    Compare(path, objdump_);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, ObjdumpComparisons, ::testing::ValuesIn(kArchitectures));

TEST(ObjdumpComparison, DebiansBinariesDifferOnlyForNamedCauses) {
  if (!BuildDirectory().Runs(Objdump() + " --version")) GTEST_SKIP() << "no " << Objdump();
  if (const char* named = std::getenv("TARE_OBJDUMP_FILES")) {
    for (const auto& path : WordsAsPaths(named)) Compare(path, Objdump());
    return;
  }
  const auto files = InstalledFiles();
  if (files.size() < kMinFiles)
    GTEST_SKIP() << "only " << files.size() << " of the known programs and libraries are here";
  for (const auto& path : files) Compare(path, Objdump());
}

}  // namespace
}  // namespace tare::code
