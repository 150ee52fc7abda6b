// sample.cc: C++ with much inlining and many templates, as debug information of real programs has
// it. Compiled several times, each time with another PART as namespace.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#ifndef PART
#define PART part0
#endif

namespace PART {

template <typename Number>
struct Sample {
  Number value{};
  std::string name;
  auto operator<=>(const Sample&) const = default;
};

using Value = std::variant<int, double, std::string, std::vector<int>>;

template <typename Number>
std::vector<Sample<Number>> Make(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Sample<Number>> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back({static_cast<Number>(random() % 1000), std::to_string(i)});
  return samples;
}

template <typename Number>
std::string Summary(std::vector<Sample<Number>> samples) {
  std::ranges::sort(samples);
  std::map<Number, std::vector<std::string>> groups;
  for (const auto& sample : samples) groups[sample.value].push_back(sample.name);
  std::ostringstream out;
  for (const auto& [value, names] : groups)
    out << value << ": " << std::accumulate(names.begin(), names.end(), std::string()) << '\n';
  return out.str();
}

int Sizes(const std::vector<Value>& values) {
  int sum = 0;
  for (const auto& value : values)
    sum += std::visit(
        [](const auto& it) -> int {
          if constexpr (requires { it.size(); })
            return static_cast<int>(it.size());
          else
            return static_cast<int>(it);
        },
        value);
  return sum;
}

int Words(const std::string& text) {
  const std::regex word("([a-z]+)([0-9]*)");
  std::unordered_map<std::string, std::function<int()>> found;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
    found[(*at)[1]] = [length = at->length()] { return static_cast<int>(length); };
  int sum = 0;
  for (const auto& [name, length] : found) sum += length();
  return sum;
}

int Run(int seed) {
  const auto integers = Make<int>(100, static_cast<unsigned>(seed));
  const auto numbers = Make<double>(100, static_cast<unsigned>(seed));
  const auto text = Summary(integers) + Summary(numbers) + Summary(Make<long>(9, 1));
  return Words(text) + Sizes({1, 2.0, text, std::vector<int>(3)});
}

}  // namespace PART

#ifdef MAIN
int main(int argc, char**) { return PART::Run(argc) & 1; }
#endif
