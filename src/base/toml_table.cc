// toml_table.cc: type checks and error positions for TOML values.
#include "base/toml_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_match.h"
#include "base/printable.h"

namespace tare {
namespace {

std::string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

bool IsControl(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

}  // namespace

std::unexpected<Error> FailAt(const std::filesystem::path& path, const toml::source_position& place,
                              std::string_view message) {
  return Fail(ErrorKind::kFormat, fmt::format("{}:{}:{}: {}", Printable(path.string()), place.line,
                                              place.column, message));
}

toml::source_position TomlTable::PlaceOf(std::string_view key) const {
  const toml::node* node = Find(key);
  return node == nullptr ? Place() : node->source().begin;
}

std::unexpected<Error> TomlTable::FailHere(std::string_view message) const {
  return FailAt(path_, Place(), message);
}

std::unexpected<Error> TomlTable::FailAtKey(std::string_view key, std::string_view message) const {
  return FailAt(path_, PlaceOf(key), message);
}

Result<void> TomlTable::OnlyKeys(std::span<const std::string_view> keys) const {
  for (const auto& [key, node] : table_) {
    if (std::ranges::find(keys, key.str()) != keys.end()) continue;
    return FailAt(
        path_, key.source().begin,
        fmt::format("unknown key {}{}", Printable(key.str()), DidYouMean(key.str(), keys)));
  }
  return {};
}

Result<std::string> TomlTable::CheckedText(const toml::node& node, std::string_view key) const {
  const auto* text = node.as_string();
  const auto fail = [&](std::string message) {
    return FailAt(path_, node.source().begin, message);
  };
  if (text == nullptr) return fail(fmt::format("{} must be text, not {}", key, TypeName(node)));
  if (text->get().empty()) return fail(fmt::format("{} is empty", key));
  if (std::ranges::any_of(text->get(), IsControl)) {
    return fail(fmt::format("{} contains a control character", key));
  }
  return text->get();
}

Result<std::optional<std::string>> TomlTable::Text(std::string_view key) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  TRY(std::string text, CheckedText(*node, key));
  return text;
}

Result<std::vector<std::string>> TomlTable::Texts(std::string_view key) const {
  std::vector<std::string> texts;
  const toml::node* node = Find(key);
  if (node == nullptr) return texts;
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    if (!node->is_string()) {
      return FailAtKey(
          key, fmt::format("{} must be text or a list of texts, not {}", key, TypeName(*node)));
    }
    TRY(texts.emplace_back(), CheckedText(*node, key));
    return texts;
  }
  for (const toml::node& entry : *list) {
    TRY(texts.emplace_back(), CheckedText(entry, key));
  }
  return texts;
}

Result<bool> TomlTable::Flag(std::string_view key) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return false;
  const auto* flag = node->as_boolean();
  if (flag == nullptr) {
    return FailAtKey(key, fmt::format("{} must be true or false, not {}", key, TypeName(*node)));
  }
  return flag->get();
}

Result<std::optional<std::uint64_t>> TomlTable::Number(std::string_view key,
                                                       std::int64_t min) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  const auto* number = node->as_integer();
  if (number == nullptr) {
    return FailAtKey(key, fmt::format("{} must be a whole number, not {}", key, TypeName(*node)));
  }
  if (number->get() < min) {
    return FailAtKey(key, fmt::format("{} must be {} or more", key, min));
  }
  return static_cast<std::uint64_t>(number->get());
}

Result<const toml::table*> TomlTable::Table(std::string_view key) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return nullptr;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    return FailAtKey(key, fmt::format("{} must be a table, not {}", key, TypeName(*node)));
  }
  return table;
}

}  // namespace tare
