// curve_json.h: what a curve is of, as fields of a JSON object.
#pragma once

#include "base/json_value.h"
#include "base/json_writer.h"
#include "base/result.h"
#include "machine/profile/curve.h"

namespace tare::machine_profile {

// access, pattern, stride and element_bytes.
void WriteKeyFields(JsonWriter& out, const CurveKey& key);
Result<CurveKey> ReadKeyFields(const JsonValue& place);

// The word in that field, as `parse` understands it; refused when it does not.
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
