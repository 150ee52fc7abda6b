// toml_table.h: a table of a TOML file, read key by key, with the place of every mistake.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// toml++ 3.3 takes some mistakes in files for mistakes in its own code ("[[#x]]"): an assertion, or
// worse where NDEBUG tells it to rely on them. Its checks behind the assertions are sound.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/result.h"

namespace tare {

// "PATH:LINE:COLUMN: message", of kind kFormat.
std::unexpected<Error> FailAt(const std::filesystem::path& path, const toml::source_position& place,
                              std::string_view message);

// The table must outlive it.
class TomlTable {
 public:
  // `path` is for messages.
  TomlTable(const toml::table& table, const std::filesystem::path& path)
      : table_(table), path_(path) {}

  const toml::node* Find(std::string_view key) const { return table_.get(key); }
  toml::source_position Place() const { return table_.source().begin; }
  // Of the value; of the table where there is none.
  toml::source_position PlaceOf(std::string_view key) const;
  std::unexpected<Error> FailHere(std::string_view message) const;
  std::unexpected<Error> FailAtKey(std::string_view key, std::string_view message) const;

  // Refuses other keys, with a near match.
  Result<void> OnlyKeys(std::span<const std::string_view> keys) const;

  // Absent keys give nothing, an empty list or false; values of another type are refused. Text is
  // never empty and holds no control characters.
  Result<std::optional<std::string>> Text(std::string_view key) const;
  // One text or a list of them.
  Result<std::vector<std::string>> Texts(std::string_view key) const;
  Result<bool> Flag(std::string_view key) const;
  Result<std::optional<std::uint64_t>> Number(std::string_view key, std::int64_t least) const;
  // A table inside this one; null where there is none.
  Result<const toml::table*> Table(std::string_view key) const;

 private:
  Result<std::string> CheckedText(const toml::node& node, std::string_view key) const;

  const toml::table& table_;
  const std::filesystem::path& path_;
};

}  // namespace tare
