// finding_rows.h: building blocks of the rows of findings, for the files that create them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/host/findings.h"

namespace tare::host {

// A finding before it gets its name and is truncated to its column widths.
struct Assessment {
  Level level = Level::kOk;
  std::string value;
  std::string meaning;
  std::string advice = {};
  std::optional<CaveatId> caveat = {};
};

// A assessment "not available" with the reason.
Assessment NotAvailable(std::string reason, std::string advice = {});

// Names the assessment and truncates texts that are too long.
Finding Named(Group group, std::string_view id, std::string_view what, Assessment assessment);

// One row of a table of findings.
struct FindingRow {
  std::string_view id;
  std::string_view what;
  Assessment (*assess)(const Machine& machine);
};

void AddRows(Group group, std::span<const FindingRow> rows, const Machine& machine,
             std::vector<Finding>& findings);

// "64 KiB", "24 GiB": at most four digits.
std::string Bytes(std::uint64_t bytes);
// "0.3 %".
std::string Percent(double share);

std::vector<Finding> ExamineHardware(const Machine& machine);
std::vector<Finding> ExaminePermissions(const Machine& machine);
std::vector<Finding> ExamineDisturbances(const Machine& machine);
std::vector<Finding> ExamineSpace(const Machine& machine);

}  // namespace tare::host
