// names.h: the rules for the names by which scripts find blocks and columns.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace tare::report {

// Returns a one-line description of the first violation of the naming rules, or an empty text. Ids
// and column names are lower-case words and digits joined by '_', except columns named after
// something in the data (Column::thing). Ids are unique in the document, column names in their
// table or tree, segments in their bars.
std::string NameFault(const Document& document);

// Whether an id may consist of it: at least one character, only lower-case letters, digits and '_'.
bool IsIdWord(std::string_view text);

// A text as a part of an id: in lower case, with '_' for each run of other characters.
std::string IdWord(std::string_view text);

}  // namespace tare::report
