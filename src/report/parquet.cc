// parquet.cc: pages, row groups and the footer, as parquet.thrift of Apache Parquet defines them.
#include "report/parquet.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <system_error>

#include "base/check.h"
#include "base/file.h"
#include "base/printable.h"
#include "report/page_payload.h"
#include "report/thrift_compact.h"

namespace tare::report {
namespace {

// Numbers of parquet.thrift.
constexpr std::int32_t kInt64 = 2;
constexpr std::int32_t kDouble = 5;
constexpr std::int32_t kByteArray = 6;
constexpr std::int32_t kOptional = 1;
constexpr std::int32_t kUtf8 = 0;
constexpr std::int32_t kPlain = 0;
constexpr std::int32_t kRle = 3;
constexpr std::int32_t kGzipCodec = 2;
constexpr std::int32_t kDataPage = 0;

template <typename Bits>
void AppendLittleEndian(std::string& bytes, Bits value) {
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    bytes += static_cast<char>((value >> (8 * i)) & 0xff);
  }
}

void AppendPlain(std::string& bytes, std::int64_t value) {
  AppendLittleEndian(bytes, static_cast<std::uint64_t>(value));
}

void AppendPlain(std::string& bytes, double value) {
  AppendLittleEndian(bytes, std::bit_cast<std::uint64_t>(value));
}

// The format demands UTF-8: other bytes are written as \xNN.
void AppendPlain(std::string& bytes, const std::string& value) {
  std::string clean;
  for (std::string_view rest = value; !rest.empty();) {
    const std::size_t length = FirstCodePoint(rest).length;
    clean += length > 0 ? std::string(rest.substr(0, length)) : Printable(rest.substr(0, 1));
    rest.remove_prefix(std::max<std::size_t>(length, 1));
  }
  AppendLittleEndian(bytes, static_cast<std::uint32_t>(clean.size()));
  bytes += clean;
}

void AppendVarint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  bytes += static_cast<char>(value);
}

// Which values are present, as runs of ones and zeros, with their length in bytes before them.
template <typename Values>
std::string DefinitionLevels(const Values& values) {
  std::string runs;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i;
    while (end < values.size() && values[end].has_value() == values[i].has_value()) ++end;
    AppendVarint(runs, (end - i) << 1);
    runs += values[i].has_value() ? '\1' : '\0';
    i = end;
  }
  std::string levels;
  AppendLittleEndian(levels, static_cast<std::uint32_t>(runs.size()));
  return levels + runs;
}

std::string PageOf(const TypedColumn& column) {
  return std::visit(
      [](const auto& values) {
        std::string page = DefinitionLevels(values);
        for (const auto& value : values) {
          if (value) AppendPlain(page, *value);
        }
        return page;
      },
      column.values);
}

std::int32_t TypeOf(const TypedColumn& column) {
  constexpr std::int32_t kTypes[] = {kInt64, kDouble, kByteArray};
  return kTypes[column.values.index()];
}

std::string PageHeader(std::size_t raw, std::size_t packed, std::size_t rows) {
  ThriftWriter header;
  header.Whole(1, kDataPage);
  header.Whole(2, static_cast<std::int32_t>(raw));
  header.Whole(3, static_cast<std::int32_t>(packed));
  header.OpenStruct(5);
  header.Whole(1, static_cast<std::int32_t>(rows));
  header.Whole(2, kPlain);
  header.Whole(3, kRle);
  header.Whole(4, kRle);
  header.CloseStruct();
  return header.Take();
}

constexpr std::string_view kMagic = "PAR1";

}  // namespace

ParquetWriter::ParquetWriter(std::filesystem::path path, std::filesystem::path temporary)
    : path_(std::move(path)),
      temporary_(std::move(temporary)),
      file_(temporary_, std::ios::binary | std::ios::trunc) {}

Result<ParquetWriter> ParquetWriter::Create(const std::filesystem::path& path) {
  std::filesystem::path temporary = path;
  temporary += fmt::format(".{}.new", ::getpid());
  ParquetWriter writer(path, temporary);
  if (!writer.file_) return std::unexpected(SystemError("write", path, errno));
  TRY_VOID(writer.Write(kMagic));
  return writer;
}

ParquetWriter::~ParquetWriter() {
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

Result<void> ParquetWriter::Write(std::string_view bytes) {
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file_) return std::unexpected(SystemError("write", path_, errno));
  bytes_ += bytes.size();
  return {};
}

Result<void> ParquetWriter::Add(const TypedTable& rows) {
  if (groups_.empty()) {
    schema_.name = rows.name;
    for (const TypedColumn& column : rows.columns) {
      schema_.columns.push_back({column.name, column.values});
      std::visit([](auto& values) { values.clear(); }, schema_.columns.back().values);
    }
  }
  CHECK(rows.columns.size() == schema_.columns.size());
  Group group{rows.rows, {}};
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    CHECK(rows.columns[c].values.index() == schema_.columns[c].values.index());
    const std::string page = PageOf(rows.columns[c]);
    constexpr std::size_t kMaxPage = 1u << 30;
    if (page.size() > kMaxPage) {
      return Fail(ErrorKind::kUnsupported, "a column is too large for one Parquet page");
    }
    TRY(const std::string packed, Gzip(page));
    const std::string header = PageHeader(page.size(), packed.size(), rows.rows);
    group.chunks.push_back({bytes_, header.size() + packed.size(), header.size() + page.size()});
    TRY_VOID(Write(header));
    TRY_VOID(Write(packed));
  }
  groups_.push_back(std::move(group));
  return {};
}

std::string ParquetWriter::Footer(const Notes& notes) const {
  std::int64_t rows = 0;
  for (const Group& group : groups_) rows += static_cast<std::int64_t>(group.rows);
  ThriftWriter footer;
  footer.Whole(1, 1);  // the version of the format
  footer.OpenStructList(2, schema_.columns.size() + 1);
  footer.OpenStructInList();
  footer.Text(4, "schema");
  footer.Whole(5, static_cast<std::int32_t>(schema_.columns.size()));
  footer.CloseStruct();
  for (const TypedColumn& column : schema_.columns) {
    footer.OpenStructInList();
    footer.Whole(1, TypeOf(column));
    footer.Whole(3, kOptional);
    footer.Text(4, column.name);
    if (TypeOf(column) == kByteArray) footer.Whole(6, kUtf8);
    footer.CloseStruct();
  }
  footer.Long(3, rows);
  footer.OpenStructList(4, groups_.size());
  for (const Group& group : groups_) {
    std::int64_t raw = 0;
    for (const Chunk& chunk : group.chunks) raw += static_cast<std::int64_t>(chunk.raw);
    footer.OpenStructInList();
    footer.OpenStructList(1, group.chunks.size());
    for (std::size_t c = 0; c < group.chunks.size(); ++c) {
      const Chunk& chunk = group.chunks[c];
      footer.OpenStructInList();
      footer.Long(2, static_cast<std::int64_t>(chunk.offset));
      footer.OpenStruct(3);
      footer.Whole(1, TypeOf(schema_.columns[c]));
      footer.WholeList(2, {kPlain, kRle});
      footer.TextList(3, {schema_.columns[c].name});
      footer.Whole(4, kGzipCodec);
      footer.Long(5, static_cast<std::int64_t>(group.rows));
      footer.Long(6, static_cast<std::int64_t>(chunk.raw));
      footer.Long(7, static_cast<std::int64_t>(chunk.packed));
      footer.Long(9, static_cast<std::int64_t>(chunk.offset));
      footer.CloseStruct();
      footer.CloseStruct();
    }
    footer.Long(2, raw);
    footer.Long(3, static_cast<std::int64_t>(group.rows));
    footer.CloseStruct();
  }
  footer.OpenStructList(5, notes.size());
  for (const auto& [name, text] : notes) {
    footer.OpenStructInList();
    footer.Text(1, name);
    footer.Text(2, text);
    footer.CloseStruct();
  }
  footer.Text(6, "tare");
  return footer.Take();
}

Result<void> ParquetWriter::Finish(const Notes& notes) {
  const std::string footer = Footer(notes);
  std::string end = footer;
  AppendLittleEndian(end, static_cast<std::uint32_t>(footer.size()));
  end += kMagic;
  TRY_VOID(Write(end));
  file_.close();
  if (!file_) return std::unexpected(SystemError("write", path_, errno));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) return std::unexpected(SystemError("write", path_, error.value()));
  temporary_.clear();
  return {};
}

Result<void> WriteParquet(const std::filesystem::path& path, const TypedTable& table,
                          const ParquetWriter::Notes& notes) {
  TRY(ParquetWriter writer, ParquetWriter::Create(path));
  TRY_VOID(writer.Add(table));
  return writer.Finish(notes);
}

}  // namespace tare::report
