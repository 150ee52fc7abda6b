// predicted_blocks.cc: the parts of a chunk: runs, bits, ranks, literals, words.
#include "format/predicted_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "format/block_predictor.h"
#include "format/event_codec.h"
#include "format/field_coder.h"

namespace tare::format {
namespace {

// A run of this length continues in the next byte.
constexpr std::uint64_t kLongRun = 255;

// Every block of a chunk can miss: a run, a rank, and a number in groups of 7 bits.
static_assert(kMaxTraceBlocks <= std::size_t{1} << 28);
constexpr std::size_t kMaxMissBytes = 1 + 1 + 4;
constexpr std::size_t kMaxMarkBytes = 3 + 1 + 10;
static_assert(kMaxBatchBlocks * kMaxMissBytes + kMaxBatchWords * 8 +
                  kMaxBatchMarks * kMaxMarkBytes <
              kMaxRawBytes);

// Blocks are judged in groups: first the predictor learns them, then the parts are written. Both
// loops do without branches that depend on the data.
constexpr std::size_t kGroup = 64;

// What became of a group's guesses; a bit for each block.
struct Verdicts {
  std::uint64_t all = 0;
  std::uint64_t hits = 0;
  std::uint64_t sure = 0;
  std::array<std::uint32_t, kGroup> guessed{};
};

// The lowest bits of the eight bytes.
std::uint64_t LowestBits(std::uint64_t bytes) {
  return (bytes & 0x0101010101010101u) * 0x0102040810204080u >> 56;
}

void Judge(BlockPredictor& predictor, BlockPredictor::Place& place,
           std::span<const std::uint32_t> group, Verdicts& verdicts) {
  std::array<std::uint8_t, kGroup> judged;
  BlockPredictor::Place here = place;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::uint32_t actual = group[i];
    BlockPredictor::Guess& guess = predictor.GuessAt(here);
    verdicts.guessed[i] = guess.block();
    judged[i] = static_cast<std::uint8_t>(guess.Learn(actual));
    here.Advance(actual);
  }
  place = here;
  std::fill(judged.begin() + static_cast<std::ptrdiff_t>(group.size()), judged.end(), 0);
  verdicts.all = UINT64_MAX >> (kGroup - group.size());
  verdicts.hits = 0;
  verdicts.sure = 0;
  for (std::size_t at = 0; at < kGroup; at += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, &judged[at], sizeof eight);
    verdicts.hits |= LowestBits(eight >> 3) << at;
    verdicts.sure |= LowestBits(eight & eight >> 1 & eight >> 2) << at;
  }
}

// For four bits and four that select among them: the selected ones, and above them how many.
constexpr auto kSelected = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned key = 0; key < table.size(); ++key) {
    unsigned bits = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < 4; ++i)
      if ((key >> 4 >> i & 1) != 0) bits |= (key >> i & 1) << count++;
    table[key] = static_cast<std::uint8_t>(count << 4 | bits);
  }
  return table;
}();

}  // namespace

// The parts of a chunk while it is encoded.
class MissParts {
 public:
  // Each part gets room for a miss at every block.
  void Begin(std::size_t blocks) {
    if (ranks_.size() < blocks) {
      runs_.resize(2 * blocks + 1);
      bits_.resize(blocks / 8 + 2 * sizeof bits_now_);
      ranks_.resize(blocks);
    }
    run_end_ = runs_.data();
    bits_end_ = bits_.data();
    rank_end_ = ranks_.data();
    bits_now_ = 0;
    bits_used_ = 0;
    run_ = 0;
    literals_ = {};
  }

  // Must be called for each group: hits of sure guesses are counted, and guesses that were not sure
  // have a bit each.
  void Take(const Verdicts& verdicts) {
    TakeBits(verdicts.hits, verdicts.all & ~verdicts.sure);
    std::uint64_t hits = verdicts.sure & verdicts.hits;
    for (std::uint64_t rest = verdicts.sure & ~verdicts.hits; rest != 0; rest &= rest - 1) {
      const std::uint64_t before = (rest & (0 - rest)) - 1;
      run_ += static_cast<std::uint64_t>(std::popcount(hits & before));
      hits &= ~before;
      EndRun();
    }
    run_ += static_cast<std::uint64_t>(std::popcount(hits));
  }
  void Rank(std::uint32_t rank) { *rank_end_++ = static_cast<std::uint8_t>(rank); }
  void Literal(std::uint32_t block) { literals_.Whole(block); }

  // A run that the end of the chunk ends is not stored.
  void Take(FieldWriter& writer) {
    bits_end_ += (bits_used_ + 7) / 8;
    for (const auto& [begin, end] :
         {std::pair(runs_.data(), run_end_), std::pair(bits_.data(), bits_end_),
          std::pair(ranks_.data(), rank_end_)})
      writer.Text(std::string(begin, end));
    writer.Text(literals_.Take());
  }

 private:
  void EndRun() {
    for (; run_ >= kLongRun; run_ -= kLongRun) *run_end_++ = kLongRun;
    *run_end_++ = static_cast<std::uint8_t>(run_);
    run_ = 0;
  }
  // Appends those of `bits` that are selected.
  void TakeBits(std::uint64_t bits, std::uint64_t selected) {
    for (int half = 0; half < 2; ++half) {
      for (int step = 0; step < 8; ++step, bits >>= 4, selected >>= 4) {
        const unsigned four = kSelected[(selected & 15) << 4 | (bits & 15)];
        bits_now_ |= std::uint64_t{four & 15} << bits_used_;
        bits_used_ += four >> 4;
      }
      // Fewer than 8 bits were left from before, and 32 were added at most.
      std::memcpy(bits_end_, &bits_now_, sizeof bits_now_);
      bits_end_ += bits_used_ / 8;
      bits_now_ >>= bits_used_ / 8 * 8;
      bits_used_ %= 8;
    }
  }

  std::uint64_t bits_now_ = 0;
  unsigned bits_used_ = 0;
  std::uint64_t run_ = 0;  // sure guesses since the last one that missed
  std::vector<std::uint8_t> runs_;
  std::vector<std::uint8_t> bits_;
  std::vector<std::uint8_t> ranks_;
  std::uint8_t* run_end_ = nullptr;
  std::uint8_t* bits_end_ = nullptr;
  std::uint8_t* rank_end_ = nullptr;
  FieldWriter literals_;
};

namespace {

// Nothing is trusted: after the end of a part, Good() is false.
class MissReader {
 public:
  MissReader(std::string_view runs, std::string_view bits, std::string_view ranks,
             std::string_view literals, std::size_t blocks)
      : runs_(runs), bits_(bits), ranks_(ranks), literals_(literals), blocks_(blocks) {
    NextRun();
  }

  bool Hits() {
    if (left_ > 0) [[likely]] {
      --left_;
      return true;
    }
    NextRun();
    return false;
  }
  bool Bit() {
    if (bits_used_ == 0) bits_now_ = NextOf(bits_, bits_at_);
    const bool hit = (bits_now_ >> bits_used_ & 1) != 0;
    bits_used_ = (bits_used_ + 1) % 8;
    return hit;
  }
  // Sets `at` to its position among the successors.
  std::uint32_t Missed(const BlockPredictor::Successors& known, std::uint32_t missed,
                       std::uint32_t& at) {
    const std::uint32_t rank = NextOf(ranks_, ranks_at_);
    at = rank < known.kCount ? known.AtRank(rank, missed) : known.kCount;
    if (at < known.kCount) return Checked(known.At(at));
    std::uint32_t block = kNoBlock;
    good_ = good_ && rank == known.kCount;
    literals_.Whole(block);
    good_ = good_ && literals_.Good();
    return Checked(block);
  }

  bool Good() const { return good_; }
  bool AtEnd() const {
    return runs_at_ == runs_.size() && bits_at_ == bits_.size() && ranks_at_ == ranks_.size() &&
           literals_.AtEnd();
  }

 private:
  std::uint8_t NextOf(std::string_view bytes, std::size_t& at) {
    if (at < bytes.size()) return static_cast<std::uint8_t>(bytes[at++]);
    good_ = false;
    return 0;
  }
  void NextRun() {
    left_ = UINT64_MAX;
    if (runs_at_ == runs_.size()) return;
    left_ = 0;
    for (std::uint64_t more = kLongRun; more == kLongRun && good_; left_ += more)
      more = NextOf(runs_, runs_at_);
  }
  std::uint32_t Checked(std::uint32_t block) {
    if (good_ && block < blocks_) return block;
    good_ = false;
    return 0;
  }

  std::string_view runs_;
  std::string_view bits_;
  std::string_view ranks_;
  FieldReader literals_;
  std::size_t blocks_;
  std::size_t runs_at_ = 0;
  std::size_t bits_at_ = 0;
  std::size_t ranks_at_ = 0;
  std::uint64_t left_ = 0;  // hits before the next miss
  unsigned bits_now_ = 0;
  unsigned bits_used_ = 0;
  bool good_ = true;
};

void EncodePart(BlockPredictor& predictor, std::span<const std::uint32_t> blocks,
                MissParts& parts) {
  BlockPredictor::Place place = predictor.place;
  Verdicts verdicts;
  while (!blocks.empty()) {
    const auto group = blocks.first(std::min(blocks.size(), kGroup));
    const std::uint32_t before = place.previous;
    Judge(predictor, place, group, verdicts);
    parts.Take(verdicts);
    for (std::uint64_t rest = verdicts.all & ~verdicts.hits; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      BlockPredictor::Successors& known =
          predictor.SuccessorsOf(i == 0 ? before : group[i - 1] + 1);
      const std::uint32_t at = known.Find(group[i]);
      parts.Rank(known.RankOf(at, verdicts.guessed[i]));
      if (at == known.kCount) parts.Literal(group[i]);
      known.MoveToFront(at, group[i]);
    }
    blocks = blocks.subspan(group.size());
  }
  predictor.place = place;
}

// Appends `count` blocks.
void DecodePart(BlockPredictor& predictor, std::size_t count, MissReader& misses,
                std::vector<std::uint32_t>& blocks) {
  BlockPredictor::Place place = predictor.place;
  for (std::size_t i = 0; i < count; ++i) {
    BlockPredictor::Guess& guess = predictor.GuessAt(place);
    std::uint32_t actual = guess.block();
    const bool sure = guess.IsSure();
    if (!(sure ? misses.Hits() : misses.Bit())) [[unlikely]] {
      BlockPredictor::Successors& known = predictor.SuccessorsOf(place.previous);
      std::uint32_t at = 0;
      actual = misses.Missed(known, actual, at);
      if (!misses.Good()) return;
      known.MoveToFront(at, actual);
      guess.Learn(actual);
    } else if (!sure) {
      guess.Learn(actual);
    }
    blocks.push_back(actual);
    place.Advance(actual);
  }
  predictor.place = place;
}

// Calls `part` for the number of blocks before each mark and after the last.
void ForEachPart(BlockPredictor& predictor, const std::vector<BlockMark>& marks, std::size_t blocks,
                 auto part) {
  std::size_t done = 0;
  for (const BlockMark& mark : marks) {
    if (mark.position > done) part(mark.position - done);
    done = std::max<std::size_t>(done, mark.position);
    predictor.Take(mark);
  }
  if (blocks > done) part(blocks - done);
}

std::unexpected<Error> DamagedPredicted() {
  return Fail(ErrorKind::kFormat, "its blocks do not follow from its predictions");
}

}  // namespace

PredictedEncoder::PredictedEncoder() = default;
PredictedEncoder::~PredictedEncoder() = default;
PredictedEncoder::PredictedEncoder(PredictedEncoder&&) noexcept = default;
PredictedEncoder& PredictedEncoder::operator=(PredictedEncoder&&) noexcept = default;

void PredictedEncoder::Learn(const EventTables& tables) {
  if (!predictor_) {
    predictor_ = std::make_unique<BlockPredictor>();
    parts_ = std::make_unique<MissParts>();
  }
  predictor_->Learn(tables.blocks);
}

void PredictedEncoder::Encode(const BlockBatch& batch, std::string& raw) {
  MissParts& misses = *parts_;
  misses.Begin(batch.blocks.size());
  std::span<const std::uint32_t> rest = batch.blocks;
  ForEachPart(*predictor_, batch.marks, batch.blocks.size(), [&](std::size_t count) {
    EncodePart(*predictor_, rest.first(count), misses);
    rest = rest.subspan(count);
  });
  FieldWriter writer;
  writer.Whole(batch.blocks.size());
  writer.Whole(batch.words.size());
  std::string marks;
  EncodeMarks(batch, marks);
  writer.Raw(marks);
  misses.Take(writer);
  raw = writer.Take();
  if (batch.words.empty()) return;
  std::vector<std::uint64_t> steps;
  steps.reserve(batch.words.size());
  for (const std::uint32_t block : batch.blocks) {
    std::uint64_t* last = predictor_->LastWords(block);
    for (std::size_t i = 0; i < predictor_->WordsOf(block); ++i, ++last) {
      const std::uint64_t word = batch.words[steps.size()];
      steps.push_back(word - std::exchange(*last, word));
    }
  }
  raw.append(reinterpret_cast<const char*>(steps.data()), steps.size() * sizeof(steps[0]));
}

PredictedDecoder::PredictedDecoder() = default;
PredictedDecoder::~PredictedDecoder() = default;
PredictedDecoder::PredictedDecoder(PredictedDecoder&&) noexcept = default;
PredictedDecoder& PredictedDecoder::operator=(PredictedDecoder&&) noexcept = default;

Result<void> PredictedDecoder::Decode(std::span<const std::byte> raw, const EventTables& tables,
                                      BlockBatch& batch) {
  batch.Clear();
  if (!predictor_) predictor_ = std::make_unique<BlockPredictor>();
  predictor_->Learn(tables.blocks);
  FieldReader reader({reinterpret_cast<const char*>(raw.data()), raw.size()});
  std::uint64_t blocks = 0;
  std::uint64_t words = 0;
  reader.Whole(blocks);
  reader.Whole(words);
  if (!reader.Good() || blocks > kMaxBatchBlocks || words > kMaxBatchWords ||
      (blocks > 0 && tables.blocks.empty()))
    return DamagedPredicted();
  TRY_VOID(DecodeMarks(reader, blocks, tables, batch.marks));
  std::array<std::string_view, 4> parts;
  for (std::string_view& part : parts) {
    std::uint64_t size = 0;
    reader.Whole(size);
    part = reader.Raw(size);
  }
  std::string_view steps = reader.Raw(words * sizeof(std::uint64_t));
  if (!reader.Good() || !reader.AtEnd()) return DamagedPredicted();
  MissReader misses(parts[0], parts[1], parts[2], parts[3], tables.blocks.size());
  batch.blocks.reserve(blocks);
  ForEachPart(*predictor_, batch.marks, blocks, [&](std::size_t count) {
    if (misses.Good()) DecodePart(*predictor_, count, misses, batch.blocks);
  });
  if (!misses.Good() || !misses.AtEnd()) return DamagedPredicted();
  batch.words.reserve(words);
  for (const std::uint32_t block : batch.blocks) {
    const std::uint32_t count = tables.blocks[block].words;
    if (count > words - batch.words.size()) return DamagedPredicted();
    std::uint64_t* last = predictor_->LastWords(block);
    for (std::uint32_t i = 0; i < count; ++i, ++last) {
      std::uint64_t step = 0;
      std::memcpy(&step, steps.data(), sizeof step);
      steps.remove_prefix(sizeof step);
      batch.words.push_back(*last += step);
    }
  }
  if (batch.words.size() != words) return DamagedPredicted();
  return {};
}

}  // namespace tare::format
