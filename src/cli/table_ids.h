// table_ids.h: the ids of the tables of each command, known before it runs.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::cli {

// A table or plot that --csv and --markdown can print. An id that ends in '*' means several ids
// with that beginning, one per metric, curve or value; "*" alone means plots whose ids the
// command's input gives.
struct TableId {
  std::string_view id;
  std::string_view what;  // and when it is there
  // The options without which the result never has it: "--per line", "--machine or --change".
  std::string_view needs = {};
  // What '*' can be: in each, '#' is a number from 1 and a '*' at the end any word of an id.
  std::span<const std::string_view> endings = {};
};

// `what` and `needs` in words.
std::string WhatItIs(const TableId& table);

// All rows of a command, the main one first; empty for an unknown command.
std::span<const TableId> TableRows(std::string_view command);

// Those that the options of the command can give.
std::vector<TableId> TableIds(std::string_view command);

// Whether the command can have a table with that id.
bool IsTableId(std::string_view command, std::string_view id);

// A usage error that lists the ids, unless the command can have that table with the options
// `given`, values by long names without dashes. "-" is the main table.
Result<void> CheckTableId(std::string_view command, std::string_view id,
                          const std::map<std::string, std::string>& given);
// The same for --figure, which also takes plots whose ids only the command's input has.
Result<void> CheckFigureId(std::string_view command, std::string_view id,
                           const std::map<std::string, std::string>& given);

}  // namespace tare::cli
