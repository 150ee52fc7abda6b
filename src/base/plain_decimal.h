// plain_decimal.h: numbers as a user would type them.
#pragma once

#include <string>

namespace tare {

// Four significant digits, or all digits of a longer whole part. Neither exponents nor separators,
// since commas separate values of options.
std::string PlainDecimal(double value);

}  // namespace tare
