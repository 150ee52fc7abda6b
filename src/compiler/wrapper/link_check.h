// link_check.h: checks whether a linked program contains the requested metrics.
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
  // One sentence per metric that was not found, with its position in the file and a near match.
  std::vector<std::string> unknown;
  // The program has none of the metrics and no similar names, so the metrics were probably not
  // meant for it.
  bool not_meant = false;
};

// Determines which metrics `output` must contain, and whether it or one of the `libraries` that it
// is linked with does. A metric with `in` is required in those programs and libraries; other
// metrics are required in the programs of `programs`, or in every program. docs/formats/metrics.md
// documents this.
LinkVerdict CheckMetrics(const metrics::MetricsFile& metrics, const std::string& output,
                         const CountedModule& module, std::span<const CountedModule> libraries);

// The shared libraries on the command line, by path or by -l in the directories of -L.
std::vector<std::filesystem::path> LinkedLibraries(const CompilerArguments& arguments);

// Reads the linked file and judges it. Outputs that are not ELF files are not judged.
Result<LinkVerdict> CheckLinked(const metrics::MetricsFile& metrics,
                                const CompilerArguments& arguments);

// The same for a program built by gcc, whose symbols say which functions exist.
Result<LinkVerdict> CheckLinkedByGcc(const metrics::MetricsFile& metrics,
                                     const CompilerArguments& arguments);

// "a.out" if the command names no output.
std::filesystem::path OutputOf(const CompilerArguments& arguments);

}  // namespace tare::wrapper
