// thrift_compact.cc: see "Thrift Compact protocol encoding" in Apache Thrift's doc/specs.
#include "report/thrift_compact.h"

#include <utility>

namespace tare::report {
namespace {

constexpr std::uint8_t kI32 = 5;
constexpr std::uint8_t kI64 = 6;
constexpr std::uint8_t kBinary = 8;
constexpr std::uint8_t kList = 9;
constexpr std::uint8_t kStruct = 12;

}  // namespace

void ThriftWriter::Number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>((value & 0x7f) | 0x80);
  out_ += static_cast<char>(value);
}

void ThriftWriter::Signed(std::int64_t value) {
  Number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void ThriftWriter::Header(int field, std::uint8_t type) {
  const int step = field - last_.back();
  last_.back() = field;
  if (step > 0 && step < 16) {
    out_ += static_cast<char>((step << 4) | type);
    return;
  }
  out_ += static_cast<char>(type);
  Signed(field);
}

void ThriftWriter::ListHeader(std::size_t size, std::uint8_t type) {
  if (size < 15) {
    out_ += static_cast<char>((size << 4) | type);
    return;
  }
  out_ += static_cast<char>(0xf0 | type);
  Number(size);
}

void ThriftWriter::Whole(int field, std::int32_t value) {
  Header(field, kI32);
  Signed(value);
}

void ThriftWriter::Long(int field, std::int64_t value) {
  Header(field, kI64);
  Signed(value);
}

void ThriftWriter::Text(int field, std::string_view value) {
  Header(field, kBinary);
  Number(value.size());
  out_ += value;
}

void ThriftWriter::OpenStruct(int field) {
  Header(field, kStruct);
  last_.push_back(0);
}

void ThriftWriter::CloseStruct() {
  out_ += '\0';
  last_.pop_back();
}

void ThriftWriter::OpenStructList(int field, std::size_t size) {
  Header(field, kList);
  ListHeader(size, kStruct);
}

void ThriftWriter::OpenStructInList() { last_.push_back(0); }

void ThriftWriter::WholeList(int field, const std::vector<std::int32_t>& values) {
  Header(field, kList);
  ListHeader(values.size(), kI32);
  for (const std::int32_t value : values) Signed(value);
}

void ThriftWriter::TextList(int field, const std::vector<std::string>& values) {
  Header(field, kList);
  ListHeader(values.size(), kBinary);
  for (const std::string& value : values) {
    Number(value.size());
    out_ += value;
  }
}

std::string ThriftWriter::Take() {
  out_ += '\0';
  return std::move(out_);
}

}  // namespace tare::report
