// classes.h: classes, templates and inline functions that two translation units share.
#pragma once

namespace geometry {

class Shape {
 public:
  explicit Shape(int sides) : sides_(sides) { ++made; }
  virtual ~Shape() = default;
  virtual int Area(int scale) const = 0;
  virtual int Area(double scale) const { return static_cast<int>(scale); }
  int Sides() const { return sides_; }
  static int made;

 protected:
  int sides_;
};

class Square : public Shape {
 public:
  explicit Square(int edge) : Shape(4), edge_(edge) {}
  using Shape::Area;
  int Area(int scale) const override { return edge_ * edge_ * scale; }
  void Grow() { edge_++; }

 protected:
  int edge_;
};

class Cube : public Square {
 public:
  explicit Cube(int edge) : Square(edge) {}
  using Shape::Area;
  int Area(int scale) const override;
};

template <class Item>
class Table {
 public:
  void Add(Item item) {
    last_ = item;
    count_++;
  }
  int Count() const { return count_; }

 private:
  Item last_{};
  int count_ = 0;
};

template <class Number>
Number Larger(Number a, Number b) {
  return a < b ? b : a;
}

inline int Doubled(int n) { return 2 * n; }

}  // namespace geometry

int Elsewhere(const geometry::Shape& shape);
