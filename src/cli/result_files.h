// result_files.h: files that the user names; writes a result as a page or a plot.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/common_options.h"
#include "report/document.h"

namespace tare::cli {

// Whether the options name files that show the whole result.
bool WritesFiles(const CommonOptions& options);

// Checks before the run whether a file can be created there. Empty: no file is requested.
Result<void> CheckDirectory(const std::string& file);

// Checks what can be checked before a long measurement.
Result<void> CheckFileOptions(const CommonOptions& options);

// Writes the files of --html and --svg.
Result<void> WriteResultFiles(const report::Document& document, const CommonOptions& options);

// The answer, the first table and the names of the files: the rest is in the page.
report::Document BriefResult(report::Document document, const CommonOptions& options);

}  // namespace tare::cli
