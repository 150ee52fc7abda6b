// series_writer.cc: collects records into chunks, and writes an end even on a full disk.
#include "format/series_writer.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace tare::format {
namespace {

// A chunk is written at this many cells, but has several records even if there are very many
// channels, because a single record has no differences to encode.
constexpr std::uint64_t kChunkCells = 1u << 16;
constexpr std::size_t kMinRecords = 4;

// Disk space reserved after the last chunk, so that the end fits if the disk is full.
constexpr std::size_t kReserve = 16u << 10;
constexpr std::size_t kMaxStepsBack = 64;

}  // namespace

Result<SeriesWriter> SeriesWriter::Begin(Result<GrowingFile> file, const SeriesHead& head) {
  if (!file) return std::unexpected(std::move(file).error());
  SeriesWriter writer(std::move(*file));
  TRY_VOID(writer.names_.Add(head.channels));
  const std::vector<std::byte> raw = EncodeHead(head);
  if (raw.size() > kMaxSeriesTextBytes) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the names and facts of the series need {} bytes, and the maximum is "
                            "{}; select fewer channels",
                            raw.size(), kMaxSeriesTextBytes));
  }
  writer.text_bytes_ = raw.size();
  writer.rows_.SetChannels(head.channels.size());
  const Preamble preamble = MakePreamble(kSeriesFormat);
  writer.chain_ = {0, preamble.checksum};
  TRY_VOID(writer.file_.Append(std::as_bytes(std::span(&preamble, 1)), 0));
  TRY_VOID(
      writer.file_.Append(writer.packer_.Pack(writer.chain_, ChunkKind::kHead, 0, raw), kReserve));
  return writer;
}

Result<SeriesWriter> SeriesWriter::Create(const std::filesystem::path& path,
                                          const SeriesHead& head) {
  TRY(auto writer, Begin(GrowingFile::Create(path), head));
  TRY_VOID(writer.file_.Appear());
  return writer;
}

Result<SeriesWriter> SeriesWriter::CreateUnseen(const std::filesystem::path& path,
                                                const SeriesHead& head) {
  TRY(auto writer, Begin(GrowingFile::Create(path), head));
  if (writer.file_.IsInPlace()) {
    return Fail(ErrorKind::kUsage, "only a regular file can be replaced atomically");
  }
  return writer;
}

void SeriesWriter::Append(std::uint64_t time, std::span<const std::optional<std::int64_t>> values) {
  CHECK(values.size() == Channels());
  ++appended_;
  if (error_ || (last_time_ && time < *last_time_)) {
    ++dropped_;
    return;
  }
  last_time_ = time;
  rows_.Add(time, values);
  if (rows_.Cells() >= kChunkCells && rows_.Records() >= kMinRecords) Flush();
}

Result<void> SeriesWriter::AddChannels(std::span<const Channel> more) {
  if (more.empty()) return {};
  const std::vector<std::byte> raw = EncodeChannels(more);
  if (raw.size() > kMaxSeriesTextBytes - text_bytes_) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("the names of the series need more than {} bytes", kMaxSeriesTextBytes));
  }
  TRY_VOID(names_.Add(more));
  Flush();
  text_bytes_ += raw.size();
  rows_.SetChannels(Channels());
  if (Write(ChunkKind::kChannels, 0, raw)) lately_.clear();
  return {};
}

void SeriesWriter::Flush() {
  if (rows_.Records() == 0) return;
  EncodeRecords(rows_, raw_);
  const Written before{file_.Bytes(), rows_.Records(), chain_};
  if (Write(ChunkKind::kRecords, rows_.Records(), raw_)) {
    kept_ += before.records;
    if (lately_.size() == kMaxStepsBack) lately_.erase(lately_.begin());
    lately_.push_back(before);
  } else {
    dropped_ += before.records;
  }
  rows_.Clear();
}

void SeriesWriter::FlushIfDue(std::uint64_t now_ns) {
  if (!last_flush_ns_) last_flush_ns_ = now_ns;
  if (now_ns - *last_flush_ns_ < kFlushAfterNs) return;
  Flush();
  last_flush_ns_ = now_ns;
}

Result<void> SeriesWriter::Status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

// Returns false if the chunk was not written; the chain is then unchanged.
bool SeriesWriter::Write(ChunkKind kind, std::size_t records, std::span<const std::byte> raw) {
  if (error_) return false;
  const ChunkChain before = chain_;
  const auto chunk = packer_.Pack(chain_, kind, static_cast<std::uint32_t>(records), raw);
  const auto written = file_.Append(chunk, kReserve);
  if (written) return true;
  chain_ = before;
  error_ = written.error();
  return false;
}

// Removes the last chunk of records to make room for the end.
bool SeriesWriter::StepBack() {
  if (lately_.empty() || !file_.CanStepBack()) return false;
  const Written last = lately_.back();
  lately_.pop_back();
  if (!file_.CutTo(last.place)) return false;
  chain_ = last.chain;
  kept_ -= last.records;
  dropped_ += last.records;
  return true;
}

Result<void> SeriesWriter::Seal(const SeriesEnd& given) {
  while (true) {
    SeriesEnd end = given;
    end.dropped += dropped_;
    if (end.loss.empty() && dropped_ > 0) {
      end.loss = error_ ? file_.Failure() : "the times of the records decrease";
    }
    ChunkChain chain = chain_;
    const auto raw = EncodeEnd({kept_, std::move(end)});
    if (raw.size() > kMaxSeriesTextBytes - text_bytes_) {
      return Fail(ErrorKind::kUnsupported, "the facts at the end of the series are too long");
    }
    const auto written = file_.Append(packer_.Pack(chain, ChunkKind::kEnd, 0, raw), 0);
    if (written) return {};
    if (!error_) error_ = written.error();
    if (!StepBack()) return written;
  }
}

Result<void> SeriesWriter::Close(const SeriesEnd& end) {
  Flush();
  const auto sealed = Seal(end);
  bool has_end = sealed.has_value();
  if (!has_end && !end.facts.empty()) {
    SeriesEnd bare = end;
    bare.facts.clear();
    has_end = Seal(bare).has_value();
  }
  if (has_end && !error_) TRY_VOID(file_.Appear());
  const auto finished = file_.Finish();
  if (error_) {
    return Fail(error_->kind,
                fmt::format("{}; {} of {} records are missing{}", error_->message, dropped_,
                            appended_, has_end ? "" : ", and the file has no end record"));
  }
  if (!sealed) return sealed;
  return finished;
}

}  // namespace tare::format
