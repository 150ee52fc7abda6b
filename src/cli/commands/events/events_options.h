// events_options.h: options that several commands of `tare events` share.
#pragma once

#include <string>

#include "base/result.h"
#include "measure/events/trace_builder.h"

namespace tare::cli {

// "K/P" with 1 <= K <= P; kUsage otherwise.
Result<events::BlockSampling> ParseSampling(const std::string& text);

}  // namespace tare::cli
