// json_value.cc: parsing, and typed access to the values.
#include "base/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_checksum.h"
#include "base/printable.h"

namespace tare {
namespace {

bool IsDeeperThan(std::string_view text, std::size_t limit) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > limit) return true;
    } else if (!quoted && (c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string JsonValue::Path() const {
  if (parent_ == nullptr) return "";
  const std::string before = parent_->Path();
  if (name_ == nullptr) return fmt::format("{}[{}]", before, index_);
  return before.empty() ? name_ : fmt::format("{}.{}", before, name_);
}

std::unexpected<Error> JsonValue::Refuse(std::string_view why) const {
  const std::string path = Path();
  const JsonValue* root = this;
  while (root->parent_ != nullptr) root = root->parent_;
  return Fail(ErrorKind::kFormat, fmt::format("not a {}: {} {}", root->name_,
                                              path.empty() ? "the top-level value" : path, why));
}

std::unexpected<Error> JsonValue::RefuseWord(std::string_view word) const {
  return Refuse(fmt::format("has the unknown value '{}'", Printable(word)));
}

bool JsonValue::Has(const char* name) const {
  return value_->is_object() && value_->contains(name);
}

bool JsonValue::HasText(const char* name, std::string_view text) const {
  if (!value_->is_object()) return false;
  const auto field = value_->find(name);
  return field != value_->end() && field->is_string() &&
         field->get_ref<const std::string&>() == text;
}

bool JsonValue::IsNull() const { return value_->is_null(); }
bool JsonValue::IsText() const { return value_->is_string(); }
bool JsonValue::IsNumber() const { return value_->is_number(); }
bool JsonValue::IsList() const { return value_->is_array(); }
bool JsonValue::IsObject() const { return value_->is_object(); }

Result<JsonValue> JsonValue::Field(const char* name) const& {
  if (!value_->is_object()) return Refuse("is not an object");
  const auto field = value_->find(name);
  if (field == value_->end()) return Refuse(fmt::format("has no field '{}'", name));
  return JsonValue(*field, this, name, 0);
}

Result<std::string> JsonValue::Text() const {
  if (!value_->is_string()) return Refuse("is not text");
  return value_->get_ref<const std::string&>();
}

Result<bool> JsonValue::Truth() const {
  if (!value_->is_boolean()) return Refuse("is neither true nor false");
  return value_->get<bool>();
}

Result<Number> JsonValue::Figure() const {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits =
      value_->is_number_unsigned() ? value_->get<std::uint64_t>() <= kMax : value_->is_number();
  if (value_->is_number_integer() && fits) return Number(value_->get<std::int64_t>());
  TRY(const double real, Real());
  return Number(real);
}

Result<double> JsonValue::Real() const {
  if (!value_->is_number()) return Refuse("is not a number");
  const auto real = value_->get<double>();
  if (!std::isfinite(real)) return Refuse("is not a finite number");
  return real;
}

Result<double> JsonValue::RealOrGap() const {
  if (IsNull()) return std::numeric_limits<double>::quiet_NaN();
  return Real();
}

Result<std::uint64_t> JsonValue::Whole() const {
  if (!value_->is_number_unsigned()) return Refuse("is not a whole number from 0 to 2^64 - 1");
  return value_->get<std::uint64_t>();
}

Result<std::string> JsonValue::TextField(const char* name) const {
  TRY(const JsonValue field, Field(name));
  return field.Text();
}

Result<double> JsonValue::RealField(const char* name) const {
  TRY(const JsonValue field, Field(name));
  return field.Real();
}

Result<std::uint64_t> JsonValue::WholeField(const char* name) const {
  TRY(const JsonValue field, Field(name));
  return field.Whole();
}

Result<unsigned> JsonValue::NarrowField(const char* name) const {
  TRY(const JsonValue field, Field(name));
  TRY(const std::uint64_t value, field.Whole());
  if (value > std::numeric_limits<unsigned>::max()) return field.Refuse("is too large");
  return static_cast<unsigned>(value);
}

Result<std::map<std::string, std::string>> JsonValue::TextMap() const {
  if (!value_->is_object()) return Refuse("is not an object");
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : value_->items()) {
    if (!value.is_string()) {
      return Refuse(fmt::format("has a field '{}' that is not text", Printable(name)));
    }
    texts.emplace(name, value.get_ref<const std::string&>());
  }
  return texts;
}

std::vector<const char*> JsonValue::FieldNames() const {
  std::vector<const char*> names;
  if (!value_->is_object()) return names;
  for (auto field = value_->begin(); field != value_->end(); ++field) {
    names.push_back(field.key().c_str());
  }
  return names;
}

Result<void> JsonValue::RequireFormat(std::uint64_t readable) const {
  TRY(const std::uint64_t format, WholeField("format"));
  if (format == readable) return {};
  const JsonValue* root = this;
  while (root->parent_ != nullptr) root = root->parent_;
  return Fail(ErrorKind::kFormat, fmt::format("the {} has format {}, and this tare reads format {}",
                                              root->name_, format, readable));
}

Result<std::size_t> JsonValue::ListSize() const {
  if (!value_->is_array()) return Refuse("is not a list");
  return value_->size();
}

JsonValue JsonValue::Item(std::size_t index) const {
  return JsonValue((*value_)[index], this, nullptr, index);
}

JsonFile::JsonFile(nlohmann::json root, const char* what)
    : root_(std::make_shared<const nlohmann::json>(std::move(root))), what_(what) {}

Result<JsonFile> JsonFile::Parse(std::string_view text, const char* what, std::size_t max_depth) {
  if (IsDeeperThan(text, max_depth)) {
    return Fail(ErrorKind::kFormat,
                fmt::format("not a {}: nested deeper than {} levels", what, max_depth));
  }
  try {
    auto root = nlohmann::json::parse(text);
    if (root.is_object() && root.contains("checksum") && ChecksumDiffers(text)) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("the {} is not as tare wrote it: its checksum differs; to use it "
                              "all the same, remove the line with its checksum",
                              what));
    }
    return JsonFile(std::move(root), what);
  } catch (const nlohmann::json::parse_error& error) {
    const std::string_view before = text.substr(0, std::min(error.byte, text.size()));
    return Fail(ErrorKind::kFormat, fmt::format("not a {}: line {} is not JSON", what,
                                                1 + std::ranges::count(before, '\n')));
  } catch (const nlohmann::json::exception&) {
    return Fail(ErrorKind::kFormat, fmt::format("not a {}: a number is too large", what));
  }
}

}  // namespace tare
