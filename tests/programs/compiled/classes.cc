// classes.cc: C++ features that the compiler implements with hidden functions: several functions
// for one constructor, thunks, exception handlers.
#include "classes.h"

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace geometry {
int Shape::made = 0;
}

namespace {

struct Hidden {
  int value = 0;
};

struct Other {
  virtual ~Other() = default;
  virtual int Name() { return 1; }
  int other = 0;
};

struct Both : geometry::Square, Other {
  Both() : Square(2) {}
  int Name() override { return 2; }
};

int Checked(int n) {
  if (n % 3 == 0) throw std::runtime_error("three");
  return n;
}

int Caught(int n) {
  try {
    return Checked(n);
  } catch (const std::exception&) {
    return -1;
  }
}

int Written(char letter) {
  try {
    return std::fputc(letter, stdout) + Checked(1);
  } catch (...) {
    return 0;
  }
}

}  // namespace

int main() {
  int sum = 0;
  geometry::Square square(3);
  geometry::Cube cube(2);
  const geometry::Shape* shapes[] = {&square, &cube};
  for (int i = 0; i < 10; ++i) sum += shapes[i % 2]->Area(i);
  sum += shapes[0]->Area(1.5);
  for (int i = 0; i < 4; ++i) square.Grow();
  const std::unique_ptr<geometry::Shape> owned = std::make_unique<geometry::Cube>(5);
  sum += Elsewhere(*owned) + Elsewhere(square);
  geometry::Table<int> numbers;
  geometry::Table<unsigned> others;
  for (int i = 0; i < 3; ++i) numbers.Add(i);
  for (unsigned i = 0; i < 5; ++i) others.Add(i);
  sum += numbers.Count() + others.Count();
  for (int i = 0; i < 6; ++i) sum += geometry::Larger(i, 3);
  sum += static_cast<int>(geometry::Larger(1.5, 2.5));
  for (int i = 0; i < 2; ++i) sum += geometry::Doubled(i);
  for (int i = 0; i < 9; ++i) sum += Caught(i);
  Both both;
  Other* second = &both;
  for (int i = 0; i < 3; ++i) sum += second->Name();
  Hidden hidden;
  for (int i = 0; i < 7; ++i) hidden.value = i;
  geometry::Shape::made += 10;
  sum += Written('*');
  std::printf("%d %d\n", sum + hidden.value, geometry::Shape::made);
  return 0;
}
