// abstract_blocks.cc: the parts of an abstract chunk: marks, exceptions, literals, bits.
#include "format/abstract_blocks.h"

#include <algorithm>
#include <utility>

#include "format/abstract_model.h"
#include "format/event_codec.h"
#include "format/field_coder.h"

namespace tare::format {
namespace {

class EncodingCoder {
 public:
  static constexpr bool kEncodes = true;

  explicit EncodingCoder(AbstractModel::Surprises& surprises) : surprises_(surprises) {}

  bool Bit(bool actual, std::uint32_t chance16) { return bits_.Code(actual, chance16); }
  bool Bit(bool actual, BitChance& chance) {
    bits_.Code(actual, chance.Of16());
    chance.Learn(actual);
    return actual;
  }
  std::uint32_t Confirm(std::uint32_t predicted, std::uint32_t actual) {
    if (predicted == actual) [[likely]] {
      ++confirmed_;
      return actual;
    }
    surprises_.runs.Code(exception_bits_, std::exchange(confirmed_, 0));
    surprises_.blocks.Code(exception_bits_, actual, surprises_.exceptions);
    ++exceptions_;
    return actual;
  }
  std::uint32_t Literal(std::uint32_t actual) {
    const std::uint64_t code = surprises_.blocks.CodeOf(actual);
    literals_.Whole(code);
    return surprises_.blocks.BlockOf(code);
  }
  std::uint64_t Number(std::uint64_t actual) {
    numbers_.Whole(actual);
    return actual;
  }

  void Take(FieldWriter& writer) {
    writer.Whole(exceptions_);
    writer.Text(exception_bits_.Take());
    for (FieldWriter* part : {&literals_, &numbers_}) writer.Text(part->Take());
    writer.Text(bits_.Take());
  }

 private:
  AbstractModel::Surprises& surprises_;
  BitEncoder bits_;
  // Apart, because a decoder must know the next exception before it comes.
  BitEncoder exception_bits_;
  std::uint64_t exceptions_ = 0;
  FieldWriter literals_;
  FieldWriter numbers_;
  std::uint64_t confirmed_ = 0;  // since the last exception
};

class DecodingCoder {
 public:
  static constexpr bool kEncodes = false;

  DecodingCoder(std::uint64_t exceptions, std::string_view exception_bits,
                std::string_view literals, std::string_view numbers, std::string_view bits,
                std::size_t blocks, AbstractModel::Surprises& surprises)
      : surprises_(surprises),
        bits_(bits),
        exception_bits_(exception_bits),
        exceptions_(exceptions),
        literals_(literals),
        numbers_(numbers),
        blocks_(blocks) {
    NextException();
  }

  bool Bit(bool, std::uint32_t chance16) { return bits_.Code(false, chance16); }
  bool Bit(bool, BitChance& chance) {
    const bool bit = bits_.Code(false, chance.Of16());
    chance.Learn(bit);
    return bit;
  }
  std::uint32_t Confirm(std::uint32_t predicted, std::uint32_t) {
    if (left_ > 0) [[likely]] {
      if (left_ < UINT64_MAX) --left_;
      return Known(predicted);
    }
    const std::uint32_t block = surprises_.blocks.Code(exception_bits_, 0, surprises_.exceptions);
    NextException();
    return Known(block);
  }
  std::uint32_t Literal(std::uint32_t) {
    std::uint64_t code = 0;
    literals_.Whole(code);
    good_ = good_ && literals_.Good();
    return Known(surprises_.blocks.BlockOf(code));
  }
  std::uint64_t Number(std::uint64_t) {
    std::uint64_t number = 0;
    numbers_.Whole(number);
    good_ = good_ && numbers_.Good();
    return number;
  }

  bool Good() const { return good_; }
  bool AtEnd() const {
    return exceptions_ == 0 && left_ == UINT64_MAX && literals_.AtEnd() && numbers_.AtEnd();
  }

 private:
  void NextException() {
    left_ = UINT64_MAX;
    if (exceptions_ == 0) return;
    --exceptions_;
    left_ = std::min(surprises_.runs.Code(exception_bits_, 0), UINT64_MAX - 1);
  }
  std::uint32_t Known(std::uint32_t block) {
    if (good_ && block < blocks_) return block;
    good_ = false;
    return kNoBlock;
  }

  AbstractModel::Surprises& surprises_;
  BitDecoder bits_;
  BitDecoder exception_bits_;
  std::uint64_t exceptions_;  // after the next one
  FieldReader literals_;
  FieldReader numbers_;
  std::size_t blocks_;
  std::uint64_t left_ = 0;  // confirmations before the next exception
  bool good_ = true;
};

std::unexpected<Error> DamagedAbstract() {
  return Fail(ErrorKind::kFormat, "its blocks cannot be regenerated");
}

}  // namespace

AbstractEncoder::AbstractEncoder() = default;
AbstractEncoder::~AbstractEncoder() = default;
AbstractEncoder::AbstractEncoder(AbstractEncoder&&) noexcept = default;
AbstractEncoder& AbstractEncoder::operator=(AbstractEncoder&&) noexcept = default;

void AbstractEncoder::Learn(const EventTables& tables) {
  if (!model_) model_ = std::make_unique<AbstractModel>();
  model_->Learn(tables.blocks);
}

void AbstractEncoder::Encode(const BlockBatch& batch, std::string& raw) {
  EncodingCoder coder(model_->surprises());
  auto mark = batch.marks.begin();
  std::size_t word = 0;
  for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
    while (mark != batch.marks.end() && mark->position <= i) model_->Take(*mark++);
    const std::uint32_t block = batch.blocks[i];
    model_->Next(coder, block);
    const std::uint32_t words = model_->WordsOf(block);
    for (std::size_t w = 0; w < words; ++w) model_->NextWord(coder, block, w, batch.words[word++]);
  }
  while (mark != batch.marks.end()) model_->Take(*mark++);
  FieldWriter writer;
  writer.Whole(batch.blocks.size());
  std::string marks;
  EncodeMarks(batch, marks);
  writer.Raw(marks);
  coder.Take(writer);
  raw = writer.Take();
}

AbstractDecoder::AbstractDecoder() = default;
AbstractDecoder::~AbstractDecoder() = default;
AbstractDecoder::AbstractDecoder(AbstractDecoder&&) noexcept = default;
AbstractDecoder& AbstractDecoder::operator=(AbstractDecoder&&) noexcept = default;

Result<void> AbstractDecoder::Decode(std::span<const std::byte> raw, const EventTables& tables,
                                     BlockBatch& batch) {
  batch.Clear();
  if (!model_) model_ = std::make_unique<AbstractModel>();
  model_->Learn(tables.blocks);
  FieldReader reader({reinterpret_cast<const char*>(raw.data()), raw.size()});
  std::uint64_t blocks = 0;
  reader.Whole(blocks);
  if (!reader.Good() || blocks > kMaxBatchBlocks) return DamagedAbstract();
  TRY_VOID(DecodeMarks(reader, blocks, tables, batch.marks));
  std::uint64_t exceptions = 0;
  reader.Whole(exceptions);
  std::string_view parts[4];
  for (std::string_view& part : parts) {
    std::uint64_t size = 0;
    reader.Whole(size);
    part = reader.Raw(size);
  }
  if (!reader.Good() || !reader.AtEnd()) return DamagedAbstract();
  DecodingCoder coder(exceptions, parts[0], parts[1], parts[2], parts[3], model_->blocks(),
                      model_->surprises());
  auto mark = batch.marks.begin();
  batch.blocks.reserve(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    while (mark != batch.marks.end() && mark->position <= i) model_->Take(*mark++);
    const std::uint32_t block = model_->Next(coder, kNoBlock);
    if (!coder.Good()) return DamagedAbstract();
    batch.blocks.push_back(block);
    const std::uint32_t words = model_->WordsOf(block);
    if (words > kMaxBatchWords - batch.words.size()) return DamagedAbstract();
    for (std::size_t w = 0; w < words; ++w)
      batch.words.push_back(model_->NextWord(coder, block, w, 0));
  }
  while (mark != batch.marks.end()) model_->Take(*mark++);
  if (!coder.Good() || !coder.AtEnd()) return DamagedAbstract();
  return {};
}

}  // namespace tare::format
