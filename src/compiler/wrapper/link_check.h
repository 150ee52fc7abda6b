// link_check.h: whether a program that was just linked has the metrics that were asked for.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/metrics/metrics_file.h"
#include "compiler/wrapper/compiler_arguments.h"
#include "compiler/wrapper/counted_module.h"

namespace tare::wrapper {

struct LinkVerdict {
  // A sentence for each metric that is nowhere, with its place in the file and a near match.
  std::vector<std::string> unknown;
  // The program has none of the metrics and no name like theirs: it is taken for one that is not
  // meant.
  bool not_meant = false;
};

// Which metrics `output` must have, and whether it or one of `libraries`, those that it is linked
// with, does. A metric with `in` is wanted in those programs and libraries; the others are wanted
// in what `programs` names, or else in every program. docs/formats/metrics.md says it for users.
LinkVerdict Judge(const metrics::MetricsFile& metrics, const std::string& output,
                  const CountedModule& module, std::span<const CountedModule> libraries);

// Shared libraries named on the command line, by path or by -l in the directories of -L.
std::vector<std::filesystem::path> LinkedLibraries(const CompilerArguments& arguments);

// Reads what was linked and judges. Outputs that are no ELF files are not judged.
Result<LinkVerdict> CheckLinked(const metrics::MetricsFile& metrics,
                                const CompilerArguments& arguments);

// The same for a program built by gcc: its symbols say which functions there are.
Result<LinkVerdict> CheckLinkedByGcc(const metrics::MetricsFile& metrics,
                                     const CompilerArguments& arguments);

// "a.out" where the command names none.
std::filesystem::path OutputOf(const CompilerArguments& arguments);

}  // namespace tare::wrapper
