// count_files.cc: selects the reader of saved counts.
#include "cli/commands/count/count_files.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/count/compare_tables.h"
#include "cli/commands/count/explain_tables.h"

namespace tare::cli {

Result<Outcome> ReadCountFiles(const CountFileOptions& options, const std::string& metric,
                               const Session& session) {
  const std::string_view flag = options.compare ? "--compare" : "--explain";
  if (options.compare && options.explain) {
    return Fail(ErrorKind::kUsage, "--compare and --explain cannot be combined");
  }
  if (!session.program.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} reads files and runs no program; remove the program after --", flag));
  }
  if (session.operands.empty()) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("{} needs files with counts, saved by tare count --save FILE or as CSV", flag));
  }
  if (options.explain) {
    return ExplainCounts(
        {session.operands, options.sources, options.confidence, options.baseline_rate});
  }
  TRY(const double confidence, Confidence(options.confidence));
  return CompareReportOf(
      {session.operands, options.excluded, metric.empty() ? "instructions" : metric, confidence},
      session);
}

Result<void> RefuseCountFiles(const CountFileOptions& options, const Session& session) {
  if (!session.operands.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("unexpected argument '{}'; put the program to measure after --",
                            Printable(session.operands[0])));
  }
  if (!options.excluded.empty()) return Fail(ErrorKind::kUsage, "--exclude requires --compare");
  if (!options.sources.empty() || options.baseline_rate) {
    return Fail(ErrorKind::kUsage, "--sources and --baseline-rate require --explain");
  }
  if (session.program.empty()) return ProgramMissing("count");
  return {};
}

}  // namespace tare::cli
