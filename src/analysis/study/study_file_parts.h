// study_file_parts.h: the tables of a study file that need what comes before them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/study_file.h"
#include "base/result.h"
#include "base/toml_table.h"

namespace tare::study {

// Each reads its table and checks the names in it against what the study has so far.
Result<void> ReadExecutor(const TomlTable& root, Study& study);
Result<void> ReadOutputMetrics(const TomlTable& root, Study& study);
Result<void> ReadExclusions(const TomlTable& root, Study& study);
Result<void> ReadAnalyses(const TomlTable& root, Study& study);

// The keys of the table as the file has them.
std::vector<std::string> InOrderOfFile(const TomlTable& table);

// Each fails at the key; the message names near matches.
Result<void> RequireFactor(const TomlTable& table, std::string_view key, const std::string& name,
                           const Study& study);
Result<void> RequireLevel(const TomlTable& table, std::string_view key, const std::string& factor,
                          const std::string& level, const Study& study);

// A table of factors and one level of each, without the key `but`.
Result<Levels> ReadLevels(const TomlTable& table, const Study& study, std::string_view but = {});

// Fails unless the levels of a program's own `parameters` are some of the study's.
Result<void> RequireOwnLevels(const TomlTable& table, const Study& study,
                              const StudyProgram& program);

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
