// study_file_parts.h: the tables of a study file that need what comes before them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/study/study_file.h"
#include "base/result.h"
#include "base/toml_table.h"

namespace tare::study {

// Each reads its table and checks the names in it against what the study has so far.
Result<void> ReadExecutor(const TomlTable& root, Study& study);
Result<void> ReadOutputMetrics(const TomlTable& root, Study& study);
Result<void> ReadExclusions(const TomlTable& root, Study& study);
Result<void> ReadAnalyses(const TomlTable& root, Study& study);

// Fails at the key, as in "engines has 'time' twice".
Result<void> RequireDifferent(const TomlTable& table, std::string_view key,
                              std::span<const std::string> texts);

// What is wrong with the values of a factor of [settings]; nothing if they are sound.
std::optional<std::string> WrongSetting(const StudyFactor& factor);

// Changes `setting` as the level of a factor of [settings] says. The level must be sound.
void ApplySetting(const std::string& name, const std::string& level, run::Setting& setting);

// The names of all factors, in the order of columns.
std::vector<std::string> FactorNames(const Study& study);

// The levels of a factor in the file; empty if there is no such factor.
std::vector<std::string> LevelsOf(const Study& study, const std::string& factor);

}  // namespace tare::study
