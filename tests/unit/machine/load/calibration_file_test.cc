// calibration_file_test.cc: tests that calibrations survive a round trip, and that invalid files
// are rejected.
#include "machine/load/calibration_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/file.h"

namespace tare::load {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kMachine = "box (Xeon 6)";

Calibration Example() {
  return {std::string(kMachine), "Linux 6.18", "2026-01-02T03:04:05Z",
          std::string(kLoopId),  0.2,          {{0, {1.25e9, 1.26e9}}, {5, {1.5e9, 1.1e9, 1.3e9}}}};
}

std::string Replaced(std::string_view what, std::string_view by) {
  std::string text = FormatCalibration(Example());
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

std::string Refusal(std::string_view text) {
  const auto parsed = ParseCalibration(text, kMachine);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().kind, ErrorKind::kFormat);
  return parsed.error().message;
}

TEST(CalibrationFile, ComesBackAsItWas) {
  const auto back = ParseCalibration(FormatCalibration(Example()), kMachine).value();
  EXPECT_EQ(back.machine, kMachine);
  EXPECT_EQ(back.kernel, "Linux 6.18");
  EXPECT_EQ(back.time, "2026-01-02T03:04:05Z");
  EXPECT_EQ(back.loop, kLoopId);
  EXPECT_EQ(back.block_seconds, 0.2);
  ASSERT_EQ(back.cores.size(), 2u);
  EXPECT_EQ(back.cores[1].core, 5u);
  EXPECT_EQ(back.cores[1].blocks, Example().cores[1].blocks);
}

TEST(CalibrationFile, OfAnotherFormatIsRefusedWithBothNames) {
  EXPECT_THAT(Refusal(Replaced("\"format\": 1", "\"format\": 2")),
              HasSubstr("format 2, and this tare reads format 1"));
  for (const char* format : {"\"1\"", "1.5", "-1"}) {
    EXPECT_THAT(Refusal(Replaced("\"format\": 1", fmt::format("\"format\": {}", format))),
                HasSubstr("format is not a whole number"))
        << format;
  }
}

TEST(CalibrationFile, OfAnotherMachineIsRefusedWithBothNames) {
  EXPECT_THAT(Refusal(Replaced("box", "b\\u001bx")),
              HasSubstr("for the machine 'b\\x1bx (Xeon 6)', and this is 'box (Xeon 6)'"));
}

TEST(CalibrationFile, WithNumbersThatCannotBeIsRefused) {
  for (const char* bad : {"0", "-1.0", "null", "\"x\"", "1e999", "[]"}) {
    EXPECT_NE(Refusal(Replaced("1250000000.0", bad)), "accepted") << bad;
  }
  EXPECT_NE(Refusal(Replaced("\"block_seconds\": 0.2", "\"block_seconds\": 0")), "accepted");
  EXPECT_NE(Refusal(Replaced("\"core\": 5", "\"core\": 0")), "accepted");
  EXPECT_NE(Refusal(Replaced("\"core\": 5", "\"core\": -5")), "accepted");
  EXPECT_NE(Refusal(Replaced("\"core\": 5", "\"core\": 99999999999")), "accepted");
  EXPECT_NE(Refusal(Replaced("\"core\": 5", "\"kernel\": 5")), "accepted");
}

TEST(CalibrationFile, RefusalsNameTheFieldAndWhatToDo) {
  EXPECT_EQ(Refusal(Replaced("1100000000.0", "0")),
            "the calibration cannot be used: not a calibration of tare load: cores[1].blocks[1] is "
            "not above 0; run tare load --calibrate");
}

TEST(CalibrationFile, WithoutAPartIsRefused) {
  for (const char* key : {"format", "machine", "kernel", "time", "loop", "block_seconds", "cores",
                          "core", "blocks"}) {
    const std::string quoted = "\"" + std::string(key) + "\"";
    EXPECT_NE(Refusal(Replaced(quoted, "\"gone\"")), "accepted") << key;
  }
}

TEST(CalibrationFile, ThatIsNotOneIsRefused) {
  for (const char* text : {"", "x", "[]", "{}", "null", "7", "{\"format\":", "\xff\xfe"}) {
    EXPECT_NE(Refusal(text), "accepted") << text;
  }
}

TEST(CalibrationFile, CutAnywhereIsRefused) {
  const std::string whole = FormatCalibration(Example());
  // The last byte is the newline of the last line.
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    EXPECT_NE(Refusal(whole.substr(0, length)), "accepted") << length;
  }
}

TEST(CalibrationFile, StoresNamesThatAreNotText) {
  Calibration odd = Example();
  odd.machine = "bo\xffx";
  EXPECT_FALSE(FormatCalibration(odd).empty());
}

TEST(CalibrationFile, IsWrittenIntoADirectoryThatIsCreatedForIt) {
  std::string name = (std::filesystem::temp_directory_path() / "tare-state-XXXXXX").string();
  const std::filesystem::path directory = ::mkdtemp(name.data());
  const auto path = directory / "state/tare/load-box.json";
  EXPECT_TRUE(WriteCalibration(path, Example()));
  EXPECT_EQ(ReadCalibration(path, kMachine).value().cores.size(), 2u);
  const auto other = ReadCalibration(path, "elsewhere");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr(path.string()));
  // A directory cannot be created below a file.
  EXPECT_FALSE(WriteCalibration(path / "below/load.json", Example()));
  std::filesystem::remove_all(directory);
}

TEST(CalibrationFile, ThatIsMissingSaysHowToMakeOne) {
  const auto missing = ReadCalibration("/nonexistent/load-box.json", kMachine);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "no calibration for this machine at /nonexistent/load-box.json; run tare load "
            "--calibrate first");
}

TEST(CalibrationPath, IsInTheStateDirectory) {
  EXPECT_EQ(CalibrationPath("/state", "/home/u", kMachine).value(),
            "/state/tare/load-box-Xeon-6.json");
  EXPECT_EQ(CalibrationPath(std::nullopt, "/home/u", kMachine).value(),
            "/home/u/.local/state/tare/load-box-Xeon-6.json");
  EXPECT_EQ(CalibrationPath("relative", "/home/u", kMachine).value(),
            "/home/u/.local/state/tare/load-box-Xeon-6.json");
}

TEST(CalibrationPath, LetsNoNameLeaveTheDirectory) {
  EXPECT_EQ(CalibrationPath("/s", std::nullopt, "../../etc/passwd").value().parent_path(),
            "/s/tare");
  EXPECT_LT(CalibrationPath("/s", std::nullopt, std::string(5000, 'x')).value().string().size(),
            256u);
}

TEST(CalibrationPath, NeedsADirectory) {
  EXPECT_FALSE(CalibrationPath(std::nullopt, std::nullopt, kMachine));
  EXPECT_FALSE(CalibrationPath("relative", "also/relative", kMachine));
}

}  // namespace
}  // namespace tare::load
