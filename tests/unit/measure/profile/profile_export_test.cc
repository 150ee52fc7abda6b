// profile_export_test.cc: exports are read back, by independent tools where they are installed.
#include "measure/profile/profile_export.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/private_directory.h"
#include "tests/unit/measure/profile/synthetic_profile.h"

namespace tare::profile {
namespace {

bool IsInstalled(const std::string& tool) {
  return std::system(("command -v " + tool + " > /dev/null 2>&1").c_str()) == 0;
}

// What a shell line prints; its failure fails the test.
std::string OutputOf(const std::string& line) {
  std::string output;
  FILE* const pipe = ::popen((line + " 2>/dev/null").c_str(), "r");
  char bytes[4096];
  while (const std::size_t got = std::fread(bytes, 1, sizeof bytes, pipe))
    output.append(bytes, got);
  EXPECT_EQ(::pclose(pipe), 0) << line;
  return output;
}

std::filesystem::path Written(const PrivateDirectory& directory, const std::string& bytes) {
  const auto path = directory.path() / "export";
  EXPECT_TRUE(WriteFileAtomically(path, bytes));
  return path;
}

TEST(ToFolded, HasALinePerChain) {
  EXPECT_EQ(ToFolded(ProfileOf({{"x", 3}, {"y", 2}})), "program;main;x 3\nprogram;main;y 2\n");
}

TEST(ToFolded, OddNamesStayOnOneLine) {
  auto profile = ProfileOf({{"a;b\nc", 1}});
  EXPECT_EQ(ToFolded(profile), "program;main;a_b_c 1\n");
}

TEST(ToSpeedscope, IsJsonWithEverySample) {
  const auto json = nlohmann::json::parse(ToSpeedscope(ProfileOf({{"x", 3}, {"y\"</script>", 2}})));
  EXPECT_EQ(json["$schema"], "https://www.speedscope.app/file-format-schema.json");
  EXPECT_EQ(json["profiles"][0]["samples"].size(), 5);
  EXPECT_EQ(json["profiles"][0]["weights"].size(), 5);
  EXPECT_EQ(json["profiles"][0]["samples"][0], nlohmann::json({0, 1}));
  EXPECT_EQ(json["shared"]["frames"][1]["name"], "x");
}

TEST(ToPprof, IsReadByPprof) {
  const auto bytes = ToPprof(ProfileOf({{"x", 30}, {"y", 10}}));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->substr(0, 2), "\x1f\x8b");
  if (!IsInstalled("go")) GTEST_SKIP() << "go tool pprof is not installed";
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory);
  const std::string text = OutputOf("HOME=/tmp go tool pprof -sample_index=samples -top " +
                                    Written(*directory, *bytes).string());
  EXPECT_NE(text.find("75.00%"), std::string::npos) << text;
}

TEST(ToPprof, IsAGzippedMessage) {
  const auto bytes = ToPprof(ProfileOf({{"x", 30}}));
  ASSERT_TRUE(bytes);
  z_stream stream{};
  ASSERT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string raw(65536, '\0');
  std::string packed = *bytes;
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw.data());
  stream.avail_out = static_cast<uInt>(raw.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  raw.resize(stream.total_out);
  inflateEnd(&stream);
  // sample_type is field 1 of wire type 2, and names are in the table of strings.
  EXPECT_EQ(raw[0], '\x0a');
  EXPECT_NE(raw.find("nanoseconds"), std::string::npos);
  EXPECT_NE(raw.find("/src/program.c"), std::string::npos);
}

TEST(ToCallgrind, IsReadByCallgrindAnnotate) {
  if (!IsInstalled("callgrind_annotate")) GTEST_SKIP() << "callgrind_annotate is not installed";
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory);
  const auto path = Written(*directory, ToCallgrind(ProfileOf({{"x", 30}, {"y", 10}})));
  const std::string own = OutputOf("callgrind_annotate " + path.string());
  EXPECT_NE(own.find("30 (75.00%)"), std::string::npos) << own;
  EXPECT_NE(own.find("program.c:x"), std::string::npos) << own;
  const std::string inclusive = OutputOf("callgrind_annotate --inclusive=yes " + path.string());
  EXPECT_NE(inclusive.find("40 (100.0%)  /src/program.c:main"), std::string::npos) << inclusive;
}

TEST(ToPerfData, IsReadByPerfScript) {
  if (!IsInstalled("perf")) GTEST_SKIP() << "perf is not installed";
  const auto directory = PrivateDirectory::MakeOnDisk();
  ASSERT_TRUE(directory);
  const auto path = Written(*directory, ToPerfData(ProfileOf({{"x", 30}, {"y", 10}})));
  const std::string text = OutputOf("perf script -F comm,tid,ip -i " + path.string());
  // The offsets of x and of the return into main in the file, which perf shows without symbols.
  EXPECT_NE(text.find(" 1040\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" 1001\n"), std::string::npos) << text;
  std::size_t samples = 0;
  for (std::size_t at = text.find("program"); at != std::string::npos;
       at = text.find("program", at + 1))
    ++samples;
  EXPECT_EQ(samples, 40);
}

}  // namespace
}  // namespace tare::profile
