// points.cc: a C++ program of many small functions, built with and without instrumentation to show
// what that changes (tare mix points points-instrumented).
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

class Point {
 public:
  Point(double x, double y) : x_(x), y_(y) {}
  double x() const { return x_; }
  double y() const { return y_; }
  Point Plus(const Point& other) const { return {x_ + other.x(), y_ + other.y()}; }
  Point Times(double factor) const { return {x_ * factor, y_ * factor}; }
  double Dot(const Point& other) const { return x_ * other.x() + y_ * other.y(); }

 private:
  double x_;
  double y_;
};

double Clamped(double value, double low, double high) {
  return value < low ? low : value > high ? high : value;
}

double Work(const std::vector<Point>& points) {
  double sum = 0;
  for (const auto& one : points)
    for (const auto& other : points)
      sum += Clamped(one.Plus(other.Times(0.5)).Dot(one), -1, 1);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.emplace_back(i % 7 - 3.0, i % 11 - 5.0);
  std::printf("%f\n", Work(points));
}
