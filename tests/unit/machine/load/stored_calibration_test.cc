// stored_calibration_test.cc: tests that a finished calibration outlives its check.
#include "machine/load/stored_calibration.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "machine/host/affinity.h"
#include "machine/load/calibration_file.h"

namespace tare::load {
namespace {

class CalibrateAndStoreIntoFile : public ::testing::Test {
 protected:
  CalibrateAndStoreIntoFile() {
    std::string name = (std::filesystem::temp_directory_path() / "tare-load-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    request_.path = directory_ / "load.json";
    request_.machine = "box";
    request_.config.cores = {host::AllowedProcessors().value().front()};
  }
  ~CalibrateAndStoreIntoFile() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
  CalibrationRequest request_;
};

TEST_F(CalibrateAndStoreIntoFile, KeepsACalibrationWhoseCheckFails) {
  // Blocks shorter than a scheduler's time slice, until enough are quiet: on a busy core, too.
  request_.config.block_seconds = 2e-3;
  request_.config.blocks = 100;
  request_.config.max_rounds = 50;
  const auto stored = CalibrateAndStore(request_, NoProgress);
  if (!stored || !stored->is_stored) GTEST_SKIP() << "the core is too busy for a calibration";
  std::filesystem::remove(request_.path);
  request_.copies = 17;  // more than a check allows
  const auto failed = CalibrateAndStore(request_, NoProgress);
  ASSERT_FALSE(failed);
  if (!std::filesystem::exists(request_.path)) GTEST_SKIP() << "the core became too busy";
  EXPECT_EQ(failed.error().message,
            "a check needs 2 to 16 copies; the calibration is stored in " + request_.path.string());
  EXPECT_TRUE(ReadCalibration(request_.path, "box"));
}

TEST_F(CalibrateAndStoreIntoFile, StoresNothingThatWasStopped) {
  const auto stopped = CalibrateAndStore(request_, [](double, std::string_view) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped by the user");
  EXPECT_FALSE(std::filesystem::exists(request_.path));
}

}  // namespace
}  // namespace tare::load
