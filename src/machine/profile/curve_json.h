// curve_json.h: the key of a curve as fields of a JSON object.
#pragma once

#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "machine/profile/curve.h"

namespace tare::machine_profile {

// The fields access, pattern, stride and element_bytes.
void WriteKeyFields(JsonWriter& out, const CurveKey& key);
Result<CurveKey> ReadKeyFields(const JsonValue& place);

// Parses the word in that field with `parse`; fails when `parse` does not accept it.
template <typename Parse>
auto WordField(const JsonValue& place, const char* name, Parse parse)
    -> Result<typename decltype(parse(std::string_view()))::value_type> {
  TRY(const JsonValue field, place.Field(name));
  TRY(const std::string word, field.Text());
  const auto value = parse(word);
  if (!value) return field.RefuseWord(word);
  return *value;
}

}  // namespace tare::machine_profile
