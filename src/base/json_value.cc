// json_value.cc: typed access to the values of a parsed JSON file.
#include "base/json_value.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/printable.h"

namespace tare {

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
                                              path.empty() ? "the outermost value" : path, why));
}

std::unexpected<Error> JsonValue::RefuseWord(std::string_view word) const {
  return Refuse(fmt::format("has the unknown value '{}'", Printable(word)));
}

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

}  // namespace tare
