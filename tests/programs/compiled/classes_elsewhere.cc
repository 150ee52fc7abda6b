// classes_elsewhere.cc: the second translation unit of classes.cc.
#include "classes.h"

int geometry::Cube::Area(int scale) const { return 6 * edge_ * edge_ * scale; }

int Elsewhere(const geometry::Shape& shape) {
  return geometry::Doubled(shape.Area(1)) + shape.Sides();
}
