// json.h: a document as a file that outlives this version of the program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/document.h"

namespace tare::report {

// The version of the file format; docs/formats/document.md says when it grows.
inline constexpr int kDocumentFormat = 3;

// The lowest format that has all that is in the document, which is what the document is written
// in: those that an older reader understands stay readable for it.
int FormatOf(const Document& document);

// Trees deeper than this are refused by the reader; whoever builds a tree folds what lies deeper.
inline constexpr std::size_t kDeepestTree = 500;

// The document as JSON in UTF-8, fields in a fixed order, one row to a line, a newline at the end.
// The same document gives the same bytes. Bytes that are not UTF-8 are written as \xNN; numbers
// that are not finite are written as null.
std::string ToJson(const Document& document);

// The inverse: what ToJson wrote of a document whose text is UTF-8 and whose numbers are finite
// reads as an equal one. Refuses (kFormat) what is not JSON or not a document, and later format
// versions.
Result<Document> FromJson(std::string_view text);

}  // namespace tare::report
