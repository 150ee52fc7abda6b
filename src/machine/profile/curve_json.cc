// curve_json.cc: writing and reading keys of curves.
#include "machine/profile/curve_json.h"

namespace tare::machine_profile {

void WriteKeyFields(JsonWriter& out, const CurveKey& key) {
  out.TextField("access", Name(key.access));
  out.TextField("pattern", Name(key.pattern));
  out.WholeField("stride", key.stride);
  out.WholeField("element_bytes", key.element_bytes);
}

Result<CurveKey> ReadKeyFields(const JsonValue& place) {
  CurveKey key;
  TRY(key.access, WordField(place, "access", ParseAccess));
  TRY(key.pattern, WordField(place, "pattern", ParsePattern));
  TRY(key.stride, place.NarrowField("stride"));
  TRY(key.element_bytes, place.NarrowField("element_bytes"));
  return key;
}

}  // namespace tare::machine_profile
