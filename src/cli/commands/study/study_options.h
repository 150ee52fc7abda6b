// study_options.h: what the commands of a study share: finding the file and its results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/case_runner.h"
#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"
#include "analysis/study/study_store.h"
#include "analysis/study_results/result_set.h"
#include "cli/command.h"

namespace tare::cli {

struct StudyOptions {
  std::string results;
};

struct OpenedStudy {
  study::Study study;
  study::StudyCases cases;
  std::filesystem::path results;
};

// The running program, for {tare}.
std::string OwnProgram();

// The operand is a study file or, for commands that only read, a directory of results, whose last
// study file is then used.
Result<OpenedStudy> OpenStudyFile(const std::string& operand, const std::string& results);
Result<OpenedStudy> OpenStudyOrResults(const std::string& operand, const std::string& results);

// The runs that are stored for it; empty if there are none yet.
Result<study_results::ResultSet> LoadResults(const OpenedStudy& opened, bool values);

// The name under which this machine appears.
std::string ThisNode();

study::RunContext ContextOf(const OpenedStudy& opened, const Session& session);

struct MissingThing {
  std::string sentence;
  bool is_file = false;  // which the command `setup` of the study may make
};

// Checks before a long run what can be checked: programs, inputs, engines, processors and cores
// exist, and environments can have their size. Without `built`, programs that `tare study run`
// builds need not exist.
std::vector<MissingThing> FindMissing(const OpenedStudy& opened, bool built);

}  // namespace tare::cli
