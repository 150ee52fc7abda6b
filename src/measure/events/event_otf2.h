// event_otf2.h: writes an event trace as an OTF2 archive.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace tare::events {

// As WriteChromeTrace; values and events become parameters and markers of regions without length.
// `directory` must not exist. kUnsupported where tare was built without OTF2.
Result<std::uint64_t> WriteEventsOtf2(const std::filesystem::path& from,
                                      const std::filesystem::path& directory, bool correct);

}  // namespace tare::events
