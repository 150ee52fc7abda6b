// stored_calibration.h: calibrating, storing the rates, and checking them with copies.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "machine/load/calibration.h"
#include "machine/load/copy_check.h"

namespace tare::load {

struct CalibrationRequest {
  CalibrationConfig config;
  std::filesystem::path path;  // where the rates are stored, with these three
  std::string machine;
  std::string kernel;
  std::string time;
  std::optional<unsigned> copies = {};  // of the check; nothing: no check
  double confidence = 0.95;             // of the check
};

struct StoredCalibration {
  std::vector<CoreCalibration> cores;
  bool is_stored;                 // no core was refused
  std::vector<CopyCheck> checks;  // by core; empty without copies
};

// The rates are stored before the check. If the check fails or is stopped, they stay, and the error
// says where they are.
Result<StoredCalibration> CalibrateAndStore(const CalibrationRequest& request,
                                            const Progress& progress);

}  // namespace tare::load
