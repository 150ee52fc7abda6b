// json.h: reads and writes documents as JSON files with a versioned format.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "report/document.h"

namespace tare::report {

// The current version of the file format; docs/formats/document.md says when it changes.
inline constexpr int kDocumentFormat = 5;

// The lowest format version that supports everything in the document. Documents are written in this
// version, so that older readers can read them whenever possible.
int FormatOf(const Document& document);

// The reader rejects deeper trees, so code that builds a tree must fold deeper levels.
inline constexpr std::size_t kDeepestTree = 500;

// The document as UTF-8 JSON with fields in a fixed order, one row per line and a final newline.
// The same document gives the same bytes. Bytes that are not UTF-8 are written as \xNN, non-finite
// numbers as null.
std::string ToJson(const Document& document);

// The inverse of ToJson: a document whose text is UTF-8 and whose numbers are finite is read back
// equal. Fails (kFormat) on text that is not JSON or not a document, and on later format versions.
Result<Document> FromJson(std::string_view text);

}  // namespace tare::report
