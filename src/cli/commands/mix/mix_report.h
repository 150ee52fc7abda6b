// mix_report.h: the report of `tare mix` about one or two binaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/command.h"

namespace tare::cli {

struct MixOptions {
  std::string root;
  std::string per;
  std::string sort = "instructions";
  std::string interface;
  std::string weights;
  std::optional<std::int64_t> top;
};

// The binaries are `session.operands`.
Result<Outcome> MixReportOf(const MixOptions& options, Session& session);

}  // namespace tare::cli
