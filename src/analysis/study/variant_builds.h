// variant_builds.h: builds the variants of a study's programs.
#pragma once

#include <filesystem>
#include <string>

#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::study {

// Runs the build command of each program, once for each different command, in the directory of the
// study file with TARE in the environment. A command that succeeded before is not run again, unless
// the program's file is missing; RESULTS/builds remembers the last command that made each file.
// Fails if a command does, with the last line that it wrote.
Result<void> BuildPrograms(const Study& study, const StudyCases& cases,
                           const std::filesystem::path& results, const std::string& tare,
                           const StopAsked& interrupted, const Progress& progress);

}  // namespace tare::study
