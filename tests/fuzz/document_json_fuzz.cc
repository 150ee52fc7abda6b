// document_json_fuzz.cc: every document that parses can be written, read again and rendered.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "report/export.h"
#include "report/json.h"
#include "report/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare::report;
  const auto document = FromJson({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  // A gap in a line is NaN, which is not equal to itself; so texts are compared, not documents.
  const std::string json = ToJson(*document);
  const auto again = FromJson(json);
  CHECK(again.has_value());
  CHECK(ToJson(*again) == json);
  for (const std::size_t width : {30u, 100u}) {
    const std::string text = ToText(*document, {.width = width, .colour = false, .quiet = false});
    CHECK(text.find('\x1b') == std::string::npos);
  }
  for (const Block& block : document->blocks) {
    if (const auto* table = std::get_if<Table>(&block)) {
      CHECK(!ToCsv(*table).empty());
      CHECK(ToMarkdown(*table).find('\x1b') == std::string::npos);
    }
    if (const auto* bars = std::get_if<Bars>(&block)) {
      CHECK(!ToCsv(*bars).empty());
      CHECK(ToMarkdown(*bars).find('\x1b') == std::string::npos);
    }
  }
  return 0;
}
