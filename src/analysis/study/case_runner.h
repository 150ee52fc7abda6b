// case_runner.h: executes one run of a study and gathers everything that is stored about it.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "analysis/study/run_record.h"
#include "analysis/study/run_schedule.h"
#include "analysis/study/study_cases.h"
#include "analysis/study/study_conditions.h"
#include "analysis/study/study_file.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "measure/count/images.h"
#include "measure/run/process.h"
#include "measure/run/standing_supervisor.h"
#include "model/core/processor.h"

namespace tare::study {

struct RunContext {
  std::filesystem::path results;  // absolute
  std::string version;            // of tare
  std::string node;               // the name under which this machine appears
  host::EngineFiles engines;
  // The processor of that name; an empty name is this machine's.
  std::function<Result<model::Processor>(const std::string&)> find_processor;
  StopAsked interrupted;
};

class CaseRunner {
 public:
  CaseRunner(const Study& study, const StudyCases& cases, RunContext context);

  // A program that fails, cannot be started or prints no metric gives a record that says so. Fails
  // only when the user interrupts.
  Result<RunRecord> Run(const PlannedRun& planned, std::int64_t attempt);

 private:
  Result<void> Measure(const StudyCase& one, const PlannedRun& planned, RunRecord& record);
  Result<void> Time(const StudyCase& one, const run::ResolvedProgram& program,
                    const run::Setting& setting, RunRecord& record);
  Result<void> Count(const StudyCase& one, const run::ResolvedProgram& program,
                     const run::Setting& setting, RunRecord& record);
  Result<run::Setting> SettingOf(const StudyCase& one, const run::ResolvedProgram& program) const;
  void TakeEnd(const StudyCase& one, const run::Ended& ended, RunRecord& record) const;

  const Study& study_;
  const StudyCases& cases_;
  RunContext context_;
  FileHashes hashes_;
  MachineConditions machine_;
  count::Images images_;
  std::map<std::string, model::Processor> processors_;
  run::StandingSupervisor standing_;
};

// Where the run's {files} are; relative to the directory of results if `results` is empty.
std::filesystem::path FilesDirectory(const std::filesystem::path& results, const std::string& key,
                                     std::int64_t repetition);

}  // namespace tare::study
