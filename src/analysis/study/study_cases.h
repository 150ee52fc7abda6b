// study_cases.h: the combinations of programs, inputs, engines and settings that a study runs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/study_file.h"
#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::study {

struct StudyCase {
  // 32 hexadecimal digits: a hash of everything that defines the case, so that a change of the file
  // elsewhere keeps its runs.
  std::string key;
  std::vector<std::string> levels;  // by StudyCases::factors; empty: the factor does not apply
  std::size_t program = 0;          // index into Study::programs
  std::size_t engine = 0;
  std::optional<std::size_t> input;
  std::vector<std::string> words;  // with {files} left, which differs from run to run
  std::string input_file;          // standard input; empty: nothing
  std::string prepare;
  std::string build;  // shell command that makes the program; empty: none
  run::Setting setting;
  std::size_t layout = 0;
  std::string node;      // Slurm: the only node that may run it; empty: any
  std::size_t runs = 0;  // wanted; with a precision rule, the minimum
};

struct StudyCases {
  std::vector<std::string> factors;
  std::vector<bool> varies;  // by `factors`: whether the cases have several levels
  std::vector<StudyCase> cases;

  std::size_t FactorIndex(const std::string& name) const;  // `factors.size()` if there is none
};

inline constexpr std::string_view kFilesPlace = "{files}";

// Fails (kFormat) if a command names something unknown, a parameter is named by no command, or no
// combination is left. `tare` is the path of the running program.
Result<StudyCases> MakeCases(const Study& study, const std::string& tare);

// "gzip (words.txt, level 6)": the program, and the levels in which the cases differ.
std::string CaseText(const StudyCases& cases, const StudyCase& one);

// Replaces {FACTOR} by the level of the case.
std::string WithLevels(std::string text, const StudyCases& cases, const StudyCase& one);

// Replaces {files} in the words.
std::vector<std::string> WithFiles(std::vector<std::string> words, const std::string& directory);
bool NamesFiles(const StudyCase& one);

}  // namespace tare::study
