// stored_calibration.cc: the order of calibrating, storing and checking.
#include "machine/load/stored_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "machine/load/calibration_file.h"

namespace tare::load {
namespace {

bool IsRefused(const CoreCalibration& core) {
  return std::ranges::any_of(core.caveats, [](const Caveat& caveat) {
    return Row(caveat.key).verdict == Verdict::kRefused;
  });
}

}  // namespace

Result<StoredCalibration> CalibrateAndStore(const CalibrationRequest& request,
                                            const Progress& progress) {
  StoredCalibration stored{};
  TRY(stored.cores, Calibrate(request.config, progress));
  Calibration calibration{request.machine,
                          request.kernel,
                          request.time,
                          std::string(kLoopId),
                          request.config.block_seconds,
                          {}};
  for (const CoreCalibration& core : stored.cores) calibration.cores.push_back(core.rate);
  stored.is_stored = std::ranges::none_of(stored.cores, IsRefused);
  if (stored.is_stored) TRY_VOID(WriteCalibration(request.path, calibration));
  if (!request.copies) return stored;
  auto checks =
      CountCopies(request.config, *request.copies, calibration.cores, request.confidence, progress);
  if (!checks) {
    Error error = std::move(checks).error();
    if (stored.is_stored) {
      error.message +=
          fmt::format("; the calibration is stored in {}", Printable(request.path.string()));
    }
    return std::unexpected(std::move(error));
  }
  stored.checks = std::move(*checks);
  return stored;
}

}  // namespace tare::load
