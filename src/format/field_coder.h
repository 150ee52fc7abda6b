// field_coder.h: writes and reads the fields of a record, so that one function describes both.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"

namespace tare::format {

// Both coders have the same members; the writer's arguments are not changed.
class FieldWriter {
 public:
  static constexpr bool kReads = false;
  void Whole(auto value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
  }
  void Real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  void Text(const std::string& text) {
    Whole(text.size());
    bytes_ += text;
  }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    Whole(items.size());
    for (T& item : items) each(item);
  }
  void Raw(std::string_view bytes) { bytes_ += bytes; }
  std::string Take() { return std::move(bytes_); }
  std::size_t Bytes() const { return bytes_.size(); }
  bool Good() const { return true; }

 private:
  std::string bytes_;
};

// Trusts nothing: after a wrong field nothing changes any more, and Good() is false.
class FieldReader {
 public:
  static constexpr bool kReads = true;
  explicit FieldReader(std::string_view bytes) : reader_(bytes) {}
  template <typename T>
  void Whole(T& value) {
    const auto read = good_ ? reader_.ReadVarint() : Fail(ErrorKind::kFormat, "");
    good_ = good_ && read.has_value();
    if (!good_) return;
    value = static_cast<T>(*read);
    good_ = static_cast<std::uint64_t>(value) == *read;
  }
  // Accepts numbers from 0 to 1e18.
  void Real(double& value) {
    const auto read = reader_.Read<std::uint64_t>();
    good_ = good_ && read.has_value();
    if (!good_) return;
    value = std::bit_cast<double>(*read);
    good_ = value >= 0 && value < 1e18;
  }
  void Text(std::string& text) {
    std::uint64_t size = 0;
    Whole(size);
    const auto read = reader_.Take(good_ ? size : 0);
    good_ = good_ && read.has_value();
    if (good_) text.assign(reinterpret_cast<const char*>(read->data()), read->size());
  }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    std::uint64_t size = 0;
    Whole(size);
    // Each item takes at least a byte.
    good_ = good_ && size <= reader_.Remaining();
    for (std::uint64_t i = 0; i < size && good_; ++i) each(items.emplace_back());
  }
  // The next bytes as they are; empty if there are fewer.
  std::string_view Raw(std::uint64_t count) {
    const auto read = reader_.Take(good_ ? count : 0);
    good_ = good_ && read.has_value();
    if (!good_) return {};
    return {reinterpret_cast<const char*>(read->data()), read->size()};
  }
  bool Good() const { return good_; }
  bool AtEnd() const { return reader_.AtEnd(); }

 private:
  ByteReader reader_;
  bool good_ = true;
};

// Rows of a table: the first fields of all rows, then the second ones, and so on, which compresses
// better than row after row. Members as those of FieldWriter.
class ColumnWriter {
 public:
  static constexpr bool kReads = false;
  void BeginRow() { at_ = 0; }
  void Whole(auto value) { Next().Whole(value); }
  void Text(const std::string& text) { Next().Text(text); }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    Whole(items.size());
    const std::size_t first = at_;
    for (T& item : items) {
      at_ = first;
      each(item);
    }
    at_ = first + kListColumns;
  }
  bool Good() const { return true; }
  std::size_t Bytes() const {
    std::size_t bytes = 0;
    for (const FieldWriter& column : columns_) bytes += column.Bytes();
    return bytes;
  }
  void Take(FieldWriter& writer) {
    writer.Whole(columns_.size());
    for (FieldWriter& column : columns_) writer.Text(column.Take());
  }

  // So many columns are for the fields of a list's items.
  static constexpr std::size_t kListColumns = 8;

 private:
  FieldWriter& Next() {
    if (at_ >= columns_.size()) columns_.resize(at_ + 1);
    return columns_[at_++];
  }

  std::vector<FieldWriter> columns_;
  std::size_t at_ = 0;
};

// Trusts nothing, as FieldReader.
class ColumnReader {
 public:
  static constexpr bool kReads = true;
  explicit ColumnReader(FieldReader& reader) {
    std::uint64_t columns = 0;
    reader.Whole(columns);
    good_ = reader.Good() && columns <= kMaxColumns;
    for (std::uint64_t i = 0; i < columns && good_; ++i) {
      std::uint64_t size = 0;
      reader.Whole(size);
      columns_.emplace_back(reader.Raw(size));
      good_ = reader.Good();
    }
  }
  void BeginRow() { at_ = 0; }
  template <typename T>
  void Whole(T& value) {
    Next([&](FieldReader& column) { column.Whole(value); });
  }
  void Text(std::string& text) {
    Next([&](FieldReader& column) { column.Text(text); });
  }
  template <typename T>
  void List(std::vector<T>& items, auto each) {
    std::uint64_t size = 0;
    Whole(size);
    const std::size_t first = at_;
    for (std::uint64_t i = 0; i < size && good_; ++i) {
      at_ = first;
      each(items.emplace_back());
    }
    at_ = first + ColumnWriter::kListColumns;
  }
  bool Good() const { return good_; }
  bool AtEnd() const {
    return std::ranges::all_of(columns_, [](const FieldReader& column) { return column.AtEnd(); });
  }

 private:
  static constexpr std::size_t kMaxColumns = 64;

  void Next(auto read) {
    good_ = good_ && at_ < columns_.size();
    if (!good_) return;
    read(columns_[at_]);
    good_ = columns_[at_++].Good();
  }

  std::vector<FieldReader> columns_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace tare::format
