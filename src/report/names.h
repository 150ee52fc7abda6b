// names.h: the rules for the names by which scripts find blocks and columns.
#pragma once

#include <string>

#include "report/document.h"

namespace tare::report {

// Returns a one-line description of the first violation of the naming rules, or an empty text. Ids
// and column names are lower-case words and digits joined by '_', except columns named after
// something in the data (Column::thing). Ids are unique in the document, column names in their
// table or tree, segments in their bars.
std::string NameFault(const Document& document);

}  // namespace tare::report
