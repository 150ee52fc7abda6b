// thrift_compact.h: structures in Thrift's compact protocol, which Parquet's metadata use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tare::report {

// Fields must be written in ascending order of their numbers.
class ThriftWriter {
 public:
  void Whole(int field, std::int32_t value);
  void Long(int field, std::int64_t value);
  void Text(int field, std::string_view value);
  void OpenStruct(int field);
  void CloseStruct();
  void OpenStructList(int field, std::size_t size);
  void OpenStructInList();
  void WholeList(int field, const std::vector<std::int32_t>& values);
  void TextList(int field, const std::vector<std::string>& values);

  // Ends the outermost structure.
  std::string Take();

 private:
  void Header(int field, std::uint8_t type);
  void ListHeader(std::size_t size, std::uint8_t type);
  void Number(std::uint64_t value);
  void Signed(std::int64_t value);

  std::string out_;
  std::vector<int> last_ = {0};  // the last field of each open structure
};

}  // namespace tare::report
