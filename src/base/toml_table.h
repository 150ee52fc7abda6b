// toml_table.h: a TOML table read key by key; every error names its line and column.
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

namespace tare {

// Returns the error "PATH:LINE:COLUMN: message" of kind kFormat.
std::unexpected<Error> FailAt(const std::filesystem::path& path, const toml::source_position& place,
                              std::string_view message);

// A view of a TOML table, which must outlive it.
class TomlTable {
 public:
  // `path` is used in messages and must outlive this object.
  TomlTable(const toml::table& table, const std::filesystem::path& path)
      : table_(table), path_(path) {}

  const toml::node* Find(std::string_view key) const { return table_.get(key); }
  toml::source_position Place() const { return table_.source().begin; }
  // The position of the key's value, or of the table if the key is absent.
  toml::source_position PlaceOf(std::string_view key) const;
  std::unexpected<Error> FailHere(std::string_view message) const;
  std::unexpected<Error> FailAtKey(std::string_view key, std::string_view message) const;

  // Fails if the table has a key that is not in `keys`; the message suggests a near match.
  Result<void> OnlyKeys(std::span<const std::string_view> keys) const;

  // An absent key gives no value, an empty list or false. A value of another type is an error. Text
  // is never empty and contains no control characters.
  Result<std::optional<std::string>> Text(std::string_view key) const;
  // A single text or a list of texts.
  Result<std::vector<std::string>> Texts(std::string_view key) const;
  Result<bool> Flag(std::string_view key) const;
  Result<std::optional<std::uint64_t>> Number(std::string_view key, std::int64_t min) const;
  // A table nested in this one; null if it is absent.
  Result<const toml::table*> Table(std::string_view key) const;

 private:
  Result<std::string> CheckedText(const toml::node& node, std::string_view key) const;

  const toml::table& table_;
  const std::filesystem::path& path_;
};

}  // namespace tare
