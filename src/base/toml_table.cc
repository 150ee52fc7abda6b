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

TomlPlace Start(const toml::source_region& source) {
  return {.line = source.begin.line, .column = source.begin.column};
}

bool IsControl(char letter) { return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f; }

}  // namespace

bool TomlTable::IsText(std::string_view key) const {
  const toml::node* node = Find(key);
  return node != nullptr && node->is_string();
}

bool TomlTable::IsTable(std::string_view key) const {
  const toml::node* node = Find(key);
  return node != nullptr && node->is_table();
}

TomlPlace TomlTable::PlaceOf(std::string_view key) const {
  const toml::node* node = Find(key);
  return Start(node == nullptr ? table_->source() : node->source());
}

std::unexpected<Error> TomlTable::FailHere(std::string_view message) const {
  return FailAt(*path_, Start(table_->source()), message);
}

std::unexpected<Error> TomlTable::FailAtKey(std::string_view key, std::string_view message) const {
  return FailAt(*path_, PlaceOf(key), message);
}

std::unexpected<Error> TomlTable::FailAtField(std::string_view field,
                                              std::string_view message) const {
  const toml::table* table = table_;
  TomlPlace place = Start(table_->source());
  while (table != nullptr && !field.empty()) {
    const std::size_t dot = std::min(field.find('.'), field.size());
    const toml::node* node = table->get(field.substr(0, dot));
    if (node == nullptr) break;
    place = Start(node->source());
    table = node->as_table();
    field.remove_prefix(std::min(dot + 1, field.size()));
  }
  return FailAt(*path_, place, message);
}

Result<void> TomlTable::OnlyKeys(std::span<const std::string_view> keys) const {
  for (const auto& [key, node] : *table_) {
    if (std::ranges::find(keys, key.str()) != keys.end()) continue;
    return FailAt(*path_, Start(key.source()),
                  fmt::format("unknown key {}{}", Printable(key.str()),
                              DidYouMeanOrAll(key.str(), keys, "the keys here are")));
  }
  return {};
}

Result<std::string> TomlTable::CheckedText(const toml::node& node, std::string_view key) const {
  const auto* text = node.as_string();
  const auto fail = [&](std::string_view message) {
    return FailAt(*path_, Start(node.source()), message);
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

std::vector<std::string> TomlTable::Keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, node] : *table_) keys.emplace_back(key.str());
  std::ranges::sort(keys);
  return keys;
}

Result<std::string> TomlTable::ValueText(const toml::node& node, std::string_view key) const {
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (node.is_string()) return CheckedText(node, key);
  return FailAt(
      *path_, Start(node.source()),
      fmt::format("{} must be text, a number, or a list of those, not {}", key, TypeName(node)));
}

Result<std::vector<std::string>> TomlTable::Values(std::string_view key) const {
  std::vector<std::string> values;
  const toml::node* node = Find(key);
  if (node == nullptr) return values;
  const toml::array* list = node->as_array();
  if (list == nullptr) {
    TRY(values.emplace_back(), ValueText(*node, key));
    return values;
  }
  for (const toml::node& entry : *list) {
    TRY(values.emplace_back(), ValueText(entry, key));
  }
  return values;
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

Result<std::optional<double>> TomlTable::Real(std::string_view key) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  const auto number = node->value<double>();
  if (!node->is_number() || !number) {
    return FailAtKey(key, fmt::format("{} must be a number, not {}", key, TypeName(*node)));
  }
  return *number;
}

Result<std::optional<TomlTable>> TomlTable::Table(std::string_view key) const {
  const toml::node* node = Find(key);
  if (node == nullptr) return std::nullopt;
  const toml::table* table = node->as_table();
  if (table == nullptr) {
    return FailAtKey(key, fmt::format("{} must be a table, not {}", key, TypeName(*node)));
  }
  return TomlTable(*table, *path_);
}

Result<std::vector<TomlTable>> TomlTable::Tables(std::string_view key) const {
  std::vector<TomlTable> tables;
  const toml::node* node = Find(key);
  if (node == nullptr) return tables;
  const auto fail = [&](const toml::node& at) {
    return FailAt(
        *path_, Start(at.source()),
        fmt::format("each {0} must be a table, written as [[{0}]] with two brackets", key));
  };
  const toml::array* list = node->as_array();
  if (list == nullptr) return fail(*node);
  for (const toml::node& entry : *list) {
    const toml::table* table = entry.as_table();
    if (table == nullptr) return fail(entry);
    tables.push_back(TomlTable(*table, *path_));
  }
  return tables;
}

Result<TomlFile> TomlFile::Parse(std::string_view text, const std::filesystem::path& path) {
  TRY(const std::string ascii, AsciiToml(text, path));
  toml::parse_result parsed = toml::parse(ascii);
  if (!parsed) {
    return FailAt(path, Start(parsed.error().source()), Printable(parsed.error().description()));
  }
  return TomlFile(std::move(parsed).table(), path);
}

}  // namespace tare
