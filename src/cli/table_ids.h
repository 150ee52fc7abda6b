// table_ids.h: the ids of the tables of each command, known before it runs.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"

namespace tare::cli {

// A table or plot that --csv and --markdown can print. An id that ends in '*' means all ids with
// that beginning, one per metric, curve or value.
struct TableId {
  std::string_view id;
  std::string_view what;  // and when it is there
};

// The tables of a command, the main one first; empty for an unknown command.
std::span<const TableId> TableIds(std::string_view command);

// Whether the command can have a table with that id.
bool IsTableId(std::string_view command, std::string_view id);

// A usage error that lists the ids, unless the command can have that table. "-" is the main table.
Result<void> CheckTableId(std::string_view command, std::string_view id);

}  // namespace tare::cli
