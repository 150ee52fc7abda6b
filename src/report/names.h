// names.h: the names by which scripts find blocks and columns.
#pragma once

#include <string>

#include "report/document.h"

namespace tare::report {

// What breaks the contract on names, in one line, or nothing: ids and column names are lower-case
// words and digits joined by '_', but for columns named after a thing; ids are unique in the
// document, names in their table or tree, segments in their bars.
std::string NameFault(const Document& document);

}  // namespace tare::report
