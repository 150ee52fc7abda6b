// calibration_file.h: a calibration kept between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/load/calibration.h"

namespace tare::load {

inline constexpr int kCalibrationFormat = 1;

// load-MACHINE.json in the StateDirectory of `xdg_state_home` and `home`, the name made one of a
// file.
Result<std::filesystem::path> CalibrationPath(const std::optional<std::string>& xdg_state_home,
                                              const std::optional<std::string>& home,
                                              std::string_view machine);

std::string FormatCalibration(const Calibration& calibration);

// Refuses other formats and other machines' files by name, and numbers that cannot be.
Result<Calibration> ParseCalibration(std::string_view text, std::string_view machine);

// Makes the directory where it is missing.
Result<void> WriteCalibration(const std::filesystem::path& path, const Calibration& calibration);

// A missing file is an error that says how to make one.
Result<Calibration> ReadCalibration(const std::filesystem::path& path, std::string_view machine);

}  // namespace tare::load
