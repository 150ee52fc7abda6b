// json_writer.cc: JSON strings and numbers.
#include "base/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/printable.h"

namespace tare {

void JsonWriter::Text(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const CodePoint next = FirstCodePoint(text);
    const std::string_view bytes = text.substr(0, next.length == 0 ? 1 : next.length);
    text.remove_prefix(bytes.size());
    if (next.length == 0) {
      fmt::format_to(std::back_inserter(out_), "\\\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (next.value == '"' || next.value == '\\') {
      out_ += '\\';
      out_ += bytes;
    } else if (next.value == '\n') {
      out_ += "\\n";
    } else if (next.value == '\t') {
      out_ += "\\t";
    } else if (next.value >= 0x20 && next.value < 0x7f) {
      out_ += bytes;
    } else if (Printable(bytes) == bytes) {
      out_ += bytes;
    } else if (next.value <= 0xffff) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<unsigned>(next.value));
    } else {
      const auto rest = static_cast<unsigned>(next.value) - 0x10000;
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}\\u{:04x}", 0xd800 + (rest >> 10),
                     0xdc00 + (rest & 0x3ff));
    }
  }
  out_ += '"';
}

void JsonWriter::Real(double value) {
  if (!std::isfinite(value)) return Raw("null");
  const std::size_t start = out_.size();
  fmt::format_to(std::back_inserter(out_), "{}", value);
  // A double with a whole value must not read back as an integer.
  if (out_.find_first_of(".e", start) == std::string::npos) out_ += ".0";
}

}  // namespace tare
