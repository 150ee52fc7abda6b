// grouped.h: thousands separators, as sentences and messages show them.
#pragma once

#include <cstdint>
#include <string>

namespace tare {

// All digits, with thousands separators: "12,345".
std::string Grouped(std::uint64_t count);

// The same for a decimal number: "-12345.678" is "-12,345.678".
std::string WithSeparators(std::string digits);

}  // namespace tare
