// system_log.cc: nothing in the file is trusted; a stream's answers are found by one walk.
#include "format/system_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/file.h"

namespace tare::format {
namespace {

constexpr std::array kKindNames = {
    std::pair{TapeKind::kTime, std::string_view("time")},
    std::pair{TapeKind::kRandom, std::string_view("random")},
    std::pair{TapeKind::kSystem, std::string_view("system")},
    std::pair{TapeKind::kProcess, std::string_view("process")},
    std::pair{TapeKind::kThread, std::string_view("thread")},
    std::pair{TapeKind::kNetwork, std::string_view("network")},
    std::pair{TapeKind::kFileState, std::string_view("file-state")},
    std::pair{TapeKind::kPath, std::string_view("path")},
};

std::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("not a whole tape: {}", what));
}

std::optional<TapeKind> KindOf(std::uint32_t number) {
  if (number < TARE_TAPE_TIME || number > TARE_TAPE_PATH) return std::nullopt;
  return static_cast<TapeKind>(number);
}

Result<void> TakeHeader(const tare_tape_header& header, std::uint64_t file_bytes, Tape& tape) {
  if (header.magic != TARE_TAPE_MAGIC) return Damaged("it does not begin as a tape does");
  if (header.version != TARE_TAPE_VERSION) {
    return Fail(ErrorKind::kFormat, fmt::format("a tape of version {}; this tare reads version {}",
                                                header.version, TARE_TAPE_VERSION));
  }
  if (header.records_bytes > TARE_TAPE_RECORDS_BYTES || header.used > header.records_bytes ||
      header.used > file_bytes - TARE_TAPE_HEADER_BYTES) {
    return Damaged("its records are longer than the file");
  }
  tape.architecture = header.architecture;
  tape.process = header.process;
  tape.lost_answers = header.lost_answers;
  for (const auto& [kind, name] : kKindNames) {
    const std::uint64_t asked = header.asked[static_cast<std::size_t>(kind)];
    if (asked > 0) tape.asked[kind] = asked;
  }
  for (std::uint32_t call = 0; call < TARE_TAPE_CALLS; ++call) {
    if (header.calls[call] > 0) tape.calls[call] = header.calls[call];
  }
  return {};
}

Result<TapeStream> TakeStream(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  TRY(const auto read, reader.Read<tare_tape_stream>());
  TRY(const auto name, reader.ReadTerminatedText());
  const auto kind = KindOf(read.kind);
  if (!kind) return Damaged(fmt::format("a stream of the unknown kind {}", read.kind));
  if (name.size() >= TARE_TAPE_NAME_BYTES) return Damaged("a name is too long");
  TapeStream stream;
  stream.kind = *kind;
  stream.call = read.call;
  stream.key = read.key;
  stream.name = name;
  return stream;
}

Result<void> TakeRecords(std::string_view bytes, Tape& tape) {
  ByteReader reader(bytes);
  TRY_VOID(reader.Seek(TARE_TAPE_HEADER_BYTES));
  while (!reader.AtEnd()) {
    TRY(const auto record, reader.Read<tare_tape_record>());
    const std::uint64_t place = reader.Position();
    TRY(const auto padded, reader.Take(tare_tape_record_bytes(record.bytes) - sizeof record));
    if (record.stream == 0) {
      if (tape.streams.size() == TARE_TAPE_STREAMS) return Damaged("too many streams");
      TRY(auto stream, TakeStream(padded.first(record.bytes)));
      tape.streams.push_back(std::move(stream));
    } else if (record.stream <= tape.streams.size()) {
      tape.streams[record.stream - 1].answers.push_back({record.result, place, record.bytes});
    } else {
      return Damaged("an answer of a stream that is not there");
    }
  }
  return {};
}

}  // namespace

std::string_view Name(TapeKind kind) {
  const auto found = std::ranges::find(kKindNames, kind, [](const auto& row) { return row.first; });
  CHECK(found != kKindNames.end());
  return found->second;
}

bool CanBePlayed(TapeKind kind) {
  return kind == TapeKind::kTime || kind == TapeKind::kRandom || kind == TapeKind::kSystem;
}

std::uint64_t Tape::Asked(TapeKind kind) const {
  const auto found = asked.find(kind);
  return found == asked.end() ? 0 : found->second;
}

std::span<const std::byte> Tape::Payload(const TapeAnswer& answer) const {
  return std::as_bytes(std::span(bytes)).subspan(answer.place, answer.bytes);
}

Result<Tape> ParseTape(std::string bytes) {
  Tape tape;
  if (bytes.size() < TARE_TAPE_HEADER_BYTES) return Damaged("it is too short");
  TRY(const auto header, ByteReader(bytes).Read<tare_tape_header>());
  TRY_VOID(TakeHeader(header, bytes.size(), tape));
  bytes.resize(TARE_TAPE_HEADER_BYTES + header.used);
  TRY_VOID(TakeRecords(bytes, tape));
  tape.bytes = std::move(bytes);
  return tape;
}

Result<Tape> ReadTape(const std::filesystem::path& path) {
  TRY(auto bytes, ReadFile(path, TARE_TAPE_HEADER_BYTES + TARE_TAPE_RECORDS_BYTES));
  auto tape = ParseTape(std::move(bytes));
  if (tape) return tape;
  return Fail(tape.error().kind, fmt::format("{}: {}", path.string(), tape.error().message));
}

}  // namespace tare::format
