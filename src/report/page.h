// page.h: results as one HTML page that needs no network.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "report/document.h"

namespace tare::report {

struct PageResult {
  std::string name;  // the file that the result was read from; empty for a command's own result
  Document document;
};

// The data of a page, gzipped; docs/formats/page.md describes them. Large data are reduced (see
// report/reduce.h) to `max_points` points in all lines together.
Result<std::string> PagePayload(std::span<const PageResult> results,
                                std::size_t max_points = 200'000);

// The whole page. The same results give the same bytes. Without scripts, it shows the results as
// text.
Result<std::string> ToHtml(std::span<const PageResult> results);

// A page without data that asks its server for them.
std::string LivePage();

// Text for HTML outside of tags.
std::string EscapeHtml(std::string_view text);

// Whether these bytes start a page that tare wrote.
bool IsPage(std::string_view start);

}  // namespace tare::report
