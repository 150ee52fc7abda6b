// json_value.h: parses JSON and reads its values; every error names the kind of file and the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare {

// Points into a JsonFile and to its parent value; both must outlive it.
class JsonValue {
 public:
  std::unexpected<Error> Refuse(std::string_view why) const;
  // For text that is not one of the words allowed here.
  std::unexpected<Error> RefuseWord(std::string_view word) const;

  bool Has(const char* name) const;
  // Whether the field exists and is this text.
  bool HasText(const char* name, std::string_view text) const;
  bool IsNull() const;
  bool IsText() const;
  bool IsNumber() const;
  bool IsList() const;
  bool IsObject() const;

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
    TRY(const std::size_t size, ListSize());
    std::vector<typename decltype(read(*this))::value_type> items;
    items.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      TRY(auto item, read(Item(i)));
      items.push_back(std::move(item));
    }
    return items;
  }

  // Calls `check`, which returns a Result<void>, on each item of this array.
  template <typename Check>
  Result<void> ForEach(Check check) const& {
    TRY(const std::size_t size, ListSize());
    for (std::size_t i = 0; i < size; ++i) TRY_VOID(check(Item(i)));
    return {};
  }

  template <typename Read>
  auto ListField(const char* name, Read read) const
      -> Result<std::vector<typename decltype(read(*this))::value_type>> {
    TRY(const JsonValue list, Field(name));
    return list.List(read);
  }

  // The fields of this object. Fails unless all values are strings.
  Result<std::map<std::string, std::string>> TextMap() const;

  // The names of the fields of this object; none if it is not an object.
  std::vector<const char*> FieldNames() const;

  // Fails unless the field `format` is `readable`; the message names both versions.
  Result<void> RequireFormat(std::uint64_t readable) const;

 private:
  friend class JsonFile;

  JsonValue(const nlohmann::json& value, const JsonValue* parent, const char* name,
            std::size_t index)
      : value_(&value), parent_(parent), name_(name), index_(index) {}

  std::string Path() const;
  Result<std::size_t> ListSize() const;
  JsonValue Item(std::size_t index) const;

  const nlohmann::json* value_;
  const JsonValue* parent_ = nullptr;
  const char* name_ = nullptr;  // null for a list item; the kind of file for the root
  std::size_t index_ = 0;
};

// The parsed text of a JSON file.
class JsonFile {
 public:
  // Deep enough for files whose layout is fixed; a tree in a file needs more.
  static constexpr std::size_t kMaxDepth = 32;

  // `what` is the kind of file that error messages name, and must outlive the result. Fails
  // (kFormat) on text that is not JSON, which names the line, on numbers that no double can hold,
  // and on objects and lists nested deeper than `max_depth`.
  static Result<JsonFile> Parse(std::string_view text, const char* what,
                                std::size_t max_depth = kMaxDepth);

  JsonValue Root() const { return {*root_, nullptr, what_, 0}; }

 private:
  JsonFile(nlohmann::json root, const char* what);

  std::shared_ptr<const nlohmann::json> root_;
  const char* what_;
};

}  // namespace tare
