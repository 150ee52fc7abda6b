// json_value.h: a value of a parsed JSON file with its path, so that error messages name the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare {

// Points into the parsed file and to its parent value; both must outlive it.
class JsonValue {
 public:
  // `what` is the kind of file that error messages name.
  explicit JsonValue(const nlohmann::json& root, const char* what = "tare document")
      : value_(&root), name_(what) {}

  std::unexpected<Error> Refuse(std::string_view why) const;
  // For text that is not one of the words allowed here.
  std::unexpected<Error> RefuseWord(std::string_view word) const;

  bool Has(const char* name) const { return value_->is_object() && value_->contains(name); }
  bool IsNull() const { return value_->is_null(); }
  bool IsText() const { return value_->is_string(); }
  bool IsNumber() const { return value_->is_number(); }

  // Fails if this value is not an object or has no such field.
  Result<JsonValue> Field(const char* name) const&;
  Result<JsonValue> Field(const char* name) const&& = delete;

  Result<std::string> Text() const;
  Result<bool> Truth() const;
  Result<Number> Figure() const;
  Result<double> Real() const;
  // As Real, but returns NaN for null.
  Result<double> RealOrGap() const;
  Result<std::uint64_t> Whole() const;

  Result<std::string> TextField(const char* name) const;
  Result<double> RealField(const char* name) const;
  Result<std::uint64_t> WholeField(const char* name) const;
  // Fails if the value needs more than 32 bits.
  Result<unsigned> NarrowField(const char* name) const;

  // Calls `read` on each item of this array and returns the results.
  template <typename Read>
  auto List(Read read) const& -> Result<std::vector<typename decltype(read(*this))::value_type>> {
    if (!value_->is_array()) return Refuse("is not a list");
    std::vector<typename decltype(read(*this))::value_type> items;
    items.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
      TRY(auto item, read(JsonValue((*value_)[i], this, nullptr, i)));
      items.push_back(std::move(item));
    }
    return items;
  }

  template <typename Read>
  auto ListField(const char* name, Read read) const
      -> Result<std::vector<typename decltype(read(*this))::value_type>> {
    TRY(const JsonValue list, Field(name));
    return list.List(read);
  }

  // The fields of this object. Fails unless all values are strings.
  Result<std::map<std::string, std::string>> TextMap() const;

 private:
  JsonValue(const nlohmann::json& value, const JsonValue* parent, const char* name,
            std::size_t index)
      : value_(&value), parent_(parent), name_(name), index_(index) {}

  std::string Path() const;

  const nlohmann::json* value_;
  const JsonValue* parent_ = nullptr;
  const char* name_ = nullptr;  // null for a list item; the kind of file for the root
  std::size_t index_ = 0;
};

}  // namespace tare
