// predicted_blocks.cc: the predictor, and the parts of a chunk: runs, bits, ranks, literals, words.
#include "format/predicted_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "format/event_codec.h"
#include "format/field_coder.h"

namespace tare::format {

// What the encoder and the decoder both know at every block.
class BlockPredictor {
 public:
  // A prediction and how often it was right of late. From kSure on, hits are only counted.
  class Guess {
   public:
    static constexpr std::uint32_t kSure = 7;
    std::uint32_t block() const { return value_ >> 3; }
    bool IsSure() const { return (value_ & kSure) == kSure; }
    // Only of a guess that is not sure.
    void Hit() { ++value_; }
    void Miss(std::uint32_t actual) {
      const std::uint32_t trust = value_ & kSure;
      value_ = trust == 0 ? actual << 3 : (value_ & ~kSure) | trust / 2;
    }

   private:
    std::uint32_t value_ = 0;  // tables have fewer than 2^29 blocks
  };

  // Different successors of a block, the newest first. Without branches that depend on the data:
  // those would be mispredicted, because all this happens at surprises.
  struct Successors {
    static constexpr std::uint32_t kCount = 4;
    std::array<std::uint32_t, kCount> of{kNoBlock, kNoBlock, kNoBlock, kNoBlock};

    // The position of `actual`; kCount if it is none of them.
    std::uint32_t Find(std::uint32_t actual) const {
      const auto equal = [&](std::uint32_t i) { return of[i] == actual ? 1u << i : 0u; };
      const unsigned all = equal(0) | equal(1) | equal(2) | equal(3) | 1u << kCount;
      return static_cast<std::uint32_t>(std::countr_zero(all));
    }
    // Positions without that of `missed`, which was not the successor.
    std::uint32_t RankOf(std::uint32_t at, std::uint32_t missed) const {
      if (at == kCount) return kCount;
      return at - (Find(missed) < at ? 1 : 0);
    }
    std::uint32_t AtRank(std::uint32_t rank, std::uint32_t missed) const {
      return rank + (Find(missed) <= rank ? 1 : 0);
    }
    // `at` is its position.
    void MoveToFront(std::uint32_t at, std::uint32_t actual) {
      of = {actual, at >= 1 ? of[0] : of[1], at >= 2 ? of[1] : of[2], at >= 3 ? of[2] : of[3]};
    }
  };

  // Call before a batch: new blocks may be in the tables.
  void Learn(const std::vector<TraceBlock>& table) {
    for (std::size_t i = first_words_.size(); i < table.size(); ++i) {
      first_words_.push_back(last_words_.size());
      last_words_.resize(last_words_.size() + table[i].words);
    }
    successors_.resize(table.size() + 1);
  }

  // Where the trace is. Loops use a copy, which stays in registers.
  struct Place {
    std::uint32_t history = 0;  // of the last eight blocks
    std::uint32_t previous = 0;
    void Advance(std::uint32_t block) {
      history = (history << 2 ^ block * 0x9e3779b1u >> (32 - kBits)) & (kGuesses - 1);
      previous = block + 1;
    }
  };
  Place place;

  void Take(const BlockMark& mark) {
    if (mark.kind != MarkKind::kSignal) place = {};
  }

  Guess& GuessAt(const Place& at) { return guesses_[at.history]; }
  Successors& SuccessorsAt(const Place& at) { return successors_[at.previous]; }
  std::size_t WordsOf(std::uint32_t block) const {
    const std::size_t end =
        block + 1 < first_words_.size() ? first_words_[block + 1] : last_words_.size();
    return end - first_words_[block];
  }
  // The last words of a block.
  std::uint64_t* LastWords(std::uint32_t block) { return last_words_.data() + first_words_[block]; }

 private:
  // Guesses of 256 KiB stay in the second-level cache.
  static constexpr unsigned kBits = 16;
  static constexpr std::size_t kGuesses = std::size_t{1} << kBits;

  std::vector<Guess> guesses_ = std::vector<Guess>(kGuesses);
  std::vector<Successors> successors_;  // by block + 1; 0: after a mark
  std::vector<std::size_t> first_words_;
  std::vector<std::uint64_t> last_words_;
};

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

// The parts of a chunk while it is encoded. Each has room for a miss at every block.
class MissParts {
 public:
  explicit MissParts(std::size_t blocks)
      : runs_(2 * blocks + 1), bits_(blocks / 8 + 1), ranks_(blocks), cursor_(FirstCursor()) {}

  // Where the next bytes go. Loops use a copy, which stays in registers.
  struct Cursor {
    std::uint8_t* runs;
    std::uint8_t* bits;
    std::uint8_t* ranks;
    std::uint64_t run = 0;  // sure guesses since the last one that missed
    unsigned bits_now = 0;
    unsigned bits_used = 0;

    void EndRun() {
      for (; run >= kLongRun; run -= kLongRun) *runs++ = kLongRun;
      *runs++ = static_cast<std::uint8_t>(run);
      run = 0;
    }
    void Bit(bool hit) {
      bits_now |= (hit ? 1u : 0u) << bits_used;
      if (++bits_used == 8) EndBits();
    }
    void EndBits() {
      *bits++ = static_cast<std::uint8_t>(bits_now);
      bits_now = 0;
      bits_used = 0;
    }
  };
  Cursor& cursor() { return cursor_; }
  void Literal(std::uint32_t block) { literals_.Whole(block); }

  // A run that the end of the chunk ends is not stored.
  void Take(FieldWriter& writer) {
    if (cursor_.bits_used > 0) cursor_.EndBits();
    const Cursor first = FirstCursor();
    for (const auto& [begin, end] :
         {std::pair(first.runs, cursor_.runs), std::pair(first.bits, cursor_.bits),
          std::pair(first.ranks, cursor_.ranks)})
      writer.Text(std::string(begin, end));
    writer.Text(literals_.Take());
  }

 private:
  Cursor FirstCursor() { return {runs_.data(), bits_.data(), ranks_.data()}; }

  std::vector<std::uint8_t> runs_;
  std::vector<std::uint8_t> bits_;
  std::vector<std::uint8_t> ranks_;
  FieldWriter literals_;
  Cursor cursor_;
};

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
    if (at < known.kCount) return Checked(known.of[at]);
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
  MissParts::Cursor cursor = parts.cursor();
  for (const std::uint32_t actual : blocks) {
    BlockPredictor::Guess& guess = predictor.GuessAt(place);
    const bool hit = guess.block() == actual;
    if (hit && guess.IsSure()) [[likely]] {
      ++cursor.run;
    } else {
      if (guess.IsSure()) {
        cursor.EndRun();
      } else {
        cursor.Bit(hit);
      }
      if (hit) {
        guess.Hit();
      } else {
        BlockPredictor::Successors& known = predictor.SuccessorsAt(place);
        const std::uint32_t at = known.Find(actual);
        *cursor.ranks++ = static_cast<std::uint8_t>(known.RankOf(at, guess.block()));
        if (at == known.kCount) parts.Literal(actual);
        known.MoveToFront(at, actual);
        guess.Miss(actual);
      }
    }
    place.Advance(actual);
  }
  predictor.place = place;
  parts.cursor() = cursor;
}

// Appends `count` blocks.
void DecodePart(BlockPredictor& predictor, std::size_t count, MissReader& misses,
                std::vector<std::uint32_t>& blocks) {
  BlockPredictor::Place place = predictor.place;
  for (std::size_t i = 0; i < count; ++i) {
    BlockPredictor::Guess& guess = predictor.GuessAt(place);
    std::uint32_t actual = guess.block();
    const bool sure = guess.IsSure();
    if (sure ? misses.Hits() : misses.Bit()) [[likely]] {
      if (!sure) guess.Hit();
    } else {
      BlockPredictor::Successors& known = predictor.SuccessorsAt(place);
      std::uint32_t at = 0;
      actual = misses.Missed(known, actual, at);
      if (!misses.Good()) return;
      known.MoveToFront(at, actual);
      guess.Miss(actual);
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
  if (!predictor_) predictor_ = std::make_unique<BlockPredictor>();
  predictor_->Learn(tables.blocks);
}

void PredictedEncoder::Encode(const BlockBatch& batch, std::string& raw) {
  MissParts misses(batch.blocks.size());
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
