// study_document.h: the results of a study as `tare study report` shows them, for other commands.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace tare::cli {

// Whether the operand is a study file or a directory of results.
bool IsStudy(const std::string& operand);

// The files that change when a run is stored.
std::vector<std::filesystem::path> StoredFilesOf(const std::string& operand);

// Everything that the results say: all analyses and plots.
Result<report::Document> ReadStudyDocument(const std::string& operand);

}  // namespace tare::cli
