// calibration_file.h: storing a calibration between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/load/calibration.h"

namespace tare::load {

inline constexpr int kCalibrationFormat = 1;

// load-MACHINE.json in the StateDirectory of `xdg_state_home` and `home`; the machine's name is
// made a valid file name.
Result<std::filesystem::path> CalibrationPath(const std::optional<std::string>& xdg_state_home,
                                              const std::optional<std::string>& home,
                                              std::string_view machine);

std::string FormatCalibration(const Calibration& calibration);

// Rejects other formats, files of other machines (naming both) and impossible numbers.
Result<Calibration> ParseCalibration(std::string_view text, std::string_view machine);

// Creates a missing directory.
Result<void> WriteCalibration(const std::filesystem::path& path, const Calibration& calibration);

// A missing file is an error whose message says how to create it.
Result<Calibration> ReadCalibration(const std::filesystem::path& path, std::string_view machine);

}  // namespace tare::load
