// page_payload.h: numbers of long lines as bytes that compress well.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tare::report {

enum class ColumnEncoding {
  kWhole,      // differences as zigzag variable-length integers
  kReal,       // doubles, their bytes grouped by significance
  kShortReal,  // floats, likewise
};

struct EncodedColumn {
  ColumnEncoding encoding;
  std::string bytes;
};

// `precise` is for positions; other values are stored as floats, with seven digits.
EncodedColumn EncodeColumn(std::span<const double> values, bool precise);

// gzip without a time stamp.
Result<std::string> Gzip(std::string_view bytes);

std::string Base64(std::string_view bytes);

}  // namespace tare::report
