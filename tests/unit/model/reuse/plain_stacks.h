// plain_stacks.h: LRU caches and LRU stacks without any shortcut, and streams of references to
// compare on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tare::reuse {

struct PlainReference {
  std::uint64_t address = 0;
  bool store = false;
  std::uint32_t owner = 0;
};

// One write-back LRU cache; every set is a list, the line used last first.
class PlainCache {
 public:
  PlainCache(std::uint64_t line_bytes, std::uint64_t sets, unsigned ways)
      : line_bytes_(line_bytes), ways_(ways), sets_(sets) {}

  // Returns whether it hit.
  bool Use(std::uint64_t address, bool store) {
    const std::uint64_t line = address / line_bytes_;
    std::list<Line>& set = sets_[line % sets_.size()];
    const auto found = std::ranges::find(set, line, &Line::number);
    const bool hit = found != set.end();
    const bool dirty = store || (hit && found->dirty);
    if (hit) {
      set.erase(found);
    } else if (set.size() == ways_) {
      if (set.back().dirty) ++write_backs;
      set.pop_back();
    }
    set.push_front({line, dirty});
    return hit;
  }

  std::uint64_t write_backs = 0;

 private:
  struct Line {
    std::uint64_t number;
    bool dirty;
  };
  std::uint64_t line_bytes_;
  unsigned ways_;
  std::vector<std::list<Line>> sets_;
};

// A fully associative LRU stack.
class PlainStack {
 public:
  std::optional<std::uint64_t> Use(std::uint64_t key) {
    const auto found = std::ranges::find(keys_, key);
    std::optional<std::uint64_t> distance;
    if (found != keys_.end()) {
      distance = static_cast<std::uint64_t>(std::distance(keys_.begin(), found));
      keys_.erase(found);
    }
    keys_.push_front(key);
    return distance;
  }

 private:
  std::list<std::uint64_t> keys_;
};

// Streams with different kinds of reuse.
struct PlainStream {
  std::string name;
  std::vector<PlainReference> references;
};

inline std::vector<PlainStream> PlainStreams(std::size_t length) {
  std::mt19937_64 random(7);
  std::vector<PlainStream> streams;
  const auto add = [&](std::string name, auto address) {
    PlainStream stream{std::move(name), {}};
    for (std::size_t i = 0; i < length; ++i)
      stream.references.push_back(
          {address(i), random() % 3 == 0, static_cast<std::uint32_t>(random() % 5)});
    streams.push_back(std::move(stream));
  };
  add("random", [&](std::size_t) { return 0x10000 + random() % (1 << 20); });
  add("random in little memory", [&](std::size_t) { return 0x7ff0'0000'0000 + random() % 20000; });
  add("sweeps", [&](std::size_t i) { return 0x4000'0000 + i * 8 % 300'000; });
  add("large steps", [&](std::size_t i) { return 0x5500'0000'0000 + i * 4160 % (3 << 20); });
  add("same set", [&](std::size_t) { return random() % 40 * 262144; });
  // Lines of the same sets in all or some shapes, a few at a time.
  add("arrays in turn",
      [&](std::size_t i) { return 0x2000'0000 + i % 3 * (8 << 20) + i / 3 * 16 % 65536; });
  add("few pages in turn", [&](std::size_t i) {
    return 0x3000'0000 + random() % (2 + i / 4000) * 4096 * (1 + i / 7000);
  });
  add("stack, heap and table", [&](std::size_t i) -> std::uint64_t {
    if (i % 3 == 0) return 0x7fff'ffff'0000 - random() % 500;
    if (i % 3 == 1) return 0x5555'0000'0000 + i * 4 % 700'000;
    return 0x1000 + random() % 100 * random() % 100'000;
  });
  return streams;
}

}  // namespace tare::reuse
