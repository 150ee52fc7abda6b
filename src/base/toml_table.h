// toml_table.h: parses TOML and reads its tables key by key; every error names its line and column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// toml++ 3.3 asserts on some malformed files ("[[#x]]"), and with NDEBUG it tells the compiler to
// assume the asserted conditions. The checks that follow its assertions are correct, so the
// assertions are disabled.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "base/result.h"
#include "base/toml_text.h"

namespace tare {

// A view of a table of a TomlFile, which must outlive it.
class TomlTable {
 public:
  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  bool IsText(std::string_view key) const;
  bool IsTable(std::string_view key) const;

  // The position of the key's value, or of the table if the key is absent.
  TomlPlace PlaceOf(std::string_view key) const;
  std::unexpected<Error> FailHere(std::string_view message) const;
  std::unexpected<Error> FailAtKey(std::string_view key, std::string_view message) const;
  // `field` is a path such as "l1d.ways" from here. The error is at the last key of it that exists.
  std::unexpected<Error> FailAtField(std::string_view field, std::string_view message) const;

  // Fails if the table has a key that is not in `keys`; the message suggests a near match.
  Result<void> OnlyKeys(std::span<const std::string_view> keys) const;

  // In alphabetical order.
  std::vector<std::string> Keys() const;

  // An absent key gives no value, an empty list or false. A value of another type is an error. Text
  // is never empty and contains no control characters.
  Result<std::optional<std::string>> Text(std::string_view key) const;
  // A single text or a list of texts.
  Result<std::vector<std::string>> Texts(std::string_view key) const;
  // Texts, numbers and truth values, one or a list of them, as text: "gzip", "6", "0.5", "true".
  Result<std::vector<std::string>> Values(std::string_view key) const;
  Result<bool> Flag(std::string_view key) const;
  Result<std::optional<std::uint64_t>> Number(std::string_view key, std::int64_t min) const;
  Result<std::optional<double>> Real(std::string_view key) const;
  Result<std::optional<TomlTable>> Table(std::string_view key) const;
  // The tables that are written as [[key]].
  Result<std::vector<TomlTable>> Tables(std::string_view key) const;

 private:
  friend class TomlFile;

  TomlTable(const toml::table& table, const std::filesystem::path& path)
      : table_(&table), path_(&path) {}

  const toml::node* Find(std::string_view key) const { return table_->get(key); }
  Result<std::string> CheckedText(const toml::node& node, std::string_view key) const;
  Result<std::string> ValueText(const toml::node& node, std::string_view key) const;

  const toml::table* table_;
  const std::filesystem::path* path_;
};

// The parsed text of a TOML file.
class TomlFile {
 public:
  // `path` is used in messages. Text outside of ASCII is allowed as in AsciiToml.
  static Result<TomlFile> Parse(std::string_view text, const std::filesystem::path& path);

  TomlTable Root() const { return {root_, path_}; }

 private:
  TomlFile(toml::table root, std::filesystem::path path)
      : root_(std::move(root)), path_(std::move(path)) {}

  toml::table root_;
  std::filesystem::path path_;
};

}  // namespace tare
