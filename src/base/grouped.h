// grouped.h: whole numbers as sentences and messages show them.
#pragma once

#include <cstdint>
#include <string>

namespace tare {

// All digits, with thousands separators: "12,345".
std::string Grouped(std::uint64_t count);

}  // namespace tare
