// path_blocks.cc: the parts of a chunk: new paths, and which path follows which.
#include "format/path_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "format/event_codec.h"
#include "format/field_coder.h"
#include "format/path_dictionary.h"
#include "format/varints.h"

namespace tare::format {
namespace {

// With so many at the begin of a chunk, all paths are forgotten.
constexpr std::size_t kManyPaths = PathDictionary::kMaxPaths / 2;
constexpr std::size_t kManyBlocks = PathDictionary::kMaxBlocks / 2;

// A path ends before the first jump back, which has a smaller number or the same, behind so many
// blocks. Shorter ones take longer to write and to read; longer ones run less often again.
constexpr std::size_t kMinLength = 8;
// The blocks of a chunk can all be new, and its last path can be shorter.
static_assert(kManyPaths + kMaxBatchBlocks / kMinLength + 1 <= PathDictionary::kMaxPaths);
static_assert(kManyBlocks + kMaxBatchBlocks <= PathDictionary::kMaxBlocks);

constexpr std::size_t kShortNumbers = std::size_t{1} << 16;

std::uint64_t MixedPath(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

// The first blocks of a path without waiting for one another.
std::uint64_t HashOfBegin(const std::uint32_t* blocks) {
  static_assert(kMinLength == 8);
  std::uint64_t twos[4];
  std::memcpy(twos, blocks, sizeof twos);
  return MixedPath(0, twos[0] * 0xa0761d6478bd642fu ^ twos[1] * 0xe7037ed1a0b428dbu ^
                          twos[2] * 0x8ebc6af09c88c6e3u ^ twos[3] * 0x589965cc75374cc3u);
}

std::uint64_t HashOfPath(std::span<const std::uint32_t> path) {
  std::uint64_t hash = 0;
  std::size_t at = 0;
  if (path.size() >= kMinLength) {
    hash = HashOfBegin(path.data());
    at = kMinLength;
  }
  for (; at < path.size(); ++at) hash = MixedPath(hash, path[at]);
  return hash;
}

std::unexpected<Error> DamagedPaths() { return Fail(ErrorKind::kFormat, "its paths are damaged"); }

}  // namespace

// Cuts blocks into paths.
class PathFinder {
 public:
  // What a chunk stores.
  std::string lengths;                 // of new paths
  FieldWriter blocks;                  // of new paths, as differences
  std::vector<std::uint32_t> numbers;  // of the paths that ran

  std::size_t Known() const { return paths_.Count(); }

  // Returns whether all paths were forgotten.
  bool Begin() {
    lengths.clear();
    blocks = {};
    numbers.clear();
    before_ = 0;
    if (paths_.Count() <= kManyPaths && paths_.Blocks() <= kManyBlocks) return false;
    paths_.Clear();
    std::ranges::fill(places_, Place{});
    return true;
  }

  void Take(std::span<const std::uint32_t> rest) {
    while (rest.size() > PathDictionary::kMaxLength) {
      std::uint64_t hash = HashOfBegin(rest.data());
      std::size_t length = kMinLength;
      while (length < PathDictionary::kMaxLength && rest[length] > rest[length - 1])
        hash = MixedPath(hash, rest[length++]);
      numbers.push_back(Find(rest.first(length), hash));
      rest = rest.subspan(length);
    }
    if (!rest.empty()) numbers.push_back(Find(rest, HashOfPath(rest)));
  }

 private:
  static constexpr std::uint32_t kNoPath = UINT32_MAX;
  // In a hash table, whose size is a power of two.
  struct Place {
    std::uint32_t check = 0;
    std::uint32_t path = kNoPath;
  };

  std::uint32_t Find(std::span<const std::uint32_t> path, std::uint64_t hash) {
    const auto check = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = places_.size() - 1;
    std::size_t at = hash & mask;
    for (; places_[at].path != kNoPath; at = (at + 1) & mask) {
      const std::uint32_t number = places_[at].path;
      if (places_[at].check == check && std::ranges::equal(paths_.BlocksOf(number), path))
        return number;
    }
    const auto number = static_cast<std::uint32_t>(paths_.Count());
    places_[at] = {check, number};
    paths_.Add(path, 0);
    lengths.push_back(static_cast<char>(path.size()));
    for (const std::uint32_t block : path)
      blocks.Whole(ZigZagOf(std::uint64_t{block} - std::exchange(before_, block)));
    if (paths_.Count() > places_.size() / 2) GrowPlaces();
    return number;
  }

  void GrowPlaces() {
    std::vector<Place> old(2 * places_.size());
    old.swap(places_);
    const std::size_t mask = places_.size() - 1;
    for (const Place& place : old) {
      if (place.path == kNoPath) continue;
      std::size_t at = HashOfPath(paths_.BlocksOf(place.path)) & mask;
      while (places_[at].path != kNoPath) at = (at + 1) & mask;
      places_[at] = place;
    }
  }

  PathDictionary paths_;
  std::vector<Place> places_ = std::vector<Place>(1u << 12);
  std::uint32_t before_ = 0;
};

PathEncoder::PathEncoder() = default;
PathEncoder::~PathEncoder() = default;
PathEncoder::PathEncoder(PathEncoder&&) noexcept = default;
PathEncoder& PathEncoder::operator=(PathEncoder&&) noexcept = default;

void PathEncoder::Encode(const BlockBatch& batch, std::string& raw) {
  if (!finder_) finder_ = std::make_unique<PathFinder>();
  PathFinder& finder = *finder_;
  const bool forgets = finder.Begin();
  finder.Take(batch.blocks);
  FieldWriter writer;
  writer.Whole(batch.blocks.size());
  writer.Whole(batch.words.size());
  std::string marks;
  EncodeMarks(batch, marks);
  writer.Raw(marks);
  writer.Whole(forgets ? 1 : 0);
  writer.Text(finder.lengths);
  writer.Text(finder.blocks.Take());
  const std::size_t count = finder.numbers.size();
  writer.Whole(count);
  raw = writer.Take();
  const std::size_t begin = raw.size();
  const bool is_long = finder.Known() > kShortNumbers;
  raw.resize(begin + count * (is_long ? 3 : 2));
  for (std::size_t i = 0; i < count; ++i) {
    const auto low = static_cast<std::uint16_t>(finder.numbers[i]);
    std::memcpy(&raw[begin + 2 * i], &low, sizeof low);
    if (is_long) raw[begin + 2 * count + i] = static_cast<char>(finder.numbers[i] >> 16);
  }
  raw.append(reinterpret_cast<const char*>(batch.words.data()),
             batch.words.size() * sizeof(batch.words[0]));
}

// A chunk whose new paths are known.
struct PathDecoder::Chunk {
  std::uint64_t blocks = 0;
  std::uint64_t words = 0;
  std::string_view low;   // 16 bits of each path's number
  std::string_view high;  // 8 bits more; empty where there are few paths
  std::string_view word_bytes;

  std::size_t Count() const { return low.size() / 2; }

  // Calls `each` for the first `count` numbers until it returns false. Returns how often.
  std::size_t ForEach(std::size_t count, auto each) const {
    const auto number = [this](std::size_t i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, low.data() + 2 * i, sizeof bits);
      return std::size_t{bits};
    };
    std::size_t i = 0;
    if (high.empty()) {
      while (i < count && each(number(i))) ++i;
    } else {
      while (i < count && each(number(i) | std::size_t{static_cast<std::uint8_t>(high[i])} << 16))
        ++i;
    }
    return i;
  }
};

PathDecoder::PathDecoder() = default;
PathDecoder::~PathDecoder() = default;
PathDecoder::PathDecoder(PathDecoder&&) noexcept = default;
PathDecoder& PathDecoder::operator=(PathDecoder&&) noexcept = default;

namespace {

// Appends the paths that a chunk defines.
bool ReadPaths(std::string_view lengths, std::string_view block_bytes, const EventTables& tables,
               PathDictionary& paths) {
  VarintReader blocks(std::as_bytes(std::span(block_bytes)));
  std::uint64_t before = 0;
  std::array<std::uint32_t, PathDictionary::kMaxLength> path{};
  for (const char stored : lengths) {
    const std::size_t length = static_cast<std::uint8_t>(stored);
    if (length == 0 || length > path.size() || !paths.HasRoom(length)) return false;
    std::uint32_t words = 0;
    for (std::uint32_t& block : std::span(path).first(length)) {
      before += UnZigZagOf(blocks.Next());
      if (before >= tables.blocks.size()) return false;
      block = static_cast<std::uint32_t>(before);
      words += tables.blocks[block].words;
    }
    paths.Add(std::span(path).first(length), words);
  }
  return blocks.Good() && blocks.AtEnd();
}

std::string_view NextPart(FieldReader& reader) {
  std::uint64_t size = 0;
  reader.Whole(size);
  return reader.Raw(size);
}

}  // namespace

Result<PathDecoder::Chunk> PathDecoder::Open(std::span<const std::byte> raw,
                                             const EventTables& tables, BlockBatch& batch) {
  if (!paths_) paths_ = std::make_unique<PathDictionary>();
  FieldReader reader({reinterpret_cast<const char*>(raw.data()), raw.size()});
  Chunk chunk;
  reader.Whole(chunk.blocks);
  reader.Whole(chunk.words);
  if (!reader.Good() || chunk.blocks > kMaxBatchBlocks || chunk.words > kMaxBatchWords)
    return Fail(ErrorKind::kFormat, "its numbers of blocks are impossible");
  TRY_VOID(DecodeMarks(reader, chunk.blocks, tables, batch.marks));
  std::uint64_t forgets = 0;
  reader.Whole(forgets);
  const std::string_view lengths = NextPart(reader);
  const std::string_view blocks = NextPart(reader);
  std::uint64_t count = 0;
  reader.Whole(count);
  if (!reader.Good() || forgets > 1 || count > kMaxBatchBlocks) return DamagedPaths();
  if (forgets == 1) {
    AddCounts();
    paths_->Clear();
  }
  if (!ReadPaths(lengths, blocks, tables, *paths_)) return DamagedPaths();
  chunk.low = reader.Raw(2 * count);
  if (paths_->Count() > kShortNumbers) chunk.high = reader.Raw(count);
  chunk.word_bytes = reader.Raw(chunk.words * sizeof(std::uint64_t));
  if (!reader.Good() || !reader.AtEnd()) return DamagedPaths();
  return chunk;
}

// The numbers must be those of paths.
bool PathDecoder::HasItsWords(const Chunk& chunk) const {
  if (!paths_->HasWords()) return chunk.words == 0;
  std::uint64_t words = 0;
  chunk.ForEach(chunk.Count(), [&](std::size_t number) {
    words += paths_->WordsOf(number);
    return true;
  });
  return words == chunk.words;
}

Result<void> PathDecoder::List(const Chunk& chunk, BlockBatch& batch) const {
  // Not cleared before: most chunks are as long as the last one, and nothing is then set to 0.
  // Behind the end there is room for the last copy.
  batch.blocks.resize(chunk.blocks + PathDictionary::kMaxLength);
  const auto paths = paths_->Paths();
  const std::uint32_t* const known = paths_->Begin();
  std::uint32_t* const to = batch.blocks.data();
  std::size_t at = 0;
  const std::size_t listed = chunk.ForEach(chunk.Count(), [&](std::size_t number) {
    if (number >= paths.size() || at > chunk.blocks) return false;
    // Always the same number of bytes, which takes no branch that depends on the data.
    std::memcpy(to + at, known + paths[number].begin(),
                PathDictionary::kMaxLength * sizeof(std::uint32_t));
    at += paths[number].length();
    return true;
  });
  if (listed != chunk.Count() || at != chunk.blocks || !HasItsWords(chunk)) return DamagedPaths();
  batch.blocks.resize(chunk.blocks);
  batch.words.resize(chunk.words);
  if (chunk.words > 0)
    std::memcpy(batch.words.data(), chunk.word_bytes.data(), chunk.word_bytes.size());
  return {};
}

Result<void> PathDecoder::Decode(std::span<const std::byte> raw, const EventTables& tables,
                                 BlockBatch& batch) {
  TRY(const Chunk chunk, Open(raw, tables, batch));
  return List(chunk, batch);
}

Result<std::uint64_t> PathDecoder::Count(std::span<const std::byte> raw, std::uint64_t expected,
                                         const EventTables& tables, BlockBatch& batch) {
  TRY(const Chunk chunk, Open(raw, tables, batch));
  if (chunk.blocks != expected) return Fail(ErrorKind::kFormat, "its number of events is wrong");
  if (chunk.words > 0) {
    TRY_VOID(List(chunk, batch));
    return chunk.blocks;
  }
  batch.blocks.clear();
  batch.words.clear();
  const auto paths = paths_->Paths();
  counts_.resize(paths.size());
  std::uint64_t blocks = 0;
  const std::size_t counted = chunk.ForEach(chunk.Count(), [&](std::size_t number) {
    if (number >= paths.size()) return false;
    ++counts_[number];
    blocks += paths[number].length();
    return true;
  });
  if (counted == chunk.Count() && blocks == chunk.blocks && HasItsWords(chunk)) return blocks;
  chunk.ForEach(counted, [&](std::size_t number) {
    --counts_[number];
    return true;
  });
  return DamagedPaths();
}

void PathDecoder::AddCounts() {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::uint64_t count = std::exchange(counts_[i], 0);
    if (count == 0) continue;
    for (const std::uint32_t block : paths_->BlocksOf(i)) {
      if (block >= executions_.size()) executions_.resize(block + 1);
      executions_[block] += count;
    }
  }
}

const std::vector<std::uint64_t>& PathDecoder::Executions() {
  AddCounts();
  return executions_;
}

}  // namespace tare::format
