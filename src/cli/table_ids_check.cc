// table_ids_check.cc: which ids a command can have, with its options and with those that are given.
#include "cli/table_ids.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <span>

#include "base/near_match.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "report/names.h"

namespace tare::cli {
namespace {

constexpr std::string_view kOfInput = "*";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether the end of an id is one of TableId::endings.
bool IsEnding(std::string_view pattern, std::string_view end) {
  while (!pattern.empty()) {
    if (pattern == "*") return report::IsIdWord(end);
    if (pattern.front() == '#') {
      if (end.empty() || !IsDigit(end.front()) || end.front() == '0') return false;
      while (!end.empty() && IsDigit(end.front())) end.remove_prefix(1);
    } else if (end.empty() || end.front() != pattern.front()) {
      return false;
    } else {
      end.remove_prefix(1);
    }
    pattern.remove_prefix(1);
  }
  return end.empty();
}

bool Matches(const TableId& table, std::string_view id) {
  if (!table.id.ends_with('*')) return table.id == id;
  const std::string_view beginning = table.id.substr(0, table.id.size() - 1);
  return id.starts_with(beginning) &&
         std::ranges::any_of(table.endings, [&](std::string_view ending) {
           return IsEnding(ending, id.substr(beginning.size()));
         });
}

// Calls see("option", "value") for each alternative of TableId::needs until it returns true; the
// value may be empty.
bool AnyNeeded(std::string_view needs, auto see) {
  for (const auto part : std::views::split(needs, std::string_view(" or "))) {
    std::string_view option(part.begin(), part.end());
    option.remove_prefix(2);
    const std::size_t space = option.find(' ');
    const bool alone = space == std::string_view::npos;
    if (see(option.substr(0, space), alone ? std::string_view() : option.substr(space + 1)))
      return true;
  }
  return false;
}

// Whether the command has an option that the table needs.
bool CanHave(const Command& command, const TableId& table) {
  const Invocation invocation = command.bind();
  return AnyNeeded(table.needs, [&](std::string_view option, std::string_view) {
    return std::ranges::any_of(invocation.flags, [option](const BoundFlag& flag) {
      return LongName(flag.text).substr(2) == option;
    });
  });
}

bool IsWordOf(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", "), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool IsAskedFor(const TableId& table, const std::map<std::string, std::string>& given) {
  if (table.needs.empty()) return true;
  return AnyNeeded(table.needs, [&](std::string_view option, std::string_view value) {
    const auto found = given.find(std::string(option));
    return found != given.end() && (value.empty() || IsWordOf(found->second, value));
  });
}

Result<void> CheckId(std::string_view command, std::string_view id, std::string_view kind,
                     const std::map<std::string, std::string>& given) {
  const std::vector<TableId> tables = TableIds(command);
  if (id == "-" || tables.empty()) return {};
  std::vector<std::string_view> all;
  std::vector<std::string_view> usual;
  std::string_view needs;
  for (const TableId& table : tables) {
    const bool there = IsAskedFor(table, given);
    if (Matches(table, id)) {
      if (there) return {};
      needs = table.needs;
    }
    if (there && table.id != kOfInput) usual.push_back(table.id);
    if (!table.id.ends_with('*')) all.push_back(table.id);
  }
  if (!needs.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("this result has no {} '{}' without {}; its tables are {}", kind,
                            Printable(id), needs, fmt::join(usual, ", ")));
  }
  const std::string near = DidYouMean(id, all);
  return Fail(ErrorKind::kUsage,
              fmt::format("this result has no {} '{}'{} tables are {}", kind, Printable(id),
                          near.empty() ? "; its" : near + " Its", fmt::join(usual, ", ")));
}

}  // namespace

std::string WhatItIs(const TableId& table) {
  if (table.needs.empty()) return std::string(table.what);
  return fmt::format("{}{}with {}", table.what, table.what.empty() ? "" : "; ", table.needs);
}

std::vector<TableId> TableIds(std::string_view command) {
  const std::span<const TableId> rows = TableRows(command);
  std::vector<TableId> tables(rows.begin(), rows.end());
  if (const Command* row = FindCommand(command); row != nullptr) {
    std::erase_if(tables, [row](const TableId& table) {
      return !table.needs.empty() && !CanHave(*row, table);
    });
  }
  return tables;
}

bool IsTableId(std::string_view command, std::string_view id) {
  return std::ranges::any_of(TableIds(command),
                             [id](const TableId& table) { return Matches(table, id); });
}

Result<void> CheckTableId(std::string_view command, std::string_view id,
                          const std::map<std::string, std::string>& given) {
  return CheckId(command, id, "table", given);
}

Result<void> CheckFigureId(std::string_view command, std::string_view id,
                           const std::map<std::string, std::string>& given) {
  const auto rows = TableRows(command);
  if (std::ranges::find(rows, kOfInput, &TableId::id) != rows.end()) return {};
  return CheckId(command, id, "plot or table", given);
}

}  // namespace tare::cli
