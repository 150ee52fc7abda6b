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
// with that beginning, one per metric, curve or value.
struct TableId {
  std::string_view id;
  std::string_view what;  // and when it is there
  // The options without which the result never has it: "--per line", "--machine or --change".
  std::string_view needs = {};
  // What can stand for '*': in each, '#' is a number from 1 and a '*' at the end any word of an id.
  std::span<const std::string_view> endings = {};
};

// `what` and `needs` in words.
std::string WhatItIs(const TableId& table);

// The tables that the options of a command can give, the main one first; empty for an unknown
// command.
std::vector<TableId> TableIds(std::string_view command);

// Whether the command can have a table with that id.
bool IsTableId(std::string_view command, std::string_view id);

// A usage error that lists the ids, unless the command can have that table with the options
// `given`, values by long names without dashes. "-" is the main table.
Result<void> CheckTableId(std::string_view command, std::string_view id,
                          const std::map<std::string, std::string>& given);

}  // namespace tare::cli
