// page_template.h: the page of web/, embedded by the build.
#pragma once

#include <cstddef>
#include <string_view>

namespace tare::report {

// The pieces of web/dist/page.html in order. Compilers limit the length of one literal.
struct PagePieces {
  const std::string_view* first;
  std::size_t count;
};
PagePieces EmbeddedPage();

}  // namespace tare::report
