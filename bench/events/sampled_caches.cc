// sampled_caches.cc: how wrong are miss ratios that a sample of a trace gives, by the number of
// blocks per sample (k), the period (P) and the size of the cache?
//
//   sampled_caches FILE    a trace of addresses (tare events record --content addresses)
// Caches have 8 ways of 64-byte lines and LRU. At the begin of a sample a cache is as the sample
// before left it ("kept"), or its first accesses to a set that is not full yet do not count
// ("filled": only sets that the sample itself has filled are judged, as Laha, Patel and Iyer do).
#include <cstdio>
#include <cstdlib>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "format/event_reader.h"

namespace {

using namespace tare::format;

constexpr std::size_t kWays = 8;
constexpr std::uint64_t kLine = 64;
constexpr std::array<std::uint64_t, 5> kKiB = {8, 32, 128, 512, 2048};
constexpr std::array<std::uint64_t, 4> kKept = {500, 2'000, 8'000, 32'000};
constexpr std::array<std::uint64_t, 2> kTimes = {20, 10};

class Cache {
 public:
  explicit Cache(std::uint64_t bytes) : sets_(bytes / kLine / kWays), tags_(sets_ * kWays) {}

  struct Use {
    bool hit = false;
    bool was_full = false;  // the set, so that a miss is one
  };
  Use Take(std::uint64_t address) {
    const std::uint64_t tag = address / kLine + 1;  // 0 is an empty way
    const auto first = tags_.begin() + static_cast<std::ptrdiff_t>(tag % sets_ * kWays);
    const auto end = first + kWays;
    const auto found = std::find(first, end, tag);
    const Use use{found != end, *(end - 1) != 0};
    std::move_backward(first, use.hit ? found : end - 1, use.hit ? found + 1 : end);
    *first = tag;
    return use;
  }
  void Clear() { std::ranges::fill(tags_, 0); }

 private:
  std::uint64_t sets_;
  std::vector<std::uint64_t> tags_;  // of each set, the line used last first
};

struct Misses {
  double accesses = 0;
  double misses = 0;
};

// The same caches, fed with samples.
class Sampled {
 public:
  Sampled(std::uint64_t kept, std::uint64_t period) : kept_(kept), period_(period) {
    for (const std::uint64_t size : kKiB) {
      keeping_.emplace_back(size << 10);
      filling_.emplace_back(size << 10);
    }
  }

  bool IsIn(std::uint64_t block) const { return block % period_ < kept_; }
  void Begin(std::uint64_t block) {
    if (block % period_ != 0) return;
    for (Cache& cache : filling_) cache.Clear();
    for (auto& of_size : clusters_) of_size.emplace_back();
  }
  void Take(std::uint64_t address) {
    for (std::size_t i = 0; i < kKiB.size(); ++i) {
      Misses& cluster = clusters_[i].back();
      ++cluster.accesses;
      cluster.misses += keeping_[i].Take(address).hit ? 0 : 1;
      const Cache::Use use = filling_[i].Take(address);
      if (!use.was_full) continue;
      ++filled_[i].accesses;
      filled_[i].misses += use.hit ? 0 : 1;
    }
  }

  std::uint64_t kept() const { return kept_; }
  std::uint64_t period() const { return period_; }
  const Misses& Filled(std::size_t size) const { return filled_[size]; }
  // The ratio and half of its 95 % interval, as of clusters (Cochran).
  std::pair<double, double> Kept(std::size_t size) const {
    Misses sum;
    for (const Misses& cluster : clusters_[size]) {
      sum.accesses += cluster.accesses;
      sum.misses += cluster.misses;
    }
    const double ratio = sum.misses / sum.accesses;
    const auto count = static_cast<double>(clusters_[size].size());
    double squares = 0;
    for (const Misses& cluster : clusters_[size])
      squares += std::pow(cluster.misses - ratio * cluster.accesses, 2);
    return {ratio, 1.96 * std::sqrt(squares / (count - 1) / count) / (sum.accesses / count)};
  }

 private:
  std::uint64_t kept_;
  std::uint64_t period_;
  std::vector<Cache> keeping_;
  std::vector<Cache> filling_;
  std::array<std::vector<Misses>, kKiB.size()> clusters_;
  std::array<Misses, kKiB.size()> filled_{};
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  auto reader = EventTraceReader::Open(arguments[1]);
  if (!reader) {
    std::fprintf(stderr, "sampled_caches: %s\n", reader.error().message.c_str());
    return 1;
  }
  std::vector<Cache> caches;
  for (const std::uint64_t size : kKiB) caches.emplace_back(size << 10);
  std::array<Misses, kKiB.size()> truth{};
  std::vector<Sampled> samples;
  for (const std::uint64_t kept : kKept)
    for (const std::uint64_t times : kTimes) samples.emplace_back(kept, kept * times);
  std::uint64_t number = 0;
  while (reader->Next()) {
    const BlockBatch& batch = reader->Blocks();
    std::span<const std::uint64_t> words = batch.words;
    for (const std::uint32_t block : batch.blocks) {
      const TraceBlock& row = reader->Tables().blocks[block];
      for (Sampled& sample : samples) sample.Begin(number);
      ForEachTouch(row, words.first(row.words), [&](const TouchedAddress& touch) {
        for (std::size_t i = 0; i < kKiB.size(); ++i) {
          ++truth[i].accesses;
          truth[i].misses += caches[i].Take(touch.address).hit ? 0 : 1;
        }
        for (Sampled& sample : samples)
          if (sample.IsIn(number)) sample.Take(touch.address);
      });
      words = words.subspan(row.words);
      ++number;
    }
  }
  std::printf("%ju blocks, %.0f accesses. Miss ratios in %%.\n\n| k | P | |",
              static_cast<std::uintmax_t>(number), truth[0].accesses);
  for (const std::uint64_t size : kKiB)
    std::printf(" %ju KiB |", static_cast<std::uintmax_t>(size));
  std::printf("\n| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |\n| all | | |");
  for (const Misses& one : truth) std::printf(" %.3f |", 100 * one.misses / one.accesses);
  for (const Sampled& sample : samples) {
    std::printf("\n| %ju | %ju | kept |", static_cast<std::uintmax_t>(sample.kept()),
                static_cast<std::uintmax_t>(sample.period()));
    for (std::size_t i = 0; i < kKiB.size(); ++i) {
      const auto [ratio, half] = sample.Kept(i);
      std::printf(" %.3f ± %.3f |", 100 * ratio, 100 * half);
    }
    std::printf("\n| | | filled |");
    for (std::size_t i = 0; i < kKiB.size(); ++i) {
      const Misses& filled = sample.Filled(i);
      if (filled.accesses > 0) {
        std::printf(" %.3f |", 100 * filled.misses / filled.accesses);
      } else {
        std::printf(" - |");
      }
    }
  }
  std::printf("\n");
  return 0;
}
