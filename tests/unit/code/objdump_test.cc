// objdump_test.cc: instructions, categories and call targets of Debian's binaries beside objdump's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "base/progress.h"
#include "tests/programs/build_folder.h"
#include "tests/unit/code/objdump_comparison.h"

namespace tare::code {
namespace {

constexpr std::size_t kFewestFiles = 30;
constexpr std::uintmax_t kLargestBytes = 6'000'000;

// Programs and libraries of packages that building this project needs, and of what those need.
constexpr std::string_view kPrograms =
    "bash dash ls cp sort sha512sum factor od stat dd tail date join pr sed mawk gawk grep tar "
    "gzip "
    "perl dpkg dpkg-deb file make openssl ninja objdump readelf strip as ld.bfd c++filt addr2line "
    "find xargs diff cmp xz zstd mount lsblk fdisk login ps mandoc valgrind pkgconf apt-get";
constexpr std::string_view kLibraries =
    "libc.so.6 libm.so.6 libstdc++.so.6 libcrypto.so.3 libssl.so.3 libz.so.1 libzstd.so.1 "
    "libgmp.so.10 libmpfr.so.6 libgcc_s.so.1 libgomp.so.1 liblzma.so.5 libbz2.so.1.0 "
    "libpcre2-8.so.0 "
    "libselinux.so.1 libmagic.so.1 libhwloc.so.15 libpfm.so.4 libZydis.so.4.0 libgsl.so.27 "
    "libgslcblas.so.0 libfmt.so.9 libbenchmark.so.1 libsystemd.so.0 libncursesw.so.6 libtinfo.so.6 "
    "libexpat.so.1 libbfd-2.40-system.so libopcodes-2.40-system.so libc.a";

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
    if (error || bytes > kLargestBytes || !binary::OpenElf(path)) return false;
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

class Objdump_ : public ::testing::Test {};

// Whether nothing differs without a cause, and no cause goes beyond its bound.
void Compare(const std::filesystem::path& path) {
  SCOPED_TRACE(path);
  const auto image = binary::OpenElf(path);
  ASSERT_TRUE(image) << image.error().message;
  const auto code = ProgramCode::Read(*image, 0, NoProgress);
  ASSERT_TRUE(code);
  Listing listing(*image);
  ASSERT_TRUE(listing.Read(Objdump(), path));
  const Comparison result = ObjdumpComparison(*code, listing).Run();
  const auto all = static_cast<double>(result.instructions);
  std::string causes;
  for (std::size_t i = 0; i < kCauses; ++i) {
    const CauseRow& row = kCauseRows[i];
    if (result.causes[i] == 0) continue;
    causes += fmt::format("; {} {}", row.name, result.causes[i]);
    constexpr double kFew = 8;
    const double most = row.most_share == 0 ? 0 : std::max(kFew, row.most_share * all);
    EXPECT_LE(static_cast<double>(result.causes[i]), most) << row.name << ": " << row.sentence;
  }
  fmt::print("{}: {} instructions, {:.1f} % with a category by text, {} calls, {} targets{}\n",
             path.filename().string(), result.instructions,
             100 * static_cast<double>(result.mapped) / all, result.calls, result.targets, causes);
  EXPECT_GT(result.instructions, 0U);
  EXPECT_GE(static_cast<double>(result.mapped), 0.9 * all);
  for (const auto& complaint : result.complaints) ADD_FAILURE() << complaint;
}

TEST(ObjdumpListing, TakesLinesOfBothArchitecturesApart) {}

TEST(ObjdumpComparison, DebiansBinariesDifferOnlyForNamedCauses) {
  if (const char* named = std::getenv("TARE_OBJDUMP_FILES")) {
    for (const auto& path : WordsAsPaths(named)) Compare(path);
    return;
  }
  const auto files = InstalledFiles();
  if (files.size() < kFewestFiles)
    GTEST_SKIP() << "only " << files.size() << " of the known programs and libraries are here";
  for (const auto& path : files) Compare(path);
}

}  // namespace
}  // namespace tare::code
